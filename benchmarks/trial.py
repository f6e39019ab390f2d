"""One tool, one case: a new repository, the run, and the verdict.

git opatch can also plan in this process, from values alone: its verdicts are those of the program
where the plan decides; an error of git or of the file system cannot occur there, and an exception
is not an outcome: it ends the run. No tool sees the caller's git configuration.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from git_opatch import ParseError, Reason, plan_in_memory
from model import Case
from peers import LEVEL, Tool
from processes import in_processes
from trees import MEMORY, Tree, git, read_tree, seal, write_tree

TIMEOUT = 60  # seconds that a tool may take


class Outcome(Enum):
    """The outcome of a case."""

    EXACT = "exact"
    LAYOUT = "layout"
    """The tool reported success; as many blank lines as there should be are elsewhere."""
    REFUSED = "refused"
    WRONG = "wrong"
    """The tool reported success, and the files are not what they should be."""
    HALF = "half"
    """The tool reported failure, and changed files nevertheless."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's outcome in a case, with its output and the files that it left."""

    case: Case
    tool: str
    outcome: Outcome
    message: str
    patch: str
    got: Tree


class Ran(NamedTuple):
    """What a tool reported, and the files that it left."""

    success: bool
    message: str
    files: Tree
    agrees: bool = True
    """Whether the index has these files, too, where the tool stages them."""


Drawn = tuple[Case, Callable[[Tool], str]]
"""A case, and what writes its patch for a tool: nothing for one that could not read it."""


def try_all(
    draw: Callable[[int], Drawn | None],
    count: int,
    tools: Sequence[Tool],
    jobs: int,
    *,
    in_process: bool = True,
) -> list[Result]:
    """Try that many cases with each tool, in so many processes."""
    attempt = partial(_try, draw, tools, in_process)
    return list(chain.from_iterable(in_processes(attempt, range(count), jobs)))


def _try(
    draw: Callable[[int], Drawn | None], tools: Sequence[Tool], in_process: bool, number: int
) -> list[Result]:
    drawn = draw(number)
    if drawn is None:
        return []
    case, write = drawn
    texts = ((tool, write(tool)) for tool in tools)
    return [try_case(case, tool, text, in_process=in_process) for tool, text in texts if text]


def try_case(case: Case, tool: Tool, text: str, *, in_process: bool = False) -> Result:
    """Let `tool` apply this patch to the files of `case`, and judge the result."""
    in_process = in_process and tool.stages
    ran = (plan if in_process else run_tool)(tool, case.base, text.encode())
    return Result(case, tool.name, judge(case, ran), ran.message, text, ran.files)


def plan(_: Tool, base: Tree, patch: bytes) -> Ran:
    """Plan a patch in this process."""
    try:
        found = plan_in_memory(patch, dict(base))
    except ParseError as error:
        return Ran(False, f"error: malformed: {error}", base)
    if found.failures:
        lines = (f"error: {Reason(each.reason).value}: {each.message}" for each in found.failures)
        return Ran(False, "\n".join(lines), base)
    kept = dict(base)
    for change in found.completed.changes:
        kept.pop(change.path, None)
    return Ran(True, "", {**kept, **found.completed.contents()})


def run_tool(tool: Tool, base: Tree, patch: bytes, level: str = LEVEL) -> Ran:
    """Run a tool in a new repository that has the files in its index."""
    with tempfile.TemporaryDirectory(prefix="trial-", dir=MEMORY) as name:
        top, place, file = Path(name), Path(name, "repository"), Path(name, "patch")
        write_tree(place, base)
        file.write_bytes(patch)
        git(top, "init", "--quiet", "--template=", str(place))
        git(place, "add", "--force", "--all")
        command, env = tool.command(file, level), seal(top)
        try:
            done = subprocess.run(
                command, cwd=place, env=env, timeout=TIMEOUT,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Ran(False, f"error: no answer in {TIMEOUT} seconds", read_tree(place))
        states = git(place, "status", "--porcelain", "-uall").splitlines() if tool.stages else ()
        agrees = all(state[1:2] == b" " for state in states)
        message = done.stdout.decode(errors="replace")
        return Ran(done.returncode == 0, message, read_tree(place), agrees)


def judge(case: Case, ran: Ran) -> Outcome:
    """Judge a report of success or failure by the files that were left."""
    got, wanted = ran.files, case.expected
    if not (ran.success and ran.agrees):
        return Outcome.REFUSED if got == case.base and ran.agrees else Outcome.HALF
    if got == wanted:
        return Outcome.EXACT
    is_layout = wanted is not None and _shapes(got) == _shapes(wanted)
    return Outcome.LAYOUT if is_layout else Outcome.WRONG


def _shapes(tree: Tree) -> list[tuple[str, int, list[bytes]]]:
    """Files but for the places of their blank lines."""
    files = ((path, tree[path].split(b"\n")) for path in sorted(tree))
    return [(path, len(lines), list(filter(bytes.strip, lines))) for path, lines in files]
