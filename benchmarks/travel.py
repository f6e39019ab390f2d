"""Measure whether a late patch with `--3way` gives the same result as `git cherry-pick`.

Each case is a commit's change of one file, as a patch without numbers, and a later state of that
file without the change: the file's next versions, with the change taken out of each by `git
merge-file` where that has no conflict. History has the version that the patch was written for, and
those versions after it; the patch is planned on the last of them, and compared with what `git
cherry-pick` of the commit makes of it.

    python benchmarks/travel.py CLONE... --cases 2000
"""

from __future__ import annotations

import itertools
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

from arguments import drawing_parser
from git_opatch.git.repository import Repository
from git_opatch.model.options import Options, Target, ThreeWay
from git_opatch.model.sentences import Reason
from git_opatch.operations.apply import plan_patch
from git_opatch.parse import parse_patch
from history import git_directory, read_history
from model import Commit, FileChange, Format, to_bytes
from processes import in_processes
from styles import Form
from table import counted
from trees import git

_FORMS = (Form("envelope", 3, Format.ENVELOPE), Form("diff", 3))
MOST_LATER = 10  # versions after the patch


@dataclass(frozen=True, slots=True)
class Late:
    """A patch of one file, and the file's versions: the one it is for, then later ones."""

    source: str
    change: FileChange
    form: Form
    versions: tuple[bytes, ...]

    @property
    def text(self) -> str:
        """The patch."""
        return self.form.write(self.change)


def main() -> None:
    """Draw the cases, try them, and print the table."""
    options = drawing_parser(__doc__, 2000).parse_args()
    cases = list(itertools.islice(draw(options.repo, options.seed), options.cases))
    with tempfile.TemporaryDirectory(prefix="travel-") as directory:
        area = Path(directory)
        _build(area, cases)
        tried = in_processes(partial(_try, area), list(enumerate(cases)), options.jobs)
        counts = Counter(tried)
    rows: dict[tuple[str, ...], Counter[str]] = {}
    for (outcome, agrees), count in sorted(counts.items()):
        rows.setdefault((outcome,), Counter())[agrees] = count
    columns = sorted({agrees for _, agrees in counts})
    print(*counted(["patches"], columns, rows), sep="\n")


def draw(paths: Sequence[Path], seed: str) -> Iterator[Late]:
    """Cases from all repositories in turn."""
    each = [_cases(path, seed) for path in paths]
    for row in itertools.zip_longest(*each):
        yield from (late for late in row if late is not None)


def _cases(path: Path, seed: str) -> Iterator[Late]:
    directory = git_directory(path)
    rng = Random(seed)
    for commit in read_history(path, seed):
        for change in commit.files:
            later = _later(directory, commit, change)
            if len(later) > 1:
                yield Late(str(commit), change, rng.choice(_FORMS), tuple(later))


def _later(directory: Path, commit: Commit, change: FileChange) -> list[bytes]:
    """The version before the commit, and the next ones with the commit's change taken out."""
    old, new = to_bytes(change.old), to_bytes(change.new)
    listed = git(
        directory, "log", "--reverse", "--ancestry-path", "--no-merges", "--format=", "--raw",
        "--no-abbrev", "--no-renames", "--diff-filter=M", f"{commit.id}..HEAD", "--", change.path,
    )  # fmt: skip
    blobs = [line.split()[3].decode() for line in listed.splitlines() if line.startswith(b":")]
    found = [old]
    for blob in blobs[:MOST_LATER]:
        without = merge(git(directory, "cat-file", "blob", blob), new, old)
        if without is None:
            break
        if without != found[-1]:
            found.append(without)
    return found


def merge(current: bytes, base: bytes, other: bytes) -> bytes | None:
    """Return `current` with the change from `base` to `other`; None for conflicts."""
    with tempfile.TemporaryDirectory(prefix="travel-") as directory:
        names = [Path(directory, name) for name in ("current", "base", "other")]
        for name, data in zip(names, (current, base, other), strict=True):
            name.write_bytes(data)
        done = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def _build(area: Path, cases: Sequence[Late]) -> None:
    """One bare repository with two branches for each case: the later states, and the change."""
    git(area, "init", "--quiet", "--bare")
    stream = b"".join(
        piece for number, late in enumerate(cases) for piece in _branches(number, late)
    )
    git(area, "fast-import", "--quiet", feed=stream)


def _branches(number: int, late: Late) -> Iterator[bytes]:
    path, base = late.change.path.encode(), 10_000_000 + number
    for at, data in enumerate(late.versions):
        mark = b"mark :%d\n" % base if at == 0 else b""
        yield b"commit refs/heads/later-%d\n%s%s" % (number, mark, _commit_of(path, data))
    new = to_bytes(late.change.new)
    parent = b"from :%d\n" % base
    yield b"commit refs/heads/change-%d\n%s" % (number, _commit_of(path, new, parent))


def _commit_of(path: bytes, data: bytes, parent: bytes = b"") -> bytes:
    """Return the rest of a commit for `git fast-import`: it has `data` at `path`."""
    who = b"committer a <a@b> 1700000000 +0000\ndata 1\nx\n"
    return who + parent + b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(data), data)


def _try(area: Path, drawn: tuple[int, Late]) -> tuple[str, str]:
    """Return the result of the patch, compared with the result of `git cherry-pick`."""
    number, late = drawn
    wanted = _picked(area, number, late)
    patch = parse_patch(late.text.encode())
    options = Options(Target.CACHED, base=f"later-{number}")
    repository = Repository(area)
    plan, outcome = plan_patch(patch, repository, options), "fits the later state"
    if plan.failures:
        plan = plan_patch(patch, repository, replace(options, three_way=ThreeWay.MERGE))
        outcome = "fits an older version, merged"
    if plan.failures:
        return f"refused ({Reason(plan.failures[0].reason).value})", "cherry-pick: " + (
            "conflict" if wanted is None else "clean"
        )
    if wanted is None:
        return outcome, "cherry-pick: conflict"
    same = plan.completed.contents() == {late.change.path: wanted}
    if not same:
        print(f"different: {late.source} {late.change.path}")
    return outcome, "the same as cherry-pick" if same else "DIFFERENT from cherry-pick"


def _picked(area: Path, number: int, late: Late) -> bytes | None:
    """Return the file as `git cherry-pick` would write it; None for conflicts.

    The parent of the commit is where both branches begin, so that this merge is the same.
    """
    try:
        tree = git(area, "merge-tree", "--write-tree", f"later-{number}", f"change-{number}")
    except subprocess.CalledProcessError:
        return None
    return git(area, "cat-file", "blob", f"{tree.decode().strip()}:{late.change.path}")


if __name__ == "__main__":
    main()
