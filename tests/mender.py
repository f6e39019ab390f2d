"""A caller that knows nothing but a refusal's JSON: corrects the hunk, and sends it again.

It takes the first of several places, and the file's lines for those of the patch: where a model
would think, this does not. What is tested is that the document has all that it needs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def corrected_text(document: Json, text: bytes) -> bytes:
    """The malformed `text` with the corrected lines, the last one first."""
    lines = text.split(b"\n")
    fixes = [one["corrected"] for one in document["failures"] if one["corrected"]]
    for fix in sorted(fixes, key=lambda one: one["patch_line"], reverse=True):
        at, line = fix["patch_line"] - 1, fix["text"].encode()
        if fix["do"] == "replace":
            lines[at] = line
        else:
            lines.insert(at + (fix["do"] == "insert_after"), line)
    return b"\n".join(lines)


def corrected_patch(document: Json) -> tuple[bytes, list[str]]:
    """An envelope that asks again for what failed, and the options to send it with."""
    sections = b"".join(b"".join(_section(one)) for one in document["failures"])
    options = [_OPTIONS[one["reason"]] for one in document["failures"] if one["reason"] in _OPTIONS]
    return b"*** Begin Patch\n" + sections + b"*** End Patch\n", options


_OPTIONS = {
    "untracked": "--worktree",
    "unstaged_changes": "--worktree",
    "already_applied": "--skip-applied",
    "file_exists": "--overwrite",
}


def _section(failure: Json) -> Iterator[bytes]:
    asked, reason = failure["asked"], failure["reason"]
    old, new = (_path(asked, name, failure) for name in ("old_path", "new_path"))
    if asked["operation"] == "delete":
        yield b"*** Delete File: " + old + b"\n"
        return
    if asked["operation"] == "add":
        yield b"*** Add File: " + new + b"\n"
        yield from (b"+" + _bytes(line, "text") + b"\n" for line in asked["hunks"][0]["lines"])
        return
    yield b"*** Update File: " + old + b"\n"
    yield b"*** Move to: " + new + b"\n" if new != old else b""
    if reason == "overlap":
        yield from _hunk(_merged(asked["hunks"], failure["hunk"]), failure)
        return
    for hunk in asked["hunks"]:
        yield from _hunk(hunk, failure)


def _merged(hunks: list[Json], number: int) -> Json:
    """The hunk with this number, and the lines that the other one adds before its own."""
    (mine,) = (one for one in hunks if one["hunk"] == number)
    added = [
        line for one in hunks if one is not mine for line in one["lines"] if line["mark"] == "+"
    ]
    at = next(at for at, line in enumerate(mine["lines"]) if line["mark"] == "+")
    return {**mine, "lines": [*mine["lines"][:at], *added, *mine["lines"][at:]]}


def _path(asked: Json, name: str, failure: Json) -> bytes:
    if failure["alternatives"] and asked[name] == failure["path"]:
        return str(failure["alternatives"][0]).encode()
    if failure["reason"] == "unsafe_path":
        return str(asked[name] or "").lstrip("/").encode()
    return _bytes(asked, name)


def _hunk(hunk: Json, failure: Json) -> Iterator[bytes]:
    """The hunk with the file's lines, and its place as a number."""
    nearest, places = failure["nearest"], failure["places"]
    there: list[bytes | None] = []
    start = places[0] if places else None
    if nearest:
        start = nearest["line"]
        stop = start + nearest["line_count"]
        there = [_bytes(one, "text") for one in nearest["lines"] if start <= one["line"] < stop]
    lines = list(_lines(hunk["lines"], there, bool(nearest)))
    old = sum(line[:1] != b"+" for line in lines)
    new = sum(line[:1] != b"-" for line in lines)
    yield b"@@ -%d,%d +%d,%d @@\n" % (start, old, start, new) if start else b"@@\n"
    yield from (line + b"\n" for line in lines)


def _lines(lines: list[Json], there: list[bytes | None], replaces: bool) -> Iterator[bytes]:
    """Marked lines; what is context or removed as it is `there`, nothing past the file's end."""
    found = iter(there)
    for line in lines:
        if line["mark"] == "+" or not replaces:
            yield line["mark"].encode() + _bytes(line, "text")
        elif (text := next(found, None)) is not None:
            yield line["mark"].encode() + text


def _bytes(fields: Json, name: str) -> bytes:
    if f"{name}_base64" in fields:
        return base64.b64decode(fields[f"{name}_base64"])
    return (fields[name] or "").encode()
