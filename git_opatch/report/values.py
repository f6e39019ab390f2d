"""The parts of a plan as values of JSON, for `document`.

Text is given as it is. Bytes that are not UTF-8 are escaped in it, which cannot be distinguished
from text that reads so; the bytes themselves are then in `NAME_base64`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from git_opatch.complete import FileSummary
from git_opatch.model.errors import Diagnostic, Kind
from git_opatch.model.extent import Elsewhere, Enclosing, Extent, ExtentLine, Named, Suggestion
from git_opatch.model.failure import Failure
from git_opatch.model.limits import MANY
from git_opatch.model.patch import Anchor, Hunk, Line, Patch
from git_opatch.model.refusal import text_of
from git_opatch.model.selection import Key, Part, key_of
from git_opatch.model.text_position import string_line_of
from git_opatch.plan.plan import PlacedHunk
from git_opatch.report import error_line
from git_opatch.report.placements import tolerated

Fields = dict[str, Any]

CHANGES = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "moved",
    "C": "copied",
    "=": "unchanged",
}
"""The names of the changes that git has letters for."""


def plain(value: bytes | str) -> str:
    """Decode `value` for JSON; a byte that is not UTF-8 becomes a backslash escape."""
    return _bytes(value).decode("utf-8", "backslashreplace")


def text(name: str, value: bytes | str | None) -> Fields:
    """Render the field `name`, and its bytes in another if they are not UTF-8."""
    if value is None:
        return {name: None}
    raw, shown = _bytes(value), plain(value)
    if shown.encode() == raw:
        return {name: shown}
    return {name: shown, f"{name}_base64": base64.b64encode(raw).decode("ascii")}


def _bytes(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


def change_of(file: FileSummary) -> str:
    """Name the change to a file."""
    return CHANGES[file.status]


def file_of(
    file: FileSummary, hunks: Sequence[PlacedHunk], ids: Mapping[Key, str], *, recorded: bool
) -> Fields:
    """Render a file and where its hunks apply.

    Hunks that are `recorded` are from the journal's diff, and have no line in a patch. `ids` are
    those of the patch's parts.
    """
    return {
        **text("path", file.path),
        **text("old_path", file.old_path),
        "change": change_of(file),
        "binary": file.binary,
        "added_lines": file.added,
        "removed_lines": file.removed,
        "hunks": [_placement(placed, ids, recorded) for placed in hunks],
    }


def _placement(placed: PlacedHunk, ids: Mapping[Key, str], recorded: bool) -> Fields:
    section, placement = placed.section, placed.placement
    hunk = placement.hunk
    return {
        "id": ids.get(key_of(section, hunk.ordinal)),
        "hunk": hunk.ordinal,
        "hunk_count": section.hunks_in_text,
        **_line_of_patch(section.source, 0 if recorded else hunk.number),
        "line": placement.start + 1,
        "line_count": len(hunk.preimage),
        "tier": placement.tier.value,
        "evidence": placement.evidence.name.lower(),
        "tolerated": [plain(difference) for difference in tolerated(placement)],
        "notes": [plain(note) for note in placement.notes],
    }


def part_of(part: Part) -> Fields:
    """Render a part of a patch that was left out."""
    section, hunk = part.section, part.hunk
    return {
        "id": part.id,
        **text("path", section.path),
        "hunk": hunk.ordinal if hunk else None,
        "hunk_count": section.hunks_in_text if hunk else None,
        **_line_of_patch(section.source, hunk.number if hunk else section.number),
    }


def _line_of_patch(source: str, number: int) -> Fields:
    """Render a position in the patch as it was given, and in a string on that line."""
    return {
        "source": plain(source) if source else None,
        "patch_line": int(number) or None,
        "string_line": string_line_of(number) or None,
    }


class Sections:
    """Finds the sections of a patch, whose paths are resolved, that failures are about."""

    def __init__(self, patch: Patch | None) -> None:
        sections = patch.files if patch else ()
        self._by_line = {
            (section.source, section.number): section for section in reversed(sections)
        }
        self._by_path = {path: section for section in reversed(sections) for path in section.names}

    def of(self, failure: Failure) -> Fields | None:
        """Render the section that failed, with its hunk and the one that overlaps, or with all."""
        section = self._by_line.get((failure.source, failure.section_line))
        section = section or self._by_path.get(failure.path)
        if section is None:
            return None
        hunks = [hunk for hunk in section.hunks if not failure.hunk or _is_of(failure, hunk)]
        return {
            "operation": section.operation.value,
            **text("old_path", section.old_path),
            **text("new_path", section.new_path),
            "hunks": [_hunk(hunk) for hunk in hunks],
        }


def _is_of(failure: Failure, hunk: Hunk) -> bool:
    """Return whether a failure is of `hunk`; one of an undo is of a part of a recorded hunk."""
    if failure.record:
        return failure.number in {hunk.number, *(line.number for line in hunk.lines)}
    return hunk.ordinal in (failure.hunk, failure.other)


def _hunk(hunk: Hunk) -> Fields:
    lines = [_line(line) for line in hunk.lines]
    for at in reversed(hunk.removed_ranges):
        lines.insert(at, {"prefix": "~", "text": "", "newline": True})
    return {
        "hunk": hunk.ordinal,
        "patch_line": int(hunk.number) or None,
        "line": None if hunk.stated_start is None else hunk.stated_start + 1,
        "anchors": [_anchor(anchor) for anchor in hunk.anchors],
        "end_of_file": hunk.at_end_of_file,
        "lines": lines,
    }


def _line(line: Line) -> Fields:
    return {"prefix": line.prefix.value, **text("text", line.text), "newline": line.newline}


def _anchor(anchor: Anchor) -> Fields:
    return {**text("text", anchor.text), "heading": anchor.weak}


def fields_of_failure(failure: Failure, sections: Sections) -> Fields:
    """Render a failure: what was expected, what was found, and what to do next."""
    extent = failure.extent or Extent()
    first = extent.first
    expected, found = _expected(failure), _found(failure)
    position = first.position if first else None
    if position is None and len(failure.positions) == 1:
        position = failure.positions[0]
    return {
        **failure_fields(failure.kind, failure.reason.value, failure.message, text_of(failure)),
        **text("path", failure.path),
        "hunk": failure.hunk or None,
        "hunk_count": failure.hunks or None,
        **_line_of_patch(failure.source, failure.number),
        "file_line": None if position is None else position + 1,
        **text("expected", first.line.text if first and first.line else expected),
        **text("found", first.text if first else found),
        "difference": (first.described if first else "") or None,
        "lines": [_extent_line(each) for each in extent.most(_MOST_LINES)],
        "reread": list(extent.reread) if extent.lines else None,
        "inside": _enclosing(extent.inside) if extent.inside else None,
        "nowhere": [_patch_line(line) for line in extent.nowhere[:MANY]],
        "elsewhere": [_elsewhere(each) for each in extent.elsewhere],
        "added_already": [_elsewhere(each) for each in extent.added],
        "named": _named(extent.named) if extent.named else None,
        "suggestions": [_suggestion(each) for each in failure.suggestions],
        "candidates": list(failure.candidates),
        "enclosing": [
            {"candidate": each.candidate + 1, **_enclosing(each)} for each in failure.enclosing
        ],
        "exact": failure.exact,
        "similar_paths": [plain(path) for path in failure.similar],
        "advice": [failure.advice] if failure.advice else [],
        "section": sections.of(failure),
    }


_MOST_LINES = 20
"""So many lines of a hunk's extent are listed."""


def _expected(failure: Failure) -> bytes | None:
    """Return the first line that was there before, where lines do not merge."""
    return next(iter(failure.expected or ()), None)


def _found(failure: Failure) -> bytes | None:
    """Return the first line of a file that does not merge."""
    return failure.shown[0][1] if failure.expected is not None and failure.shown else None


def _extent_line(each: ExtentLine) -> Fields:
    """Render a line of a hunk that is laid over the file."""
    return {
        "mark": each.mark.value,
        "line": None if each.position is None else each.position + 1,
        **text("text", each.text),
        "patch": _patch_line(each.line) if each.line else None,
        "difference": each.described or None,
        "count": each.size,
    }


def _patch_line(line: Line) -> Fields:
    return {"patch_line": int(line.number) or None, **_line(line)}


def _enclosing(each: Enclosing) -> Fields:
    return {"line": each.line + 1, **text("text", each.text)}


def _elsewhere(each: Elsewhere) -> Fields:
    """Render where a line is, or where the file has `like`, which is much like it."""
    return {**_patch_line(each.line), **_there(each), **text("like", each.text)}


def _named(each: Named) -> Fields:
    return {**text("text", each.text), **_there(each)}


def _there(each: Elsewhere | Named) -> Fields:
    """Render the lines of the file that have something, and those around them if it is one."""
    lines = [position + 1 for position in each.positions]
    return {"lines": lines, "around": [_extent_line(line) for line in each.around]}


def _suggestion(each: Suggestion) -> Fields:
    candidate = None if each.candidate is None else each.candidate + 1
    fields = {"candidate": candidate, "use": each.means.value, **text("text", each.text)}
    return {**fields, "distance": each.distance}


def diagnostic_of(diagnostic: Diagnostic) -> Fields:
    """Render an error in a patch's text, with the line to write if there is one."""
    advice = "correct the patch and send it again"
    fix: Mapping[str, Any] | None = None
    if diagnostic.corrected:
        fix = {
            "action": diagnostic.fix.value,
            "patch_line": int(diagnostic.at),
            "text": diagnostic.corrected,
        }
        action = diagnostic.fix.value.replace("_", " ") + " line"
        advice = f"{action} {diagnostic.at}: {diagnostic.corrected}"
    return {
        **failure_fields(Kind.PARSE, "malformed", diagnostic.message, error_line(str(diagnostic))),
        **_line_of_patch(diagnostic.source, diagnostic.line),
        "advice": [advice],
        "fix": fix,
    }


def failure_fields(kind: Kind, reason: str, message: str, rendered: str) -> Fields:
    """Render a failure without any details; `rendered` is the text that is printed without JSON."""
    return {
        "kind": kind.value,
        "reason": reason,
        "message": plain(message),
        "rendered": plain(rendered),
        "path": None,
        "hunk": None,
        "hunk_count": None,
        "source": None,
        "patch_line": None,
        "string_line": None,
        "file_line": None,
        "expected": None,
        "found": None,
        "difference": None,
        "lines": [],
        "reread": None,
        "inside": None,
        "nowhere": [],
        "elsewhere": [],
        "added_already": [],
        "named": None,
        "suggestions": [],
        "candidates": [],
        "enclosing": [],
        "exact": True,
        "similar_paths": [],
        "advice": [],
        "fix": None,
        "section": None,
    }
