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
from git_opatch.model.failure import DifferentLine, Failure
from git_opatch.model.patch import Anchor, Hunk, Line, Patch
from git_opatch.model.placement import NumberedLines
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
        self._by_path = {
            path: section
            for section in reversed(sections)
            for path in (section.old_path, section.new_path, section.alternate)
            if path is not None
        }

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
    closest = failure.closest
    compared = closest if closest and closest.around else None
    position = compared.position if compared else None
    if position is None and len(failure.positions) == 1:
        position = failure.positions[0]
    others = compared.others if compared else ()
    return {
        **failure_fields(failure.kind, failure.reason.value, failure.message, text_of(failure)),
        **text("path", failure.path),
        "hunk": failure.hunk or None,
        "hunk_count": failure.hunks or None,
        **_line_of_patch(failure.source, failure.number),
        "file_line": None if position is None else position + 1,
        **text("expected", closest.line.text if closest else _first(failure.expected)),
        **text("found", compared.found if compared else _found(failure)),
        "difference": compared.described if compared else None,
        "other_differences": [_different_line(other) for other in others],
        "closest_match": _closest_match_of(failure),
        "candidates": list(failure.candidates),
        "enclosing": [
            {"candidate": each.candidate + 1, "line": each.line + 1, **text("text", each.text)}
            for each in failure.enclosing
        ],
        "exact": failure.exact,
        "similar_paths": [plain(path) for path in failure.similar],
        "advice": [failure.advice] if failure.advice else [],
        "section": sections.of(failure),
    }


def _first(lines: Sequence[bytes] | None) -> bytes | None:
    return lines[0] if lines else None


def _found(failure: Failure) -> bytes | None:
    """Return the first line of a file that does not merge."""
    return None if failure.expected is None else _first([line for _, line in failure.shown])


def _different_line(other: DifferentLine) -> Fields:
    return {
        "patch_line": int(other.line.number) or None,
        "file_line": other.position + 1,
        **text("expected", other.line.text),
        **text("found", other.found),
    }


def _closest_match_of(failure: Failure) -> Fields | None:
    closest, shown = failure.closest, failure.shown
    if closest and closest.around:
        return _closest_match(closest.lines, closest.around, closest.reread)
    return _closest_match(shown, (), (shown[0][0] + 1, shown[-1][0] + 1)) if shown else None


def _closest_match(covered: NumberedLines, found: NumberedLines, reread: tuple[int, int]) -> Fields:
    """Render the lines that the hunk would cover, and those around the one that differs."""
    lines = sorted({**dict(covered), **dict(found)}.items())
    return {
        "line": (covered or found)[0][0] + 1,
        "line_count": len(covered),
        "lines": [{"line": number + 1, **text("text", line)} for number, line in lines],
        "reread": list(reread),
    }


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
        "other_differences": [],
        "closest_match": None,
        "candidates": [],
        "enclosing": [],
        "exact": True,
        "similar_paths": [],
        "advice": [],
        "fix": None,
        "section": None,
    }
