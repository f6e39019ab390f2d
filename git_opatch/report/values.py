"""The parts of a plan as values of JSON, for `document`.

Text is as it is. Of bytes that are not UTF-8 the text has escapes, which JSON cannot tell from
text that looks so; the very bytes then stand beside it, as `NAME_base64`.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from git_opatch.complete import FileSummary
from git_opatch.errors import Fault, Kind
from git_opatch.options import Options
from git_opatch.outcome import Failure, Placement, Reason
from git_opatch.patch import Anchor, FilePatch, Hunk, Line, Patch
from git_opatch.plan import Placed
from git_opatch.report import advice_of, message_of, tolerated

Fields = dict[str, Any]

OPERATIONS = {
    "A": "added",
    "M": "modified",
    "D": "deleted",
    "R": "moved",
    "C": "copied",
    "=": "unchanged",
}
"""What git's letters stand for."""


def plain(value: bytes | str) -> str:
    """`value` as JSON can hold it; each byte that is not UTF-8 as a backslash escape."""
    return _bytes(value).decode("utf-8", "backslashreplace")


def text(name: str, value: bytes | str | None) -> Fields:
    """The field `name`, and the bytes beside it if they are not UTF-8."""
    if value is None:
        return {name: None}
    raw, shown = _bytes(value), plain(value)
    if shown.encode() == raw:
        return {name: shown}
    return {name: shown, f"{name}_base64": base64.b64encode(raw).decode("ascii")}


def _bytes(value: bytes | str) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


def operation(file: FileSummary) -> str:
    """What becomes of the file, in a word."""
    return OPERATIONS[file.status]


def file_of(file: FileSummary, hunks: Sequence[Placed], *, recorded: bool) -> Fields:
    """One file, and where its hunks stand.

    Those that are `recorded` stand in the journal's diff, and not in the patch.
    """
    return {
        **text("path", file.path),
        **text("old_path", file.old_path),
        "operation": operation(file),
        "binary": file.binary,
        "added_lines": file.added,
        "removed_lines": file.removed,
        "hunks": [_placed(one.section, one.placement, recorded) for one in hunks],
    }


def _placed(section: FilePatch, placement: Placement, recorded: bool) -> Fields:
    hunk = placement.hunk
    return {
        "hunk": hunk.ordinal,
        "hunks": len(section.hunks),
        **_line_of_patch(section.source, 0 if recorded else hunk.number),
        "line": placement.start + 1,
        "line_count": len(hunk.preimage),
        "tier": placement.tier.value,
        "evidence": placement.evidence,
        "tolerated": [plain(one) for one in tolerated(placement)],
        "notes": [plain(one) for one in placement.notes],
    }


def _line_of_patch(source: str, number: int) -> Fields:
    """Where in the text as it was given, and in which line of a string on that line."""
    return {
        "source": plain(source) if source else None,
        "patch_line": int(number) or None,
        "string_line": getattr(number, "inner", 0) or None,
    }


class Asked:
    """Finds what a patch, whose paths are resolved, asked for where it failed."""

    def __init__(self, patch: Patch | None) -> None:
        sections = patch.files if patch else ()
        self._by_line = {(one.source, one.number): one for one in reversed(sections)}
        self._by_path = {
            path: one
            for one in reversed(sections)
            for path in (one.old_path, one.new_path, one.alternate)
            if path is not None
        }

    def of(self, failure: Failure) -> Fields | None:
        """The section that failed, with the hunk that did and the one against it, or with all."""
        section = self._by_line.get((failure.source, failure.section))
        section = section or self._by_path.get(failure.path)
        if section is None:
            return None
        at = (failure.hunk, failure.other)
        hunks = [one for one in section.hunks if not failure.hunk or one.ordinal in at]
        return {
            "operation": section.operation.value,
            **text("old_path", section.old_path),
            **text("new_path", section.new_path),
            "hunks": [_asked(one) for one in hunks],
        }


def _asked(hunk: Hunk) -> Fields:
    lines = [_line(line) for line in hunk.lines]
    for at in reversed(hunk.elisions):
        lines.insert(at, {"mark": "~", "text": "", "newline": True})
    return {
        "hunk": hunk.ordinal,
        "patch_line": int(hunk.number) or None,
        "line": None if hunk.start is None else hunk.start + 1,
        "anchors": [_anchor(anchor) for anchor in hunk.anchors],
        "end_of_file": hunk.at_end_of_file,
        "lines": lines,
    }


def _line(line: Line) -> Fields:
    return {"mark": line.mark.value, **text("text", line.text), "newline": line.newline}


def _anchor(anchor: Anchor) -> Fields:
    return {**text("text", anchor.text), "weak": anchor.weak}


def failure_of(failure: Failure, asked: Asked, options: Options) -> Fields:
    """Why something is refused: what was expected, what is there, and what to do next."""
    nearest = failure.nearest
    there = nearest if nearest and nearest.found else None
    found = dict(there.found).get(there.position) if there else None
    position = there.position if there else None
    if len(failure.places) == 1:
        position = failure.places[0]
    reason = failure.reason.value
    if options.reverse and failure.reason is Reason.ALREADY_APPLIED:
        reason = NOT_APPLIED
    return {
        **blank(failure.kind, reason, message_of(failure, options)),
        **text("path", failure.path),
        "hunk": failure.hunk or None,
        "hunks": failure.hunks or None,
        **_line_of_patch(failure.source, failure.number),
        "file_line": None if position is None else position + 1,
        **text("expected", nearest.line.text if nearest else None),
        **text("found", found),
        "difference": there.difference if there else None,
        "nearest": _nearest_of(failure),
        "places": [place + 1 for place in failure.places],
        "certain": failure.certain,
        "alternatives": [plain(path) for path in failure.alike],
        "advice": [plain(line) for line in advice_of(failure, options)],
        "asked": asked.of(failure),
    }


NOT_APPLIED = "not_applied"
"""The reason why there is nothing to take back."""


def _nearest_of(failure: Failure) -> Fields | None:
    nearest, there = failure.nearest, failure.there
    if nearest and nearest.found:
        return _nearest(nearest.place, nearest.found, nearest.around)
    return _nearest(there, (), (there[0][0] + 1, there[-1][0] + 1)) if there else None


def _nearest(
    place: Sequence[tuple[int, bytes]],
    found: Sequence[tuple[int, bytes]],
    around: tuple[int, int],
) -> Fields:
    """The lines of the file where the hunk would stand, and those round the one that differs."""
    lines = sorted({**dict(place), **dict(found)}.items())
    return {
        "line": (place or found)[0][0] + 1,
        "line_count": len(place),
        "lines": [{"line": number + 1, **text("text", line)} for number, line in lines],
        "reread": list(around),
    }


def fault_of(fault: Fault) -> Fields:
    """One thing wrong with a patch's text, and the line to write if there is one."""
    advice = "correct the patch and send it again"
    fix: Mapping[str, Any] | None = None
    if fault.corrected:
        fix = {"do": fault.fix.value, "patch_line": int(fault.at), "text": fault.corrected}
        how = fault.fix.value.replace("_", " ") + " line"
        advice = f"{how} {fault.at}: {fault.corrected}"
    return {
        **blank(Kind.PARSE, "malformed", fault.message),
        **_line_of_patch(fault.source, fault.line),
        "advice": [advice],
        "corrected": fix,
    }


def blank(kind: Kind, reason: str, message: str) -> Fields:
    """A failure of which nothing more is known."""
    return {
        "kind": kind.value,
        "reason": reason,
        "message": plain(message),
        "path": None,
        "hunk": None,
        "hunks": None,
        "source": None,
        "patch_line": None,
        "string_line": None,
        "file_line": None,
        "expected": None,
        "found": None,
        "difference": None,
        "nearest": None,
        "places": [],
        "certain": True,
        "alternatives": [],
        "advice": [],
        "corrected": None,
        "asked": None,
    }
