"""Write hunks as the text of a patch: format, wrapper, and the errors of a format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random

from hunks import hunks_of
from model import REMOVED, Case, Format, Piece, Row, Section, Slip, Style, Wrapper, Written


def render(case: Case, style: Style) -> str:
    """Return the patch of `case` in this style; the same text each time."""
    rng = Random(case.name + case.source)
    sections = [
        (change.path, hunks_of(change, case.context, style.patch_format, style.header))
        for change in case.changes
    ]
    lines = write_lines(sections, style.patch_format)
    lines = _wrap(_slip(lines, style.slip, rng), style.wrapper, rng)
    return "".join(line + "\n" for line in lines)


def write_lines(sections: Sequence[Section], patch_format: Format) -> Lines:
    """Return the lines of a patch."""
    return list(_FORMATS[patch_format](sections))


def _envelope(sections: Sequence[Section]) -> Iterator[str]:
    yield "*** Begin Patch"
    for path, pieces in sections:
        yield f"*** Update File: {path}"
        for piece in pieces:
            yield from [f"@@ {name}" for name in piece.head.names] or ["@@"]
            yield from _body(piece)
            if piece.at_end:
                yield "*** End of File"
    yield "*** End Patch"


def _unified(sections: Sequence[Section]) -> Iterator[str]:
    for path, pieces in sections:
        if any(piece.head.numbers for piece in pieces):  # as git itself writes it
            yield f"diff --git a/{path} b/{path}"
        yield from (f"--- a/{path}", f"+++ b/{path}")
        for piece in pieces:
            yield from (_header(piece), *_body(piece))


def _header(piece: Piece) -> str:
    """Return the line that begins a hunk of a diff."""
    head = piece.head
    if head.numbers is None:
        return f"@@ {''.join(head.names[-1:])}".rstrip()
    old = sum(row.is_old for row in piece.rows)
    new = sum(row.prefix != REMOVED for row in piece.rows)
    start, new_start = head.numbers[0] + (old > 0), max(head.numbers[1], 0) + (new > 0)
    return f"@@ -{start},{old} +{new_start},{new} @@ {head.heading}".rstrip()


def _body(piece: Piece) -> Iterator[str]:
    number = piece.start
    for row in piece.rows:
        number += row.is_old
        yield _line(row, number, piece.written)
        if not row.newline:
            yield "\\ No newline at end of file"


def _line(row: Row, number: int, written: Written) -> str:
    if written is Written.DOUBLED:
        return row.prefix * (1 if row.is_context else 2) + row.text
    if written is Written.NUMBERED or (written is Written.OLD_NUMBERED and row.is_old):
        shown = number if row.is_old else number + 1
        return f"{row.prefix}{shown:4}| {row.text}"
    return row.prefix + row.text


def _changes(sections: Sequence[Section]) -> Iterator[str]:
    """Write the container of udiffx, with a directive for each file."""
    yield "<FILE_CHANGES>"
    for path, pieces in sections:
        yield f'<FILE_PATCH file_path="{path}">'
        for piece in pieces:
            yield from ("@@", *_body(piece))
        yield "</FILE_PATCH>"
    yield "</FILE_CHANGES>"


def _blocks(sections: Sequence[Section]) -> Iterator[str]:
    """Write a search-and-replace block for each hunk, below its path, as for aider."""
    for path, pieces in sections:
        for piece in pieces:
            yield from (path, "<<<<<<< SEARCH", *piece.old, "=======")
            yield from (*piece.after, ">>>>>>> REPLACE", "")


def _operations(sections: Sequence[Section]) -> Iterator[str]:
    """Write the operations of the Responses API, a line of JSON for each file."""
    for path, pieces in sections:
        diff = "".join(line + "\n" for piece in pieces for line in ("@@", *_body(piece)))
        yield json.dumps({"type": "update_file", "path": path, "diff": diff})


def _strings(sections: Sequence[Section]) -> Iterator[str]:
    """Write a call of Claude Code's Edit for each hunk, each on a line."""
    for path, pieces in sections:
        for piece in pieces:
            old, new = "\n".join(piece.old), "\n".join(piece.after)
            yield json.dumps({"file_path": path, "old_string": old, "new_string": new})


_FORMATS: dict[Format, Callable[[Sequence[Section]], Iterator[str]]] = {
    Format.ENVELOPE: _envelope,
    Format.UNIFIED: _unified,
    Format.CHANGES: _changes,
    Format.BLOCKS: _blocks,
    Format.OPERATIONS: _operations,
    Format.STRINGS: _strings,
}

Lines = Sequence[str]
_PROSE = ("Here is the change:", "I have updated the file as you asked.", "Done; see the patch.")
_NUMBERS = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_NAMES = re.compile(r"(---|\+\+\+) [ab]/")
_HEREDOCS: Sequence[Callable[[Lines], Lines]] = (
    lambda lines: ["apply_patch <<'EOF'", *lines, "EOF"],
    lambda lines: ['apply_patch <<"PATCH"', *lines, "PATCH"],
    lambda lines: ["$ cat <<'EOF' | apply_patch", *lines, "EOF"],
    lambda lines: ["```bash", "cd . && apply_patch <<'EOF'", *lines, "EOF", "```"],
)


def _wrap(lines: Lines, wrapper: Wrapper, rng: Random) -> Lines:
    if wrapper is Wrapper.FENCE:
        fence, word = rng.choice(("```", "~~~", "````")), rng.choice(("diff", "patch", ""))
        return [rng.choice(_PROSE), "", fence + word, *lines, fence, "", rng.choice(_PROSE)]
    return rng.choice(_HEREDOCS)(lines) if wrapper is Wrapper.HEREDOC else lines


def _slip(lines: Lines, slip: Slip, rng: Random) -> Lines:
    if slip is Slip.COUNTS:
        return [_NUMBERS.sub(lambda match: _miscounted(match, rng), line) for line in lines]
    if slip is Slip.PREFIXES:
        return _no_prefixes(lines, rng)
    if slip is Slip.GRAMMAR:
        able = _IN_ENVELOPES if lines[0].startswith("***") else _IN_DIFFS
        for mistake in rng.sample(able, rng.randint(2, 4)):
            lines = mistake(lines, rng)
    return lines


def _miscounted(match: re.Match[str], rng: Random) -> str:
    start, count, new_start, new_count = map(int, match.groups())
    count, new_count = (
        max(number + rng.choice((-2, -1, 1, 3)), 0) for number in (count, new_count)
    )
    return f"@@ -{start},{count} +{new_start},{new_count} @@"


Mistake = Callable[[Lines, Random], Lines]


def _each(rewrite: Callable[[str, Random], str]) -> Mistake:
    return lambda lines, rng: [rewrite(line, rng) for line in lines]


def _sub(pattern: str, new: str) -> Mistake:
    found = re.compile(pattern)
    return _each(lambda line, _: found.sub(new, line))


def _numbered(lines: Lines, rng: Random) -> Lines:
    header = f"@@ -{rng.randint(1, 300)},7 +{rng.randint(1, 300)},8 @@"
    return [header if line == "@@" else line for line in lines]


def _with_names(lines: Lines, _: Random) -> Lines:
    found: list[str] = []
    for line in lines:
        found.append(line)
        path = re.fullmatch(r"\*\*\* ?Update File:? (.+)", line)
        found += [f"--- a/{path[1]}", f"+++ b/{path[1]}"] if path else []
    return found


def _without_space(lines: Lines, rng: Random) -> Lines:
    """Remove the space of one context line that begins with a letter."""
    able = [at for at, line in enumerate(lines) if re.match(r" +[A-Za-z]", line)]
    at = rng.choice(able) if able else -1
    return [line[1:] if number == at else line for number, line in enumerate(lines)]


_no_prefixes = _sub(_NAMES.pattern, r"\1 ")
_dotted = _each(lambda line, rng: rng.choice(("@@ ... @@", "@@ … @@")) if line == "@@" else line)
_IN_ENVELOPES: Sequence[Mistake] = (
    _sub(r"(?<= Patch)$", " ***"),
    _sub(r"^\*\*\* (?=Begin|End|Update)", "***"),
    _sub(r"^(\*\*\* ?Update File):", r"\1"),
    _numbered,
    _dotted,
    _sub(r"^(@@ [^-.…].*)", r"\1 @@"),
    _with_names,
    lambda lines, _: lines[:-1],
    _without_space,
)
_IN_DIFFS: Sequence[Mistake] = (
    lambda lines, rng: _wrap(lines, Wrapper.FENCE, rng),
    _no_prefixes,
    _dotted,
    _without_space,
    _sub(r"^((?:---|\+\+\+) [ab]/.*)$", "\\1\t2026-05-01 10:00:00.000000000 +0200"),
)
