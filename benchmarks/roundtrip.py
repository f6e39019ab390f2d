"""Write real commits as patches of every format, and apply them to their parents.

    python benchmarks/roundtrip.py REPOSITORY... [--commits N] [--formats NAME,...] [--jobs N]
                                                 [--results FILE] [--again]

Each commit that is not a merge is written as `git opatch create` does; N commits of each
repository, evenly spread over its history, or all. The completed diff, as planned for the proof in
memory, is applied by `git apply` to an index of the parent. `equal` is the commit's own tree, by
its id; anything else is `unequal`, also an error of ours. A diff that several formats are completed
to is applied once. Sizes are of what could be expressed, beside `git diff -U3` of the same commits.
With `--again` what is written is also planned against the parent's tree in the repository, as `git
opatch batch` does, and must give the same tree.

With `--results` each commit is a line of FILE, those that it has are not tried again, and the
tables are of all that it has. The commits of all repositories take turns.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from git_opatch import Options, plan_patch
from git_opatch.create import CreatedPatch, NotExpressibleError, Wanted, write_patch
from git_opatch.git.changes import ChangedFile
from git_opatch.git.object_repository import ObjectCache, ObjectRepository
from git_opatch.git.output import parse_change
from git_opatch.model.blob import Blob, Entry, Mode
from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Format
from git_opatch.parse import parse_patch

_QUOTED = re.compile(r"`[^`]*`|\d+(?:, \d+)*")
_HUNK = re.compile(r"^hunk \d+ of \d+ ")
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_MAX_CHARACTERS = 70
_TOGETHER = 25  # commits of one repository, one after the other
_MOST_CACHED = 64 << 20  # bytes
_MISSING = "missing"
"""A commit of which the repository does not have an object."""
_DIFF_TREE = (
    *("-c", "core.quotePath=false", "diff-tree", "--stdin", "--root", "-r", "-M50%"),
    *("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short"),
)


class Task(NamedTuple):
    """Commits of a repository, to write in `formats`, and whether each is planned `again`."""

    repository: str
    commits: tuple[str, ...]
    formats: tuple[Format, ...]
    again: bool


class Result(NamedTuple):
    """What became of a commit in one format: equal, unequal, or the kinds of `reasons`."""

    repository: str
    commit: str
    patch_format: str
    outcome: str
    reasons: Sequence[str] = ()
    size: int = 0
    diff_size: int = 0


def main() -> None:
    """Measure what the command line asks for; exit 1 if a tree differs."""
    arguments = _arguments()
    formats = tuple(Format(name) for name in arguments.formats.split(","))
    results = _read(arguments.results) if arguments.results else []
    done = {(each.repository, each.commit) for each in results}
    tasks = list(_tasks(arguments, formats, done))
    with get_context("spawn").Pool(arguments.jobs) as pool:
        for part in pool.imap_unordered(_judge, tasks):
            results += part
            if arguments.results:
                _write(arguments.results, part)
    _print(results, formats)
    sys.exit(any(each.outcome == "unequal" for each in results))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--commits", type=int, default=0, help="of each repository; 0 for all")
    parser.add_argument("--formats", default=",".join(each.value for each in Format))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="plan against the repository, too")
    parser.add_argument("--results", type=Path, help="a file of JSON Lines to go on with")
    return parser.parse_args()


def _read(path: Path) -> list[Result]:
    if not path.exists():
        return []
    lines = path.read_text().splitlines()
    return [Result(*fields) for line in lines for fields in json.loads(line)]


def _write(path: Path, results: Iterable[Result]) -> None:
    with path.open("a") as file:
        for _, part in itertools.groupby(results, lambda each: each.commit):
            file.write(json.dumps(list(part)) + "\n")


def _tasks(
    arguments: argparse.Namespace, formats: tuple[Format, ...], done: set[tuple[str, str]]
) -> Iterator[Task]:
    """Yield the commits that are not `done`, some of each repository in turn."""
    parts = []
    for repository in arguments.repositories:
        ids = [each for each in _commits(repository, arguments.commits)
               if (repository, each) not in done]  # fmt: skip
        cuts = range(0, len(ids), _TOGETHER)
        parts.append(
            [
                Task(repository, tuple(ids[at : at + _TOGETHER]), formats, arguments.again)
                for at in cuts
            ]
        )
    for row in itertools.zip_longest(*parts):
        yield from (task for task in row if task)


def _commits(repository: str, most: int) -> list[str]:
    """List the commits that are not merges, evenly spread if there are more than `most`."""
    ids = _git(repository, "rev-list", "--no-merges", "HEAD").decode().split()
    if not most or len(ids) <= most:
        return ids
    return [ids[at * len(ids) // most] for at in range(most)]


def _git(
    repository: str | Path, *words: str, feed: bytes = b"", env: Mapping[str, str] | None = None
) -> bytes:
    command = ["git", "-C", str(repository), *words]
    env = {**os.environ, **env} if env else None
    return subprocess.run(command, input=feed, check=True, capture_output=True, env=env).stdout


@cache
def _open(repository: str) -> ObjectRepository:
    return ObjectRepository(repository, ObjectCache(_MOST_CACHED))


def _judge(task: Task) -> list[Result]:
    """Judge the commits together; one by one if git lacks an object of any."""
    try:
        return _judged(task)
    except subprocess.CalledProcessError:
        if len(task.commits) > 1:
            alone = (task._replace(commits=(commit,)) for commit in task.commits)
            return [result for each in alone for result in _judge(each)]
        return [
            Result(task.repository, task.commits[0], each.value, _MISSING) for each in task.formats
        ]


def _judged(task: Task) -> list[Result]:
    repository = _open(task.repository)
    feed = "".join(f"{commit}\n" for commit in task.commits).encode()
    pairs = _pairs(_git(task.repository, *_DIFF_TREE, "--raw", "-z", "--no-abbrev", feed=feed))
    sizes = _sizes_of(_git(task.repository, *_DIFF_TREE, "-p", "-U3", feed=feed))
    walk = ("rev-list", "--parents", "--no-walk=unsorted", "--stdin")
    parents = dict(map(_with_parent, _git(task.repository, *walk, feed=feed).splitlines()))
    results = []
    for commit in task.commits:
        try:
            before = parents[commit] or _empty_tree(task.repository)
            files = list(_files(repository, pairs.get(commit, ())))
            found = _round_trips(repository, (before, commit), files, task)
        except Exception as error:  # the others go on
            is_missing = isinstance(error, OpatchError) and "is missing" in str(error)
            outcome = _MISSING if is_missing else "unequal"
            reasons = () if is_missing else (f"{type(error).__name__}: {error}",)
            found = [Result("", "", each.value, outcome, reasons) for each in task.formats]
        for each in found:
            size = sizes.get(commit, 0)
            results.append(each._replace(repository=task.repository, commit=commit, diff_size=size))
    return results


def _with_parent(line: bytes) -> tuple[str, str]:
    commit, _, parent = line.decode().partition(" ")
    return commit, parent


@cache
def _empty_tree(repository: str) -> str:
    return _git(repository, "hash-object", "-t", "tree", "--stdin").decode().strip()


_Side = tuple[str, Entry | None]


def _pairs(output: bytes) -> dict[str, list[tuple[_Side, _Side]]]:
    """Read what `git diff-tree --stdin --raw -z` says of each commit."""
    found: dict[str, list[tuple[_Side, _Side]]] = {}
    fields = iter(output.split(b"\0")[:-1])
    for raw in fields:
        if _COMMIT.match(raw):
            pairs = found.setdefault(raw.decode(), [])
            continue
        change = parse_change(raw, next(fields))
        is_renamed = raw.rpartition(b" ")[2][:1] in b"RC"
        new_path = os.fsdecode(next(fields)) if is_renamed else change.path
        pairs.append(((change.path, change.old), (new_path, change.new)))
    return found


def _sizes_of(output: bytes) -> dict[str, int]:
    """Return how many bytes `git diff-tree --stdin -p` prints of each commit."""
    sizes: dict[str, int] = {}
    for line in output.split(b"\n"):
        if _COMMIT.match(line):
            commit = line.decode()
            sizes[commit] = 0
        elif sizes:
            sizes[commit] += len(line) + 1
    return sizes


def _files(
    repository: ObjectRepository, pairs: Iterable[tuple[_Side, _Side]]
) -> Iterator[ChangedFile]:
    """Read both versions of each changed file."""
    for pair in pairs:
        blobs: list[Blob | None] = []
        for path, entry in pair:
            has_bytes = entry is not None and entry.mode is not Mode.GITLINK
            data = repository.read_blobs([entry.id])[entry.id] if entry and has_bytes else b""
            blobs.append(Blob(path, entry, data) if entry else None)
        yield ChangedFile(*blobs)


def _round_trips(
    repository: ObjectRepository,
    commits: tuple[str, str],
    files: Sequence[ChangedFile],
    task: Task,
) -> list[Result]:
    """Write what changed between two commits in each format, and apply what was written."""
    before, tree = commits[0], repository.tree_id(commits[1])
    applied: dict[bytes, str] = {}
    results = []
    for patch_format in task.formats:
        result = Result("", "", patch_format.value, "equal")
        created = _created(files, Wanted(patch_format, None, repository.algorithm))
        if isinstance(created, NotExpressibleError):
            kinds = dict.fromkeys(_kind(reason) for _, reason in created.reasons)
            results.append(result._replace(outcome="not expressible", reasons=tuple(kinds)))
            continue
        diff = created.plan.completed.diff if created.plan else b""
        if diff not in applied:
            applied[diff] = _applied(repository, diff, before, tree)
        is_equal = applied[diff] == tree
        if task.again:
            is_equal &= _planned(repository, created.text, before) == tree
        outcome = "equal" if is_equal else "unequal"
        results.append(result._replace(outcome=outcome, size=len(created.text)))
    return results


def _created(files: Sequence[ChangedFile], wanted: Wanted) -> CreatedPatch | NotExpressibleError:
    try:
        return write_patch(files, wanted)
    except NotExpressibleError as error:
        return error


def _planned(repository: ObjectRepository, text: bytes, before: str) -> str:
    """Plan `text` against the tree of `before`; return the id of the new tree, or why not."""
    if not text:
        return repository.tree_id(before)
    plan = plan_patch(parse_patch(text), repository, Options(base=before))
    if plan.failures:
        return str(plan.failures[0])
    return repository.changed_tree(before, plan.completed.changes)


def _applied(repository: ObjectRepository, diff: bytes, before: str, tree: str) -> str:
    """Return the id of the tree that `git apply` makes of the tree of `before`; or why not.

    It is `tree` if all its entries are: some old trees have modes as git does not write them.
    """
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "diff")
        file.write_bytes(diff)
        (Path(directory) / "objects").mkdir()
        scratch = repository.scratch_objects(Path(directory))
        env = {**scratch, "GIT_INDEX_FILE": f"{directory}/index"}

        def run(*words: str) -> bytes:
            return _git(repository.git_dir, *words, env=env)

        try:
            run("read-tree", before)
            if diff:
                run("apply", "--cached", "--whitespace=nowarn", str(file))
            written = run("write-tree", "--missing-ok").decode().strip()
            if written != tree and not run("diff-index", "--cached", "--raw", "-r", tree):
                return tree
            return written
        except subprocess.CalledProcessError as error:
            return os.fsdecode(error.stderr)


def _kind(reason: str) -> str:
    """Return what a reason says without its names and numbers."""
    limit, _, rest = reason.partition("; no patch of the format ")
    if not rest:
        limit = _HUNK.sub("", reason.partition("gives its new version: ")[2] or reason)
    return _QUOTED.sub("…", limit)[:_MAX_CHARACTERS]


def _print(results: Sequence[Result], formats: Sequence[Format]) -> None:
    missing = {each.commit for each in results if each.outcome == _MISSING}
    read = [each for each in results if each.outcome != _MISSING]
    commits = {(each.repository, each.commit) for each in read}
    print(f"{len(commits):,} commits of {len({name for name, _ in commits})} repositories", end="")
    print(f"; {len(missing)} left out, whose objects are not here" if missing else "")
    for line in [*_outcomes(read, formats), "", *_reasons(read)]:
        print(line)
    for each in read:
        if each.outcome == "unequal":
            print(f"unequal: {each.repository} {each.commit} {each.patch_format}")


def _outcomes(results: Sequence[Result], formats: Iterable[Format]) -> Iterator[str]:
    yield "| format | equal | not expressible | unequal | size beside `git diff -U3` |"
    yield "| --- | --- | --- | --- | --- |"
    for patch_format in formats:
        own = [each for each in results if each.patch_format == patch_format.value]
        counts = Counter(each.outcome for each in own)
        equal = [each for each in own if each.outcome == "equal"]
        other = sum(each.diff_size for each in equal)
        beside = f"{100 * sum(each.size for each in equal) / other:.1f} %" if other else ""
        cells = [counts[name] for name in ("equal", "not expressible", "unequal")]
        yield f"| {patch_format.value} | {' | '.join(f'{each:,}' for each in cells)} | {beside} |"


def _reasons(results: Iterable[Result]) -> Iterator[str]:
    counts = Counter((each.patch_format, reason) for each in results for reason in each.reasons)
    yield "| format | not expressible, as a file | commits |"
    yield "| --- | --- | --- |"
    order = [each.value for each in Format]
    for (patch_format, reason), count in sorted(
        counts.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1])
    ):
        yield f"| {patch_format} | {reason} | {count:,} |"


if __name__ == "__main__":
    main()
