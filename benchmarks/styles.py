"""Write a case as the text of a patch, in the style that a tool reads: format, wrapper, slips."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from hunks import numbers
from model import (
    ADDED,
    REMOVED,
    ROOT,
    Case,
    Format,
    Header,
    Hunk,
    Section,
    Slip,
    Style,
    Wrapper,
)

BARE_ENVELOPE = Style(Format.ENVELOPE, Header.BARE)
ANCHORED_ENVELOPE = Style(Format.ENVELOPE, Header.ANCHOR)
BARE_DIFF = Style(Format.UNIFIED, Header.BARE)
RIGHT_DIFF = Style(Format.UNIFIED, Header.RIGHT)
INVENTED_DIFF = Style(Format.UNIFIED, Header.INVENTED)
CHANGES = Style(Format.CHANGES, Header.BARE)
BLOCKS = Style(Format.BLOCKS, Header.BARE)
OPERATIONS = Style(Format.OPERATIONS, Header.BARE)
STRINGS = Style(Format.STRINGS, Header.BARE)

ALL = (BARE_ENVELOPE, ANCHORED_ENVELOPE, BARE_DIFF, RIGHT_DIFF, INVENTED_DIFF)
NUMBERLESS = (BARE_ENVELOPE, BARE_DIFF)
_ABLE = {
    Slip.COUNTS: (RIGHT_DIFF,),
    Slip.PREFIXES: (BARE_DIFF, INVENTED_DIFF),
    Slip.GRAMMAR: (BARE_ENVELOPE, ANCHORED_ENVELOPE, BARE_DIFF, INVENTED_DIFF),
}


def wrapped(wrapper: Wrapper) -> tuple[Style, ...]:
    """Return the styles that can be written in this wrapper."""
    able = (BARE_ENVELOPE, ANCHORED_ENVELOPE) if wrapper is Wrapper.HEREDOC else ALL
    return tuple(replace(style, wrapper=wrapper) for style in able)


def slipped(slip: Slip) -> tuple[Style, ...]:
    """Return the styles in which this slip can be made."""
    return tuple(replace(style, slip=slip) for style in _ABLE[slip])


def render(case: Case, style: Style) -> str:
    """Return the patch of `case` in this style; the same text each time."""
    rng = Random(case.name + case.commit.id)
    lines: Lines = list(_FORMATS[style.patch_format](case.draft.sections, style, rng))
    lines = _wrap(_slip(lines, style.slip, rng), style.wrapper, rng)
    return "".join(line + "\n" for line in lines)


def _envelope(sections: Sequence[Section], style: Style, _: Random) -> Iterator[str]:
    yield "*** Begin Patch"
    for section in sections:
        yield f"*** Update File: {section.path}"
        for hunk in section.hunks:
            yield from _below(_words(hunk, style), hunk)
    yield "*** End Patch"


def _unified(sections: Sequence[Section], style: Style, rng: Random) -> Iterator[str]:
    for section in sections:
        absolute = section.path.startswith(ROOT)
        if style.header is Header.RIGHT and not absolute:  # as git itself writes it
            yield f"diff --git a/{section.path} b/{section.path}"
        yield "--- " + ("" if absolute else "a/") + section.path
        yield "+++ " + ("" if absolute else "b/") + section.path
        drift = 0
        for hunk in section.hunks:
            yield from _below(_header(hunk, drift, style, rng), hunk)
            drift += len(hunk.after) - len(hunk.before)


def _header(hunk: Hunk, drift: int, style: Style, rng: Random) -> str:
    """Return the line that begins a hunk; an invented start, with counts that are so sometimes."""
    old = sum(line.prefix != ADDED for line in hunk.lines)
    new = sum(line.prefix != REMOVED for line in hunk.lines)
    if style.header is Header.RIGHT:
        return numbers(hunk.start, old, hunk.start + drift, new)
    if style.header is Header.INVENTED:
        start, slip = rng.randrange(400), rng.choice((0, 0, 1, 2))
        return numbers(start, old + slip, start + rng.randrange(3), new + slip)
    return _words(hunk, style)


def _words(hunk: Hunk, style: Style) -> str:
    return f"@@ {hunk.anchor}".rstrip() if style.header is Header.ANCHOR else "@@"


def _below(header: str, hunk: Hunk) -> list[str]:
    return [header, *(line.prefix + line.text for line in hunk.lines)]


def _changes(sections: Sequence[Section], _: Style, __: Random) -> Iterator[str]:
    """Write the container of udiffx, with a directive for each file."""
    yield "<FILE_CHANGES>"
    for section in sections:
        yield f'<FILE_PATCH file_path="{section.path}">'
        for hunk in section.hunks:
            yield from _below("@@", hunk)
        yield "</FILE_PATCH>"
    yield "</FILE_CHANGES>"


def _blocks(sections: Sequence[Section], _: Style, __: Random) -> Iterator[str]:
    """Write a search-and-replace block for each hunk, below its path, as for aider."""
    for section in sections:
        for hunk in section.hunks:
            yield from (section.path, "<<<<<<< SEARCH", *hunk.before, "=======")
            yield from (*hunk.after, ">>>>>>> REPLACE", "")


def _operations(sections: Sequence[Section], _: Style, __: Random) -> Iterator[str]:
    """Write the operations of the Responses API, a line of JSON for each file."""
    for section in sections:
        diff = "".join(line + "\n" for hunk in section.hunks for line in _below("@@", hunk))
        yield json.dumps({"type": "update_file", "path": section.path, "diff": diff})


def _strings(sections: Sequence[Section], _: Style, __: Random) -> Iterator[str]:
    """Write a call of Claude Code's Edit for each hunk, each on a line."""
    for section in sections:
        for hunk in section.hunks:
            old, new = ("\n".join(lines) for lines in (hunk.before, hunk.after))
            yield json.dumps({"file_path": section.path, "old_string": old, "new_string": new})


_FORMATS: dict[Format, Callable[[Sequence[Section], Style, Random], Iterator[str]]] = {
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
