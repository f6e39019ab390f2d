"""Run cases with the `git_opatch` that is first on the path, and print what became of each.

    PYTHONPATH=TREE python benchmarks/outcomes.py CASES

One side of `compare.py`. CASES has a JSON object a line. With `patch`, it is planned in memory for
`files`; with `steps`, these commands are run in a repository that has `files` committed, each in a
fork of this process. Bytes are strings of Latin-1.

Only what stays from one revision to the next is used: public names of the package, its `main`, and
the JSON of the commands. A line of the output has the case's `id`, and for each step

`ok`      whether it succeeded
`bytes`   what is there afterwards: of a plan the changed files, of a step a digest of index, files,
          trees of the history, and what `convert` printed
`reason`  the reasons of a refusal, with path and hunk
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pkgutil
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import git_opatch
from trees import MEMORY, read_tree, seal

_SECONDS = 120  # that a command may take
_USAGE, _CRASHED = 129, 70


class _Ran(NamedTuple):
    status: int
    out: bytes


def main() -> None:
    """Run the cases of the file that is named."""
    for module in pkgutil.walk_packages(git_opatch.__path__, "git_opatch."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # of a library that is not installed
                importlib.import_module(module.name)
    with tempfile.TemporaryDirectory(prefix="outcomes-", dir=MEMORY) as top:
        os.environ.clear()
        os.environ.update(seal(top))
        subprocess.run(["git", "init", "-q", "--template=", f"{top}/empty"], check=True)
        with open(sys.argv[1], encoding="utf-8") as cases:
            for line in cases:
                case = json.loads(line)
                found = _planned(case) if "patch" in case else _stepped(case, Path(top))
                print(json.dumps({"id": case["id"], "steps": list(found)}), flush=True)


def _planned(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Plan a patch in memory."""
    files = {path: content.encode("latin-1") for path, content in case["files"].items()}
    try:
        plan = git_opatch.plan_in_memory(case["patch"].encode("latin-1"), files)
    except git_opatch.ParseError as error:
        lines = sorted(each.line for each in error.diagnostics)
        yield _step(False, [], [f"malformed: line {line}" for line in lines])
    except Exception as error:  # of any kind: it is what this revision makes of the case
        yield _step(False, [], [f"crashed: {type(error).__name__}"])
    else:
        changes = [] if plan.failures else sorted(map(_change, plan.completed.changes))
        yield _step(not plan.failures, changes, map(_reason, plan.failures))


def _change(change: git_opatch.Change) -> list[str]:
    return [change.path, *((change.new.mode.value, change.new.id) if change.new else ())]


def _reason(failure: git_opatch.Failure) -> str:
    return f"{git_opatch.Reason(failure.reason).value}: {failure.path}, hunk {failure.hunk}"


def _step(ok: bool, content: object, reasons: Iterable[str]) -> dict[str, Any]:
    return {"ok": ok, "bytes": content, "reason": sorted(reasons)}


def _stepped(case: dict[str, Any], top: Path) -> Iterator[dict[str, Any]]:
    """Run the steps of a case in a new repository."""
    place = top / "repository"
    shutil.copytree(top / "empty", place)
    for path, (mode, content) in case["files"].items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content.encode("latin-1"))
        (place / path).chmod(int(mode[-3:], 8))
    _git(place, "add", "-A")
    _git(place, "commit", "-q", "--allow-empty", "-m", "before")
    for words, feed in case["steps"]:
        ran = _run(place, words, feed.encode("latin-1"))
        printed = ran.out.decode("latin-1") if words[0] == "convert" else ""
        yield _step(ran.status == 0, [_state(place), printed], _reasons(ran))
    shutil.rmtree(place)


def _git(place: Path, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=place, capture_output=True).stdout


def _run(place: Path, words: Sequence[str], feed: bytes) -> _Ran:
    """Run the program in a fork of this process, which has imported it."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out:
        source.write(feed)
        source.seek(0)
        sys.stdout.flush()
        child = os.fork()
        if not child:
            _be_program(place, words, source.fileno(), out.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        return _Ran(status, out.read())


def _be_program(place: Path, words: Sequence[str], source: int, out: int) -> NoReturn:
    status: object = _CRASHED
    try:
        os.chdir(place)
        null = os.open(os.devnull, os.O_WRONLY)
        for number, descriptor in enumerate((source, out, null)):
            os.dup2(descriptor, number)
        signal.alarm(_SECONDS)
        sys.argv = ["git-opatch", *words]
        importlib.import_module("git_opatch.__main__").main()
        status = 0
    except SystemExit as end:
        status = end.code or 0
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        os._exit(status if isinstance(status, int) else 1)


def _reasons(ran: _Ran) -> list[str]:
    """The reasons in a command's JSON; its status if it has none."""
    if ran.status == _USAGE:
        return ["usage"]
    if ran.status == 0:
        return []
    try:
        failures = json.loads(ran.out)["failures"]
    except (ValueError, LookupError, TypeError):
        return [f"status {ran.status}"]
    return [
        f"{each['reason']}: {each['path']}, hunk {each['hunk']}, line {each['patch_line']}"
        for each in failures
    ]


def _state(place: Path) -> str:
    """A digest of the index, the files, and the trees of all commits."""
    found = hashlib.sha256(_git(place, "ls-files", "-s", "-z"))
    found.update(_git(place, "log", "--format=%T"))
    for path, content in read_tree(place).items():
        found.update(os.fsencode(path) + b"\0%d\0" % len(content) + content)
        found.update(b"%o" % (place / path).stat().st_mode)
    return found.hexdigest()


if __name__ == "__main__":
    main()
