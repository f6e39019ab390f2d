"""Apply created patches to the next versions of their file, beside `git cherry-pick`.

    python benchmarks/later_versions.py --repo CLONE ... [--cases N] [--formats NAME,...]

The cases are those of `travel.py`: a commit's change of one file, and up to ten next versions of
that file, without the change. The change is written in each format as `git opatch create` does, and
planned against each version in memory, without `--3way`. It should be what git's merge makes of the
version and the commit, as in `git cherry-pick`.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from git_opatch import create, plan_in_memory
from git_opatch.git.changes import ChangedFile
from git_opatch.model.options import Format
from git_opatch.parse import parse_patch
from model import to_bytes
from travel import Late, blob_of, commit_of, draw, git

_OUTCOMES = ("as cherry-pick", "refused, cherry-pick is clean", "DIFFERENT",
             "refused, cherry-pick has a conflict", "lands, cherry-pick has a conflict",
             )  # fmt: skip


def main() -> None:
    """Draw the cases, try each version in each format, and print the table."""
    options = _options()
    formats = [Format(name) for name in options.formats.split(",")]
    cases = list(itertools.islice(draw(options.repo, options.seed), options.cases))
    with tempfile.TemporaryDirectory(prefix="later-") as directory:
        picked = _picked(Path(directory) / ".git", cases)
    print(f"{len(cases)} changes, {len(picked)} versions")
    print(f"| format | changes | versions | {' | '.join(_OUTCOMES)} |")
    print("| --- " * (len(_OUTCOMES) + 3) + "|")
    for patch_format in formats:
        texts = [_text(late, patch_format) for late in cases]
        counts = Counter(
            _try(cases[number], text, at, wanted)
            for (number, at), wanted in picked.items()
            if (text := texts[number])
        )
        cells = [sum(map(bool, texts)), sum(counts.values()), *(counts[each] for each in _OUTCOMES)]
        print(f"| {patch_format.value} | {' | '.join(f'{each:,}' for each in cells)} |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--repo", type=Path, action="append", required=True, help="a repository to draw from")
    add("--cases", type=int, default=400, metavar="N", help="changes to try (400)")
    add("--formats", default=",".join(each.value for each in Format))
    add("--seed", default="1", help="another seed draws other cases")
    return parser.parse_args()


def _picked(directory: Path, cases: Sequence[Late]) -> dict[tuple[int, int], bytes | None]:
    """Merge the change of each case into each version after its own, as `git cherry-pick` does.

    Returns the file by the numbers of the case and the version; None for conflicts.
    """
    git(directory, "init", "--quiet")
    commits = (part for number, late in enumerate(cases) for part in _commits(number, late))
    git(directory, "fast-import", "--quiet", feed=b"".join(commits))
    keys = [
        (number, at) for number, late in enumerate(cases) for at in range(1, len(late.versions))
    ]
    found: dict[tuple[int, int], bytes | None] = {}
    for number, at in keys:
        found[number, at] = _merged(directory, number, at, cases[number].change.path)
    return found


def _commits(number: int, late: Late) -> Iterator[bytes]:
    """Yield the commits of all versions, each on its own branch, and the change on another."""
    path, base = late.change.path.encode(), 1000 * (number + 1)
    for at, data in enumerate(late.versions):
        parent = b"from :%d\n" % (base + at - 1) if at else b""
        mark = b"mark :%d\n" % (base + at)
        yield b"commit refs/heads/version-%d-%d\n%s" % (number, at, mark)
        yield commit_of(path, data, parent)
    new = to_bytes(late.change.new)
    yield b"commit refs/heads/change-%d\n" % number
    yield commit_of(path, new, b"from :%d\n" % base)


def _merged(directory: Path, number: int, at: int, path: str) -> bytes | None:
    names = (f"version-{number}-{at}", f"change-{number}")
    try:
        tree = git(directory, "merge-tree", "--write-tree", "--no-messages", *names)
    except subprocess.CalledProcessError as error:
        if error.returncode != 1:
            raise
        return None
    return git(directory, "cat-file", "blob", f"{tree.decode().strip()}:{path}")


def _text(late: Late, patch_format: Format) -> bytes:
    """Write the change as a patch; nothing if it cannot be expressed."""
    old, new = (blob_of(late.change.path, lines) for lines in (late.change.old, late.change.new))
    try:
        return create.write_patch([ChangedFile(old, new)], create.Wanted(patch_format)).text
    except create.NotExpressibleError:
        return b""


def _try(late: Late, text: bytes, at: int, wanted: bytes | None) -> str:
    """Say what became of the patch `text` in a version, where git makes `wanted` of it."""
    path = late.change.path
    plan = plan_in_memory(parse_patch(text), {path: late.versions[at]})
    if plan.failures:
        return _OUTCOMES[1] if wanted is not None else _OUTCOMES[3]
    if wanted is None:
        return _OUTCOMES[4]
    content = plan.completed.contents().get(path, late.versions[at])
    if content == wanted:
        return _OUTCOMES[0]
    print(f"different: {text[:40]!r} {late.case.commit.repository} {late.case.commit.id} {path}")
    return _OUTCOMES[2]


if __name__ == "__main__":
    main()
