r"""A string to replace becomes a hunk of whole lines, from the file's content (D141).

    {old: "port = 80", new: "port = 8080"}     file                 hunk that the other modules see
                                               http_port = 80  # !  -http_port = 80  # !
                                                                    +http_port = 8080  # !

What is inside a line counts only byte for byte, and once: where it occurs more often, the patch has
to say so. An old string that is nowhere is read as whole lines, and searched for like any hunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.forms import string_forms
from git_opatch.locate.notebook import find_source
from git_opatch.locate.tiers import LEAST_DISTINCTIVE
from git_opatch.model.common_lines import common_runs
from git_opatch.model.failure import Failure, Problem, failure_of
from git_opatch.model.limits import MANY, QUOTED, SHOWN
from git_opatch.model.patch import Cell, Hunk, Line, Prefix, Replacement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import BYTE_ORDER_MARK, Text, visible, without_cr

_MAX_REPLACED = 100_000
"""More occurrences than this are not replaced."""
_CONTEXT = 3


@dataclass(slots=True, eq=False)
class ExpandedReplacements:
    """Hunks of whole lines, and the failures of those that could not be expanded.

    `notes` says of each expanded hunk, by its ordinal, what was replaced.
    """

    hunks: list[Hunk] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notes: dict[int, tuple[str, ...]] = field(default_factory=dict)


def expand_replacements(hunks: Sequence[Hunk], text: Text) -> ExpandedReplacements:
    """Expand each replacement of `hunks` to the lines of `text`. Pure; a failure names no file."""
    expanded = ExpandedReplacements()
    for hunk in hunks:
        result = hunk if hunk.replacement is None else _expand(hunk, hunk.replacement, text)
        if hunk.notes:
            expanded.notes[hunk.ordinal] = hunk.notes
        if isinstance(result, Failure):
            expanded.failures.append(result)
        elif isinstance(result, Hunk):
            expanded.hunks.append(result)
        else:
            expanded.hunks.append(result[0])
            expanded.notes[hunk.ordinal] = (*hunk.notes, *result[1])
    return expanded


_Expanded = tuple[Hunk, tuple[str, ...]]
"""A hunk of whole lines, and its notes."""


def _expand(hunk: Hunk, replacement: Replacement, text: Text) -> _Expanded | Hunk | Failure:
    if replacement.after is not None:
        return _insert(hunk, replacement, replacement.after, text)
    if replacement.cell is not None:
        return _replace_cell(hunk, replacement, replacement.cell, text)
    content = _content_for(replacement, text)
    old = content.replacement.old
    if not old:
        return failure_of(hunk, Fault.STRING_NOT_REVERSIBLE)
    found = list(islice(_occurrences(content.raw, old), _MAX_REPLACED + 1))
    if not found:
        return _in_another_form(hunk, replacement, text) or _as_lines(hunk, replacement)
    if failure := _refuse_count(hunk, replacement, content, found):
        return failure
    if failure := _refuse_applied(hunk, content, found) or _refuse_join(hunk, content, found):
        return failure
    return _whole_lines(hunk, content, found), _notes(content, found)


class _Content:
    """A file's content as bytes to search in, without what belongs to the framing of its lines.

    That is a byte-order mark, and a carriage return that ends every line.
    """

    def __init__(self, text: Text, replacement: Replacement) -> None:
        lines = [without_cr(line) for line in text.lines] if text.crlf else text.lines
        if lines and lines[0].startswith(BYTE_ORDER_MARK):
            lines = [lines[0].removeprefix(BYTE_ORDER_MARK), *lines[1:]]
        self.lines = lines
        self.raw = b"\n".join(lines) + (b"\n" if lines and text.final_newline else b"")
        self.replacement = replacement

    def line_at(self, offset: int) -> int:
        """Return the position of the line with the byte at `offset`, which is in the content."""
        return min(self.raw.count(b"\n", 0, offset), len(self.lines) - 1)

    def start_of(self, offset: int) -> int:
        """Return the offset at which the line with the byte at `offset` begins."""
        return self.raw.rfind(b"\n", 0, offset) + 1

    def end_of(self, offset: int) -> int:
        """Return the offset after the line with the byte at `offset`, and after its newline."""
        return self.raw.find(b"\n", offset) + 1 or len(self.raw)


def _content_for(replacement: Replacement, text: Text) -> _Content:
    r"""Return the content to search in: strings without `\r` where that belongs to the framing."""
    content, both = _Content(text, replacement), replacement.old + replacement.new
    is_framed = 0 < both.count(b"\n") == both.count(b"\r\n")
    if is_framed and (text.crlf or replacement.old not in content.raw):
        old, new = (value.replace(b"\r\n", b"\n") for value in replacement[:2])
        return _Content(text, replacement._replace(old=old, new=new))
    return content


def _occurrences(raw: bytes, wanted: bytes) -> Iterator[int]:
    """Yield the offsets of `wanted`, also of occurrences that overlap."""
    at = raw.find(wanted)
    while at >= 0:
        yield at
        at = raw.find(wanted, at + 1)


def _in_another_form(hunk: Hunk, replacement: Replacement, text: Text) -> _Expanded | None:
    """Read a string that is nowhere in the other form in which it is there, once.

    None if there is none, or if several say something else.
    """
    if replacement.every or replacement.expected:
        return None
    results: dict[tuple[Line, ...], _Expanded] = {}
    for old, new, note in string_forms(replacement.old, replacement.new):
        content = _content_for(replacement._replace(old=old, new=new), text)
        found = list(islice(_occurrences(content.raw, content.replacement.old), 2))
        if len(found) == 1 and not _refuse_applied(hunk, content, found):
            whole = _whole_lines(hunk, content, found)
            results.setdefault(tuple(whole.lines), (whole, (note,)))
    return next(iter(results.values())) if len(results) == 1 else None


def _replace_cell(
    hunk: Hunk, replacement: Replacement, cell: Cell, text: Text
) -> _Expanded | Failure:
    """Replace the source of a notebook's cell in the text of the notebook."""
    content = _Content(text, replacement)
    source = find_source(content.raw, cell, replacement.new)
    named = cell.id or str(cell.number)
    if source is None:
        return failure_of(hunk, Fault.NO_SUCH_CELL, cell=named)
    if source.old == source.new:
        places = (content.line_at(source.start),)
        return failure_of(hunk, Fault.CELL_APPLIED, positions=places, cell=named)
    content.replacement = replacement._replace(old=source.old, new=source.new)
    note = f"the source of cell `{visible(named, QUOTED)}` was replaced; its outputs stay"
    return _whole_lines(hunk, content, [source.start]), (note,)


def _as_lines(hunk: Hunk, replacement: Replacement) -> Hunk | Failure:
    """Read a string that is nowhere as whole lines, unless it says that it is more or less."""
    old, new = replacement.old, replacement.new
    joins = old.endswith(b"\n") and bool(new) and not new.endswith(b"\n")
    if replacement.every or joins:
        first = replacement.old.strip().partition(b"\n")[0]
        return failure_of(hunk, Fault.STRING_MISSING, old=first)
    return replace(hunk, replacement=None)


def _refuse_count(
    hunk: Hunk, replacement: Replacement, content: _Content, found: Sequence[int]
) -> Failure | None:
    """Refuse what occurs more often, or less often, than the patch says."""
    if len(found) > _MAX_REPLACED:
        return failure_of(hunk, Fault.STRING_TOO_OFTEN, count=_MAX_REPLACED)
    places, size = _places(_lines_of(content, found)), len(content.replacement.old)
    times = f"{len(found)} times" if len(found) > 1 else "once"
    if replacement.expected and len(found) != replacement.expected:
        expected = replacement.expected
        return failure_of(
            hunk, Fault.STRING_COUNT, positions=places, times=times, expected=expected
        )
    if len(found) > 1 and not replacement.every:
        enclosing = name_enclosing(places, content.lines)
        return failure_of(
            hunk, Fault.STRING_OFTEN, positions=places, enclosing=enclosing, times=times
        )
    if any(after - before < size for before, after in pairwise(found)):
        return failure_of(hunk, Fault.STRINGS_OVERLAP, positions=places)
    return None


def _places(lines: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(lines))[:MANY]


def _lines_of(content: _Content, found: Sequence[int]) -> list[int]:
    """Return the line of each occurrence; a newline that it begins with is not its line."""
    old = content.replacement.old
    leading = len(old) - len(old.lstrip(b"\n")) if old.strip(b"\n") else 0
    lines: list[int] = []
    line = done = 0
    for at in found:
        line += content.raw.count(b"\n", done, at + leading)
        done = at + leading
        lines.append(line)
    return lines


def _listed(lines: Sequence[int]) -> str:
    """List line numbers from 1; a line with several occurrences says so."""
    counts: dict[int, int] = {}
    for line in lines:
        counts[line] = counts.get(line, 0) + 1
    shown = [
        f"{line + 1}" if count == 1 else f"{line + 1} ({count} times)"
        for line, count in islice(counts.items(), SHOWN)
    ]
    return ", ".join(shown) + (", …" if len(counts) > SHOWN else "")


def _refuse_applied(hunk: Hunk, content: _Content, found: Sequence[int]) -> Failure | None:
    """Refuse a new string that contains the old one and is there already, so as not to double it.

    old    import os           file    import os
    new    import os                   import re
           import re
    """
    old, new = content.replacement.old, content.replacement.new
    shifts = list(islice(_occurrences(new, old), MANY))
    applied = [
        at
        for at in found
        if any(at >= shift and content.raw.startswith(new, at - shift) for shift in shifts)
    ]
    if not applied:
        return None
    places = _places(_lines_of(content, applied))
    if len(applied) == len(found):
        return failure_of(hunk, Fault.STRING_APPLIED, positions=places)
    part = Problem.of(Fault.STRING_REPLACED_IN_PART, count=len(applied), of=len(found))
    return failure_of(hunk, part, positions=places)


def refuse_applied_replacement(
    hunks: Sequence[Hunk], failure: Failure, text: Text
) -> Failure | None:
    """Return that the replacement of the hunk in `failure`, which is not found, is already applied.

    That is where its new string, which must be long enough to be no accident, occurs once, or as
    often as the patch expects. None if it is not applied, or not a replacement.
    """
    hunk = next((hunk for hunk in hunks if hunk.ordinal == failure.hunk), None)
    if failure.reason is not Reason.NOT_FOUND or hunk is None or hunk.replacement is None:
        return None
    return _applied_elsewhere(hunk, hunk.replacement, text)


def _applied_elsewhere(hunk: Hunk, replacement: Replacement, text: Text) -> Failure | None:
    content = _content_for(replacement, text)
    new = content.replacement.new
    if len(b"".join(new.split()).decode("utf-8", "replace")) < LEAST_DISTINCTIVE:
        return None
    found = list(islice(_occurrences(content.raw, new), MANY + 1))
    wanted = replacement.expected or (1 if not replacement.every else len(found))
    if not found or len(found) != wanted or len(found) > MANY:
        return None
    places = _places([content.line_at(at) for at in found])
    return failure_of(hunk, Fault.STRING_APPLIED, positions=places)


def _refuse_join(hunk: Hunk, content: _Content, found: Sequence[int]) -> Failure | None:
    """Refuse a new string without the newline that ends the old one, which is whole lines.

    The next line would be joined to it; to join lines on purpose, a patch shows some of the second.
    """
    old, new = content.replacement.old, content.replacement.new
    if not old.endswith(b"\n") or new.endswith(b"\n") or not new.strip():
        return None
    for at in found:
        end = at + len(old)
        next_line = content.raw[end : content.end_of(end)] if end < len(content.raw) else b""
        if content.start_of(at) == at and next_line.strip():
            places = (content.line_at(at),)
            joined = content.line_at(end) + 1
            return failure_of(hunk, Fault.STRING_JOINS, positions=places, next=joined)
    return None


def _notes(content: _Content, found: Sequence[int]) -> tuple[str, ...]:
    old, new = content.replacement.old, content.replacement.new
    if content.replacement.every:
        lines = _lines_of(content, found)
        count = f"{len(found)} occurrence{'s' * (len(found) > 1)}"
        where = f"line{'s' if len(set(lines)) > 1 else ''} {_listed(lines)}"
        return (f"{count} replaced: {where}",)
    (at,) = found
    is_line = content.start_of(at) == at and content.raw.startswith(b"\n", at + len(old))
    if not new and is_line and not old.endswith(b"\n"):
        line = content.line_at(at) + 1
        return (
            f"leaves an empty line {line}; to remove the line, end the old string with a newline",
        )
    return ()


def _whole_lines(hunk: Hunk, content: _Content, found: Sequence[int]) -> Hunk:
    """Return the hunk that shows the lines from the first to the last occurrence."""
    raw, number = content.raw, hunk.number
    lines: list[Line] = []
    done = None
    for start, end, new in _regions(content, found):
        if done is not None:
            lines += _context(raw[done:start], number)
        lines += _compared(raw[start:end], new, number)
        done = end
    return replace(
        hunk,
        lines=tuple(lines),
        replacement=None,
        uniform_endings=not any(line.text.endswith(b"\r") for line in lines),
    )


def _regions(content: _Content, found: Sequence[int]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the whole lines that occurrences touch, as start and end, and what becomes of them."""
    raw, old, new = content.raw, content.replacement.old, content.replacement.new
    parts: list[bytes] = []
    start = done = 0
    for index, at in enumerate(found):
        if not parts:
            start = done = content.start_of(at)
        parts += [raw[done:at], new]
        done = at + len(old)
        is_whole = raw[done - 1 : done] == b"\n" and _ends_line(parts)
        end = done if is_whole else content.end_of(done)
        if index + 1 < len(found) and found[index + 1] < end:
            continue
        yield start, end, b"".join([*parts, raw[done:end]])
        parts = []


def _ends_line(parts: Sequence[bytes]) -> bool:
    """Return whether the joined `parts` are nothing, or end with a newline."""
    last = next((part for part in reversed(parts) if part), b"\n")
    return last.endswith(b"\n")


def _compared(old: bytes, new: bytes, number: int) -> Iterator[Line]:
    """Yield the lines that turn `old` into `new`; what both have is context."""
    old_lines, new_lines = _split(old), _split(new)
    at = at_new = 0
    end = (len(old_lines), len(new_lines), 0)
    for same, same_new, size in [*common_runs(old_lines, new_lines), end]:
        yield from (_line(Prefix.REMOVED, line, number) for line in old_lines[at:same])
        yield from (_line(Prefix.ADDED, line, number) for line in new_lines[at_new:same_new])
        at, at_new = same + size, same_new + size
        yield from (_line(Prefix.CONTEXT, line, number) for line in old_lines[same:at])


def _context(raw: bytes, number: int) -> Iterator[Line]:
    return (_line(Prefix.CONTEXT, line, number) for line in _split(raw))


def _split(raw: bytes) -> list[bytes]:
    """Split into lines, each with its newline."""
    lines = [line + b"\n" for line in raw.split(b"\n")]
    last = lines.pop()
    return lines if last == b"\n" else [*lines, last[:-1]]


def _line(prefix: Prefix, line: bytes, number: int) -> Line:
    return Line(prefix, line.removesuffix(b"\n"), line.endswith(b"\n"), number)


def _insert(
    hunk: Hunk, replacement: Replacement, after: int, text: Text
) -> _Expanded | Hunk | Failure:
    """Insert lines below the first `after` lines of the file, which the number alone says."""
    content = _Content(text, replacement)
    count, added = len(content.lines), hunk.lines
    if after > count:
        return failure_of(hunk, Fault.BELOW_THE_END, after=after, size=count)
    if not count:
        return replace(hunk, replacement=None)
    new = [line.text for line in added]
    for start in (after, after - len(new)):
        if (
            start >= 0
            and content.lines[start : start + len(new)] == new
            and any(map(bytes.strip, new))
        ):
            return failure_of(hunk, Fault.ALREADY_APPLIED, positions=(start,))
    start, stop = _unique_range(content.lines, after)
    number = hunk.number
    lines = [
        *(_file_line(text, content, at, number) for at in range(start, after)),
        *added,
        *(_file_line(text, content, at, number) for at in range(after, stop)),
    ]
    where = (
        f"below line {after}: `{visible(content.lines[after - 1].strip(), 60)}`"
        if after
        else ("at the beginning of the file")
    )
    return replace(hunk, lines=tuple(lines), replacement=None), (f"inserted {where}",)


def _file_line(text: Text, content: _Content, at: int, number: int) -> Line:
    return Line(Prefix.CONTEXT, content.lines[at], text.has_newline(at), number)


def _unique_range(lines: Sequence[bytes], after: int) -> tuple[int, int]:
    """Return a range of lines around the position `after` that occurs once in the file."""
    raw = b"\n" + b"\n".join(lines) + b"\n"
    context = _CONTEXT
    while True:
        start, stop = max(after - context, 0), min(after + context, len(lines))
        shown = b"\n" + b"\n".join(lines[start:stop]) + b"\n"
        if stop - start == len(lines) or len(list(islice(_occurrences(raw, shown), 2))) == 1:
            return start, stop
        context *= 2
