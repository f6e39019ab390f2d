"""Collect what models sent to their clients, and what became of it, as cases for real_patches.

They come from repositories in which somebody committed the records of sessions: git directories of
these are expected below --mirrors as OWNER+NAME (or OWNER+NAME/repo). Of Codex every patch is
taken, of Claude Code every edit. The files before are what the calls before left, what a read
showed as a whole, or their last versions in history; they count only if the client's own answer
follows from them, by Codex's program or by the strings of the edit. What has no such files is
counted, and left out. Nothing else of a session is kept.
"""

from __future__ import annotations

import json
import posixpath
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import peers
from arguments import parser_of
from collect_diffs import find_mirror, git
from real_patches import HEADER, Real
from trees import Tree
from trial import Ran, run_tool

_PATCH = re.compile(r"\*\*\* Begin Patch\n.*?\n\*\*\* End Patch", re.DOTALL)
_READ = re.compile(r"(?:cat|Get-Content(?: -Raw)?|sed -n '1,(\d+)p') ([^\s|;&<>'\"*]+)$")
_CUT = re.compile(r"truncated|omitted|Total output lines")
_VERSIONS = 6  # of files to try, from the last one before the call

Record = Mapping[str, Any]


class Call(NamedTuple):
    """What a model sent to a client, or the file that it read, if its lines are all of that."""

    time: str
    place: str
    model: str
    patch: str
    path: str
    applied: bool
    before: bytes | None = None


class History:
    """The versions of each file in a repository, and the sessions in it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._versions: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._sessions: dict[str, set[str]] = defaultdict(set)
        words = ("--format=%x00%cI", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=AM")
        log = git(directory, "log", "--all", "--reverse", *words) or b""
        for commit in log.decode(errors="replace").split("\0")[1:]:
            time, *lines = commit.splitlines()
            for head, _, path in (line.partition("\t") for line in filter(None, lines)):
                blob = head.split()[3]
                self._versions[path].append((time, blob))
                if path.endswith(".jsonl"):
                    self._sessions[path].add(blob)

    def path_of(self, place: str, path: str) -> str:
        """The path in the repository of one on the machine of a session."""
        whole = posixpath.join(place.replace("\\", "/"), path.strip().replace("\\", "/"))
        parts = posixpath.normpath(whole).strip("/").split("/")
        ends = ("/".join(parts[at:]) for at in range(len(parts)))
        return next((end for end in ends if end in self._versions), "/".join(parts[-4:]))

    def patch_of(self, call: Call) -> str:
        """A call's patch with paths of the repository."""
        return HEADER.sub(lambda name: name[1] + self.path_of(call.place, name[3]), call.patch)

    def before(self, path: str, time: str, count: int) -> bytes | None:
        """The version of a file that is so many before the last one at a time."""
        versions = self._versions[path]
        at = bisect_right(versions, (time, "~")) - 1 - count
        return git(self.directory, "cat-file", "blob", versions[at][1]) if at >= 0 else None

    def sessions(self) -> Iterator[list[Record]]:
        """The records of each session, at its longest."""
        for _, blobs in sorted(self._sessions.items()):
            texts = (git(self.directory, "cat-file", "blob", blob) or b"" for blob in blobs)
            yield list(_records(max(texts, key=len)))


def _records(text: bytes) -> Iterator[Record]:
    for line in text.splitlines():
        with suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict):
                yield record


def codex_calls(records: list[Record]) -> Iterator[Call]:
    """The patches of a rollout, and the files that were read as a whole, in order."""
    place = model = ""
    sent: dict[str, tuple[str, list[str]]] = {}
    for record in records:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        kind, id_ = str(payload.get("type")), str(payload.get("call_id"))
        if record.get("type") in ("session_meta", "turn_context"):
            place, model = payload.get("cwd") or place, payload.get("model") or model
        elif kind in ("custom_tool_call", "function_call"):
            sent[id_] = (str(record.get("timestamp")), list(_texts(payload)))
        elif kind.endswith("call_output") and id_ in sent:
            (time, texts), said = sent.pop(id_), str(payload.get("output"))
            for text in texts:
                for patch in _PATCH.findall(text):
                    yield Call(time, place, model, patch + "\n", "", "Success. Updated" in said)
                if (read := _READ.search(text)) and (shown := _shown(said, int(read[1] or 0))):
                    yield Call(time, place, model, "", read[2], True, shown)


def _texts(payload: Record) -> Iterator[str]:
    """The texts in what a call is given."""
    given = payload.get("input") or payload.get("arguments") or ""
    with suppress(ValueError, AttributeError):
        for value in json.loads(given).values():
            yield from map(str, value if isinstance(value, list) else [value])
        return
    yield str(given)


def _shown(said: str, asked: int) -> bytes | None:
    """The file that a read showed; None if it failed, or may not be all of the file."""
    with suppress(ValueError, LookupError, TypeError):
        answer = json.loads(said)
        said = f"Exit code: {answer['metadata']['exit_code']}\nOutput:\n{answer['output']}"
    head, _, body = said.partition("\nOutput:\n")
    count = body.count("\n")
    whole = re.search(r"code:? 0\b", head) and not _CUT.search(said) and count
    return body.encode() if whole and (not asked or count < asked) else None


def codex_cases(history: History, codex: peers.Tool) -> Iterator[Real | None]:
    """The patches of all rollouts; None for one without its files."""
    calls = [call for records in history.sessions() for call in codex_calls(records)]
    now: dict[str, bytes] = {}
    for call in sorted(calls, key=lambda call: call.time):
        if call.before is not None:
            now[history.path_of(call.place, call.path)] = call.before
            continue
        patch = history.patch_of(call)
        named = [(match[2], match[3]) for match in HEADER.finditer(patch)]
        old = {path for kind, path in named if kind in ("Update", "Delete")}
        found = _ran(history, codex, call, patch, old, now)
        for _, path in named:
            now.pop(path, None)
        if found is None:
            yield None
            continue
        base, ran = found
        now.update(ran.files)
        after = ran.files if call.applied else None
        yield Real(f"Codex, {call.model}", patch.encode(), base, after)


def _ran(
    history: History, codex: peers.Tool, call: Call, patch: str, old: set[str], now: Tree
) -> tuple[Tree, Ran] | None:
    """The files that a patch was for, and Codex on them, if it answers as it did."""
    for count in range(_VERSIONS):
        base = {
            path: data
            for path in old
            if (data := now.get(path) or history.before(path, call.time, count)) is not None
        }
        if len(base) < len(old):
            return None
        ran = run_tool(codex, base, patch.encode())
        if ran.success is call.applied:
            return base, ran
        if old <= now.keys():
            now = {}
    return None


def claude_cases(history: History) -> Iterator[Real | None]:
    """The edits of all sessions of Claude Code; None for one without its file."""
    for records in history.sessions():
        sent: dict[str, tuple[str, Record]] = {}
        now: dict[str, str] = {}
        for record in records:
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for part in (each for each in content or () if isinstance(each, dict)):
                if part.get("name") in ("Edit", "MultiEdit"):
                    sent[str(part.get("id"))] = (
                        str(message and message.get("model")),
                        part["input"],
                    )
                elif part.get("tool_use_id") in sent:
                    model, edit = sent.pop(str(part["tool_use_id"]))
                    yield _edited(model, edit, record.get("toolUseResult"), now)


def _edited(model: str, edit: Record, result: object, now: dict[str, str]) -> Real | None:
    """The case of an edit that its client answered with a result."""
    path = str(edit.get("file_path"))
    before = result.get("originalFile") if isinstance(result, dict) else None
    applied, before = isinstance(before, str), before or now.get(path)
    after = before and replaced(before, edit.get("edits") or [edit])
    if not before or applied is not bool(after):
        return None
    now[path] = after or before
    name = "/".join(re.findall(r"[^/\\:]+", path)[-3:])
    patch = json.dumps({**edit, "file_path": name}).encode()
    tree = {name: after.encode()} if after else None
    return Real(f"Claude Code, {model}", patch, {name: before.encode()}, tree)


def replaced(text: str, edits: list[dict[str, Any]]) -> str | None:
    """A text with its strings replaced; None if one is not in it, or more often than is meant."""
    for edit in edits:
        old, every = edit.get("old_string"), bool(edit.get("replace_all"))
        if not old or not (text.count(old) == 1 or (every and old in text)):
            return None
        text = text.replace(old, edit["new_string"])
    return text


def main() -> None:
    """Write the cases, and print how many have their files."""
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("--mirrors", type=Path, required=True, help="the directory of the mirrors")
    add("--into", type=Path, required=True, help="where to write the cases")
    add("--only", nargs="+", required=True, metavar="OWNER/NAME", help="the repositories")
    peers.add_options(parser)
    options = parser.parse_args()
    (codex,) = peers.find_tools(["codex"], options)
    for repository in options.only:
        history, counts = History(find_mirror(options.mirrors, repository)), Counter[str]()
        for case in (*codex_cases(history, codex), *claude_cases(history)):
            counts["no files" if case is None else "kept"] += 1
            if case is not None:
                case.store(options.into / f"{repository.replace('/', '+')}-{counts['kept']:04}")
        print(repository, dict(counts), flush=True)


if __name__ == "__main__":
    main()
