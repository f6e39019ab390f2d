"""One tool, one case: a new repository, the run, and the verdict.

git opatch can also plan in this process, from values alone: its verdicts are those of the program
where the plan decides; an error of git or of the file system cannot occur there.

The repository lies in `area/repo`, so that files beside it can be watched as well, and the
patch outside of both. No tool sees the caller's git configuration.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from git_opatch import ParseError, plan_in_memory
from model import ROOT, Case, Tree
from peers import Tool
from styles import render

TIMEOUT = 20  # seconds that a tool may take


class Outcome(Enum):
    """The outcome of a case."""

    EXACT = "exact"
    WRONG = "wrong"
    """The tool reported success, and the files are not what they should be."""
    REFUSED = "refused"
    HALF = "half"
    """The tool reported failure, and changed files nevertheless."""
    LAYOUT = "layout"
    """The tool reported success; as many blank lines as there should be are elsewhere."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's outcome in a case, with its output and the files that it left."""

    case: Case
    tool: str
    outcome: Outcome
    message: str
    patch: str
    got: Tree


@dataclass(frozen=True, slots=True)
class Place:
    """The directories of one trial."""

    top: Path

    @property
    def area(self) -> Path:
        """The directory that is watched."""
        return self.top / "area"

    @property
    def repository(self) -> Path:
        """The working tree."""
        return self.area / "repo"

    @property
    def patch(self) -> Path:
        """The file with the patch."""
        return self.top / "change.patch"

    def file(self, path: str) -> Path:
        """Return where a path of a case is."""
        return self.repository / path.replace(ROOT, str(self.area))


def try_case(case: Case, tool: Tool, *, in_process: bool = False) -> Result:
    """Let `tool` apply the patch of `case`, and judge the result."""
    attempt = plan_patch if in_process and tool.stages else try_patch
    return attempt(case, tool, render(case, tool.reads(case.style)))


def plan_patch(case: Case, tool: Tool, text: str) -> Result:
    """The outcome of planning this patch against the base of `case`, in this process."""
    patch = text.replace(ROOT, "/nowhere")
    got = dict(case.draft.base)
    try:
        plan = plan_in_memory(patch.encode(), got)
    except ParseError as error:
        message = f"error: {error}"
    else:
        got |= {} if plan.failures else plan.completed.contents()
        message = "\n".join(f"error: {each.path}: {each.message}" for each in plan.failures)
    return Result(case, tool.name, judge(case, got, success=not message), message, patch, got)


def try_patch(case: Case, tool: Tool, text: str) -> Result:
    """Let `tool` apply this patch to the files of `case`, and judge the result."""
    with _place(case, in_git=tool.in_git) as place:
        patch = text.replace(ROOT, str(place.area))
        place.patch.write_bytes(patch.encode())
        success, message = _run(tool, place)
        got = _read(place, case)
        agrees = not tool.stages or _index(place) == _ids(got)
    outcome = judge(case, got, success=success and agrees)
    if outcome is Outcome.REFUSED and not agrees:
        outcome = Outcome.HALF
    return Result(case, tool.name, outcome, message, patch, got)


def judge(case: Case, got: Tree, *, success: bool) -> Outcome:
    """Judge a report of success or failure by the files that were left."""
    if success and got == case.draft.expected:
        return Outcome.EXACT
    if success:
        return Outcome.LAYOUT if _differs_in_layout(got, case.draft.expected) else Outcome.WRONG
    return Outcome.REFUSED if got == case.draft.base else Outcome.HALF


def _differs_in_layout(got: Tree, wanted: Tree | None) -> bool:
    """Return whether nothing but the places of blank lines differs."""
    return (
        wanted is not None
        and got.keys() == wanted.keys()
        and all(
            got[path].count(b"\n") == wanted[path].count(b"\n")
            and _shown(got[path]) == _shown(wanted[path])
            for path in got
        )
    )


def _shown(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line.strip()]


def _run(tool: Tool, place: Place) -> tuple[bool, str]:
    command = tool.command(str(place.patch))
    try:
        done = subprocess.run(
            command,
            cwd=place.repository,
            env=_environment(place.top),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"error: no answer in {TIMEOUT} seconds"
    output = done.stderr + done.stdout
    return done.returncode == 0, output.decode(errors="replace")


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    sealed = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    return kept | sealed | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


@contextmanager
def _place(case: Case, *, in_git: bool) -> Iterator[Place]:
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="accuracy-", dir=memory) as top:
        place = Place(Path(top))
        place.repository.mkdir(parents=True)
        if in_git:
            _git(place, "init", "--quiet", "--template=")
        for path, data in case.draft.base.items():
            place.file(os.path.normpath(path)).parent.mkdir(parents=True, exist_ok=True)
            place.file(os.path.normpath(path)).write_bytes(data)
        if in_git:
            _git(place, "add", "--all")
        yield place


def _git(place: Place, *arguments: str) -> bytes:
    command = ("git", "-c", "core.autocrlf=false", *arguments)
    environment = _environment(place.top)
    return subprocess.run(
        command, cwd=place.repository, env=environment, check=True, stdout=subprocess.PIPE
    ).stdout


def _read(place: Place, case: Case) -> dict[str, bytes]:
    """Every file in the area, by the name that the case has for it."""
    names = {os.path.normpath(place.file(path)): path for path in case.draft.base}
    private = os.path.join(place.repository, ".git", "")
    found: dict[str, bytes] = {}
    for directory, _, files in os.walk(place.area):
        for file in files:
            path = os.path.join(directory, file)
            if path in names or not path.startswith(private):
                name = names.get(path, os.path.relpath(path, place.repository))
                found[name] = Path(path).read_bytes()
    return found


def _index(place: Place) -> dict[str, str]:
    """The blob id of every path in the index."""
    entries = _git(place, "ls-files", "--stage", "-z").decode().split("\0")[:-1]
    split = (entry.split("\t", 1) for entry in entries)
    return {path: entry.split()[1] for entry, path in split}


def _ids(tree: Tree) -> dict[str, str]:
    """The blob id of every file of `tree` in the working tree, as git computes it."""
    return {
        path: hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        for path, data in tree.items()
        if not path.startswith((".git/", ROOT)) and ".." not in path
    }
