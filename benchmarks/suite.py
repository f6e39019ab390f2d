"""Export the cases of the tests for any engine, and judge a command by them.

    python benchmarks/suite.py export SUITE
    python benchmarks/suite.py judge SUITE --formats unified --command 'git apply {patch}' [--list]
    python benchmarks/suite.py judge SUITE --tools patch,codex --codex PROGRAM

SUITE has a JSON object a line. The first has `suite`, `version` and how many `cases` follow; the
version changes where a member changes its meaning. Each other line is a case:

`id`       the file below `tests`, and the name of the case in it
`format`   `envelope`, `unified`, `search-replace`, `file-changes`, `operations`, `string-replace`;
           `mixed` for several or none
`source`   where it was seen or is specified; may be empty
`before`   the files, by path
`patch`    the text as given, with what is around it
`after`    the files that must be there then; null if the patch must be refused
`refused`  the reasons of the refusal, as in `docs/json.md`, or null
`policy`   whether it is our own choice: what we refuse though its place is known or others define
           it otherwise, where added lines alone go, and what is written where lines match loosely.
           It does not count.

A text is a string; where it is not UTF-8, or has another mode than 100644, an object with `mode`
and `base64`. A case is run in a new repository that has the files committed. In the command,
the word `{patch}` is the name of a file with the text, and `{text}` the text. The verdicts are

applied    success, and exactly the files `after`
refused    failure and no change, and it must be refused
missed     failure and no change, and it must be applied
wrong      success, and other files; or success where it must be refused
half done  failure, and files were changed

A patch that must be refused with `unsafe_path` may make a command write anywhere on this machine:
such cases are run with `--unsafe` alone.
"""

from __future__ import annotations

import argparse
import base64
import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import model
import peers
from arguments import names_of, parser_of
from git_opatch import Format, ParseError, Reason, parse_patch, plan_in_memory
from processes import in_processes
from table import counted
from trees import MEMORY, git, read_tree, seal

_TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(_TESTS / "support"))

from scenario import Scenario, read_cases, read_scenario  # noqa: E402 - not known above

NAME, VERSION = "git opatch", 1
_PLAIN = "git opatch apply"
_MATTERS = {
    *(Reason.NOT_FOUND, Reason.AMBIGUOUS, Reason.UNSAFE_PATH, Reason.MISSING_FILE),
    Reason.NOT_A_FILE,
}
"""Why a patch must be refused by anyone; any other reason is a policy."""
OWN = shlex.join(peers.OWN.start) + " {patch}"
"""The command of git opatch."""
_SECONDS = 60
_FORMATS = [*(each.value for each in Format), "mixed"]
_READ_AS: dict[model.Format | None, list[str]] = {
    model.Format.UNIFIED: ["unified"],
    model.Format.ENVELOPE: ["envelope"],
}
_REGULAR = "100644"

Case = dict[str, Any]
Files = Mapping[str, tuple[str, bytes]]
"""The mode and the bytes of files, by path."""


class Verdict(Enum):
    """What a command made of a case."""

    APPLIED = "applied"
    REFUSED = "refused"
    MISSED = "missed"
    WRONG = "wrong"
    HALF = "half done"


def main() -> None:
    """Export the suite, or judge a command."""
    options = _options()
    (_export if options.action == "export" else _judge)(options)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("action", choices=("export", "judge"))
    add("suite", type=Path, help="the file of the suite")
    add("--command", help="the command to judge, with {patch} or {text}")
    add("--formats", type=names_of(_FORMATS), default=_FORMATS, help=",".join(_FORMATS))
    add("--tools", type=names_of(peers.TOOLS), default=[], help="or known tools, by their formats")
    peers.add_options(parser)
    add("--every", type=int, default=1, metavar="N", help="take one case of N (1)")
    add("--jobs", type=int, default=1, help="processes (1)")
    add("--unsafe", action="store_true", help="also cases that may write anywhere")
    add("--list", action="store_true", help="print what is not as expected")
    return parser.parse_args()


def _export(options: argparse.Namespace) -> None:
    cases = [case_of(*each) for each in list(sources())[:: options.every]]
    head = {"suite": NAME, "version": VERSION, "cases": len(cases)}
    options.suite.write_text("".join(json.dumps(line) + "\n" for line in [head, *cases]))


def sources() -> Iterator[tuple[str, Scenario]]:
    """The scenarios and cases that need no option and no other command, by their ids."""
    for path in sorted(_TESTS.glob("scenarios/*/*.txt")):
        scenario = read_scenario(path.read_bytes())
        if (
            scenario.head.get("command", _PLAIN) == _PLAIN
            and "report contains" not in scenario.texts
        ):
            yield str(path.relative_to(_TESTS)), scenario
    for path in sorted(_TESTS.glob("cases/*/**/*.txt")):
        for name, case in read_cases(path.read_bytes()).items():
            if "options" not in case.head:
                yield f"{path.relative_to(_TESTS)}: {name}", case


def case_of(id_: str, scenario: Scenario) -> Case:
    """A case as it is exported."""
    patch = scenario.texts["given"]
    reasons = [line.partition(",")[0] for line in scenario.lines("refused")]
    return {
        "id": id_,
        "format": _format(patch),
        "source": scenario.head.get("source", ""),
        "before": _files(scenario.before),
        "patch": _text(patch),
        "after": None if reasons else _files(scenario.after),
        "refused": reasons or None,
        "policy": _is_policy(reasons, scenario),
    }


def _format(patch: bytes) -> str:
    """The only format that reads a text by itself."""
    for each in Format:
        try:
            parse_patch(patch, patch_format=each)
        except ParseError:
            continue
        return each.value
    return "mixed"


def _is_policy(reasons: list[str], scenario: Scenario) -> bool:
    if reasons:
        return not all(reason in {each.value for each in _MATTERS} for reason in reasons)
    before = {path: data for path, (_, data) in scenario.before.items()}
    plan = plan_in_memory(scenario.texts["given"], before)
    found = [placement for _, placement in plan.placed]
    return bool(plan.failures) or not all(each.exact and each.hunk.preimage for each in found)


def _files(tree: Files) -> dict[str, Any]:
    return {path: _text(data, mode) for path, (mode, data) in tree.items()}


def _text(data: bytes, mode: str = _REGULAR) -> Any:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    if text is not None and mode == _REGULAR:
        return text
    return {"mode": mode, "base64": base64.b64encode(data).decode()}


def content_of(value: Any) -> tuple[str, bytes]:
    """The mode and the bytes of a text of the suite."""
    if isinstance(value, str):
        return _REGULAR, value.encode()
    return value["mode"], base64.b64decode(value["base64"])


def _judge(options: argparse.Namespace) -> None:
    head, *lines = map(json.loads, options.suite.read_text().splitlines())
    if head["version"] != VERSION:
        raise SystemExit(f"{options.suite} has version {head['version']}, not {VERSION}")
    cases = [case for case in lines[:: options.every] if options.unsafe or not _is_unsafe(case)]
    counts: dict[tuple[str, ...], Counter[Verdict]] = {}
    for name, command, formats in _commands(options):
        own = [case for case in cases if case["format"] in formats]
        verdicts = list(in_processes(partial(run, command), own, options.jobs))
        for case, verdict in zip(own, verdicts, strict=True):
            title = "*policy, not counted*" if case["policy"] else case["format"]
            counts.setdefault((name, title), Counter())[verdict] += 1
            if options.list and verdict not in (Verdict.APPLIED, Verdict.REFUSED):
                print(f"{verdict.value}: {case['id']}: {title}")
    table = counted(("tool", "format"), list(Verdict), dict(sorted(counts.items())))
    print(*table, sep="\n")


def _commands(options: argparse.Namespace) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The name of each tool, its command, and the formats that it reads."""
    if options.command:
        yield options.command, options.command, options.formats
    for tool in peers.find_tools(options.tools, options):
        command = shlex.join(tool.start) + (" {text}" if tool.takes_text else " {patch}")
        reads = _READ_AS.get(tool.patch_format, _FORMATS)
        yield tool.name, command, [each for each in options.formats if each in reads]


def _is_unsafe(case: Case) -> bool:
    return Reason.UNSAFE_PATH.value in (case["refused"] or ())


class Ran(NamedTuple):
    """What a command reported, and the files that are there then."""

    success: bool
    files: Files


def run(command: str, case: Case) -> Verdict:
    """Run a command for a case, and judge it.

    Git opatch is asked in this process first; what memory does not have, modes and ignored files,
    it is run for.
    """
    before = {path: content_of(value) for path, value in case["before"].items()}
    _, text = content_of(case["patch"])
    if command == OWN:
        verdict = judge(case, _planned(text, before))
        if verdict in (Verdict.APPLIED, Verdict.REFUSED):
            return verdict
    with tempfile.TemporaryDirectory(prefix="suite-", dir=MEMORY) as name:
        top, place, file = Path(name), Path(name, "repository"), Path(name, "patch")
        git(top, "init", "--quiet", "--template=", str(place))
        for path, (mode, data) in before.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(data)
            (place / path).chmod(int(mode[-3:], 8))
        file.write_bytes(text)
        git(place, "add", "--force", "--all")
        git(place, "commit", "--quiet", "--allow-empty", "-m", "before")
        values = {"{patch}": str(file), "{text}": text.decode(errors="replace").replace("\0", "")}
        words = [values.get(word, word) for word in shlex.split(command)]
        try:
            done = subprocess.run(
                words, cwd=place, env=seal(top), timeout=_SECONDS, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except (subprocess.TimeoutExpired, OSError):  # as a text that is too long to be a word
            return judge(case, Ran(False, _read(place)))
        return judge(case, Ran(done.returncode == 0, _read(place)))


def _planned(patch: bytes, before: Files) -> Ran:
    try:
        plan = plan_in_memory(patch, {path: data for path, (_, data) in before.items()})
    except ParseError:
        plan = None
    if not plan or plan.failures:
        return Ran(False, before)
    changed = {change.path: change for change in plan.completed.changes}
    after = {path: entry for path, entry in before.items() if path not in changed}
    for path, data in plan.completed.contents().items():
        new = changed[path].new
        after[path] = (new.mode.value if new else _REGULAR, data)
    return Ran(True, after)


def _read(place: Path) -> Files:
    """The files of a repository with their modes."""
    return {
        path: ("100755" if (place / path).stat().st_mode & 0o100 else _REGULAR, data)
        for path, data in read_tree(place).items()
    }


def judge(case: Case, ran: Ran) -> Verdict:
    """Judge a report and the files."""
    before, after = (
        None if case[part] is None else {p: content_of(v) for p, v in case[part].items()}
        for part in ("before", "after")
    )
    if ran.success:
        return Verdict.APPLIED if ran.files == after else Verdict.WRONG
    if ran.files != before:
        return Verdict.HALF
    return Verdict.REFUSED if after is None else Verdict.MISSED


if __name__ == "__main__":
    main()
