"""Scenarios: the repository before, the text as given, and the expected result, in one text file.

`scenarios/README.md` explains the format; `test_scenarios.py` runs them. Cases have the same form,
several in a file: `cases/README.md` explains them; `test_cases.py` runs them with files in memory.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandbox import Tree

SECTION = re.compile(rb"(?m)^%%%(?:$| (.*)\n)")
_HEAD = ("what", "source", "status", "command")
_CASE_HEAD = ("source", "options")
_BYTES: dict[str, Callable[[bytes], bytes]] = {
    "escaped": lambda text: text.decode("unicode_escape").encode("latin-1"),
    "no-newline": lambda text: text.removesuffix(b"\n"),
    "crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "bom": lambda text: b"\xef\xbb\xbf" + text,
}
_EXECUTABLE = "executable"
_APPLY = "git opatch apply"
_DOCUMENTS = (
    "FILE_PATCH",
    "OpenCode patch format",
    "OpenCode line matching",
    "OpenCode patch subsystem",
    "apply_patch with fuzzy matching",
)
"""The documents that specify what is implemented: a source is a part of one, or public."""


class ScenarioError(Exception):
    """A scenario that does not follow the format."""


@dataclass
class Scenario:
    """One scenario. A file's section is kept under "before" or "after", by its path."""

    head: dict[str, str]
    before: Tree = field(default_factory=dict)
    after: Tree = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    """The sections of no file, by their names: "given", "refused", "report contains"."""

    @property
    def status(self) -> int:
        """Return the exit status that the command must have."""
        return int(self.head.get("status", "0"))

    @property
    def words(self) -> list[str]:
        """Return the command, with the word `{given}` replaced by the text as given."""
        given = self.texts["given"].decode("utf-8", "surrogateescape")
        words = shlex.split(self.head.get("command", _APPLY))
        return [given if word == "{given}" else word for word in words]

    @property
    def words_for_json(self) -> list[str]:
        """Return the command with `--json`."""
        git, opatch, command, *others = self.words
        return [git, opatch, command, "--json", *others]

    @property
    def feed(self) -> bytes:
        """Return what the command reads from standard input."""
        return b"" if "{given}" in self.head.get("command", "") else self.texts["given"]

    def lines(self, name: str) -> list[str]:
        """Return the lines of a section, without blank lines."""
        return [line for line in self.texts.get(name, b"").decode().split("\n") if line]


def place_of(failure: Mapping[str, Any]) -> str:
    """Return the reason of a failure of `--json`, its place, and the corrected line."""
    words = [failure["reason"]]
    if failure["path"]:
        words.append(failure["path"])
    if failure["hunk"]:
        words.append(f"hunk {failure['hunk']} of {failure['hunk_count']}")
    if failure["patch_line"]:
        in_string = f" string line {failure['string_line']}" if failure["string_line"] else ""
        words.append(f"patch line {failure['patch_line']}{in_string}")
    if lines := failure["candidates"] or [failure["file_line"]] * bool(failure["file_line"]):
        words.append(f"file line {' '.join(map(str, lines))}")
    if fix := failure["fix"]:
        words.append(f"{fix['action']} {fix['patch_line']}: {fix['text']}")
    return ", ".join(words)


def read_scenario(raw: bytes) -> Scenario:
    """Parse the scenario in `raw`. Raises `ScenarioError` if it does not follow the format."""
    head, *sections = SECTION.split(raw)
    scenario = Scenario(dict(read_head(head.decode())))
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        _add_section(scenario, (title or b"").decode(), body)
    _check(scenario)
    return scenario


def read_cases(raw: bytes) -> dict[str, Scenario]:
    """Parse the cases in `raw`, by their names. Raises `ScenarioError` as `read_scenario` does.

    Files before the first case are those of each case that has none of its own.
    """
    head, *sections = SECTION.split(raw)
    shared = Scenario(dict(read_head(head.decode())))
    case, cases = shared, dict[str, Scenario]()
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        word, _, name = (title or b"").decode().partition(" ")
        if word != "case":
            _add_section(case, (title or b"").decode(), body)
            continue
        if name in cases:
            raise ScenarioError(f"the case `{name}` stands twice")
        case = cases[name] = Scenario(dict(read_head(body.decode(), _CASE_HEAD)))
    for case in cases.values():
        case.before = case.before or shared.before
        _check_expected(case)
    return cases


def read_head(text: str, keys: Sequence[str] = _HEAD) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for line in text.splitlines():
        key, colon, value = line.partition(": ")
        if not colon or not value.strip():
            raise ScenarioError(f"`{line}` is no `key: value` of the head")
        if key not in keys:
            raise ScenarioError(f"unknown key `{key}`; the head has {', '.join(keys)}")
        if key in seen:
            raise ScenarioError(f"the key `{key}` stands twice")
        seen.add(key)
        yield key, value.strip()


def _add_section(scenario: Scenario, title: str, body: bytes) -> None:
    words = shlex.split(title)
    name, words = " ".join(words[:1]), words[1:]
    if name in ("before", "after"):
        if not words:
            raise ScenarioError(f"`%%% {title}` names no file")
        tree = scenario.before if name == "before" else scenario.after
        path, entry = entry_of(words, body)
        if path in tree:
            raise ScenarioError(f"`%%% {name} {path}` stands twice")
        tree[path] = entry
        return
    if name == "report" and words[:1] == ["contains"]:
        name, words = f"{name} contains", words[1:]
    if name not in ("given", "refused", "report contains", "placed"):
        raise ScenarioError(f"`%%% {title}` is no section of a scenario")
    if name in scenario.texts:
        raise ScenarioError(f"`%%% {name}` stands twice")
    scenario.texts[name] = content_of(body, words)


def entry_of(words: Sequence[str], body: bytes) -> tuple[str, tuple[str, bytes]]:
    """Return the path of a file, which is the first word, with the mode and content it has."""
    path, *flags = words
    mode = "100755" if _EXECUTABLE in flags else "100644"
    return path, (mode, content_of(body, [flag for flag in flags if flag != _EXECUTABLE]))


def content_of(body: bytes, flags: list[str]) -> bytes:
    for flag in flags:
        if flag not in _BYTES:
            raise ScenarioError(f"unknown flag `{flag}`; there are {', '.join(_BYTES)}")
    for flag, change in _BYTES.items():
        body = change(body) if flag in flags else body
    return body


def _check(scenario: Scenario) -> None:
    for key in ("what", "source"):
        if key not in scenario.head:
            raise ScenarioError(f"the head has no `{key}:`")
    document, _, part = scenario.head["source"].partition(", ")
    for place in [] if part and document in _DOCUMENTS else scenario.head["source"].split():
        if not place.startswith("https://"):
            raise ScenarioError(f"`{place}` is no public place; the source is a URL, or several")
    status = scenario.head.get("status", "0")
    if not status.isdecimal():
        raise ScenarioError(f"`status: {status}` is no exit status")
    _check_expected(scenario)
    is_part = "--partial" in scenario.words and scenario.status == 1
    if (scenario.after and scenario.status and not is_part) or (
        "refused" in scenario.texts and not scenario.status
    ):
        raise ScenarioError("`refused` goes with a `status:` that is not 0, and files go with 0")


def _check_expected(scenario: Scenario) -> None:
    texts, is_refused = scenario.texts, "refused" in scenario.texts
    success = bool(scenario.after) or ("report contains" in texts and not is_refused)
    if "given" not in texts:
        raise ScenarioError("there is no `%%% given`")
    if scenario.after and is_refused:
        raise ScenarioError("a scenario ends with files or is refused, not both")
    if not success and not is_refused:
        expected = "add `%%% after PATH`, `%%% refused` or `%%% report contains`"
        raise ScenarioError(f"nothing is expected: {expected}")
    if success and scenario.after == scenario.before:
        raise ScenarioError("after is the same as before")
