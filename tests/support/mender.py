"""A caller that knows only the JSON of a refusal: it corrects the hunk, and sends it again.

It uses the first of several candidates, and replaces the patch's lines by the file's: where a model
would think, this does not. What is tested is that the document has all that it needs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def corrected_text(document: Json, text: bytes) -> bytes:
    """Return the malformed `text` with the lines corrected, from the last to the first."""
    lines = text.split(b"\n")
    fixes = [failure["fix"] for failure in document["failures"] if failure["fix"]]
    for fix in sorted(fixes, key=lambda fix: fix["patch_line"], reverse=True):
        at, line = fix["patch_line"] - 1, fix["text"].encode()
        if fix["action"] == "replace":
            lines[at] = line
        else:
            lines.insert(at + (fix["action"] == "insert_after"), line)
    return b"\n".join(lines)


def corrected_patch(document: Json) -> tuple[bytes, list[str]]:
    """Return an envelope that retries what failed, and the options to send it with."""
    sections = b"".join(b"".join(_section(failure)) for failure in document["failures"])
    options = [
        _OPTIONS[failure["reason"]]
        for failure in document["failures"]
        if failure["reason"] in _OPTIONS
    ]
    return b"*** Begin Patch\n" + sections + b"*** End Patch\n", options


_OPTIONS = {
    "untracked": "--worktree",
    "unstaged_changes": "--worktree",
    "already_applied": "--skip-applied",
    "file_exists": "--overwrite",
}


def _section(failure: Json) -> Iterator[bytes]:
    asked, reason = failure["section"], failure["reason"]
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
    """Return the hunk with this number, with the lines of the other hunk added before its own."""
    (mine,) = (hunk for hunk in hunks if hunk["hunk"] == number)
    added = [
        line
        for other in hunks
        if other is not mine
        for line in other["lines"]
        if line["prefix"] == "+"
    ]
    at = next(at for at, line in enumerate(mine["lines"]) if line["prefix"] == "+")
    return {**mine, "lines": [*mine["lines"][:at], *added, *mine["lines"][at:]]}


def _path(asked: Json, name: str, failure: Json) -> bytes:
    if failure["similar_paths"] and asked[name] == failure["path"]:
        return str(failure["similar_paths"][0]).encode()
    if failure["reason"] == "unsafe_path":
        return str(asked[name] or "").lstrip("/").encode()
    return _bytes(asked, name)


def _hunk(hunk: Json, failure: Json) -> Iterator[bytes]:
    """Write the hunk with the file's lines, and its position as a number."""
    laid, places = failure["lines"], failure["candidates"]
    current = [_bytes(each, "text") for each in laid if each["mark"] in ("there", "other")]
    own = [each["line"] for each in laid if each["mark"] in ("there", "other")]
    start = next(iter([*own, *places]), None)
    lines = list(_lines(hunk["lines"], current, bool(laid)))
    old = sum(line[:1] != b"+" for line in lines)
    new = sum(line[:1] != b"-" for line in lines)
    yield b"@@ -%d,%d +%d,%d @@\n" % (start, old, start, new) if start else b"@@\n"
    yield from (line + b"\n" for line in lines)


def _lines(lines: list[Json], current: list[bytes], replaces: bool) -> Iterator[bytes]:
    """Write lines with their prefixes; context and removed lines as in `current`, up to its end."""
    found = iter(current)
    for line in lines:
        if line["prefix"] == "+" or not replaces:
            yield line["prefix"].encode() + _bytes(line, "text")
        elif (text := next(found, None)) is not None:
            yield line["prefix"].encode() + text


def _bytes(fields: Json, name: str) -> bytes:
    if f"{name}_base64" in fields:
        return base64.b64decode(fields[f"{name}_base64"])
    return (fields[name] or "").encode()
