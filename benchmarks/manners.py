"""The text around a patch, and the mistakes of writers who do not know its format.

The slips are those reported of models that do not know the grammar of a format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from model import Slip, Wrapper

_PROSE = ("Here is the change:", "I have updated the file as you asked.", "Done; see the patch.")
_NUMBERS = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_NAMES = re.compile(r"(---|\+\+\+) [ab]/")

Lines = Sequence[str]


def wrapped(lines: Lines, wrapper: Wrapper, rng: Random) -> Lines:
    """Return `lines` in this wrapper."""
    if wrapper is Wrapper.FENCE:
        fence, word = rng.choice(("```", "~~~", "````")), rng.choice(("diff", "patch", ""))
        return [rng.choice(_PROSE), "", fence + word, *lines, fence, "", rng.choice(_PROSE)]
    if wrapper is Wrapper.HEREDOC:
        return rng.choice(_HEREDOCS)(lines)
    return lines


_HEREDOCS: Sequence[Callable[[Lines], Lines]] = (
    lambda lines: ["apply_patch <<'EOF'", *lines, "EOF"],
    lambda lines: ['apply_patch <<"PATCH"', *lines, "PATCH"],
    lambda lines: ["$ cat <<'EOF' | apply_patch", *lines, "EOF"],
    lambda lines: ["```bash", "cd . && apply_patch <<'EOF'", *lines, "EOF", "```"],
)


def slipped(lines: Lines, slip: Slip, rng: Random) -> Lines:
    """Return `lines` with this slip."""
    if slip is Slip.COUNTS:
        return [_NUMBERS.sub(lambda match: _miscounted(match, rng), line) for line in lines]
    if slip is Slip.PREFIXES:
        return [_NAMES.sub(r"\1 ", line) for line in lines]
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


def _starred(lines: Lines, _: Random) -> Lines:
    return [f"{line} ***" if line.endswith(" Patch") else line for line in lines]


def _glued(lines: Lines, _: Random) -> Lines:
    return [re.sub(r"^\*\*\* (?=Begin|End|Update)", "***", line) for line in lines]


def _no_colon(lines: Lines, _: Random) -> Lines:
    return [re.sub(r"^(\*\*\* ?Update File):", r"\1", line) for line in lines]


def _numbered(lines: Lines, rng: Random) -> Lines:
    numbers = f"@@ -{rng.randint(1, 300)},7 +{rng.randint(1, 300)},8 @@"
    return [numbers if line == "@@" else line for line in lines]


def _dotted(lines: Lines, rng: Random) -> Lines:
    return [rng.choice(("@@ ... @@", "@@ … @@")) if line == "@@" else line for line in lines]


def _closed(lines: Lines, _: Random) -> Lines:
    return [f"{line} @@" if re.match(r"@@ [^-.…]", line) else line for line in lines]


def _with_names(lines: Lines, _: Random) -> Lines:
    found: list[str] = []
    for line in lines:
        found.append(line)
        path = re.fullmatch(r"\*\*\* ?Update File:? (.+)", line)
        found += [f"--- a/{path[1]}", f"+++ b/{path[1]}"] if path else []
    return found


def _no_end(lines: Lines, _: Random) -> Lines:
    return lines[:-1]


def _fenced(lines: Lines, rng: Random) -> Lines:
    return wrapped(lines, Wrapper.FENCE, rng)


def _no_prefixes(lines: Lines, rng: Random) -> Lines:
    return slipped(lines, Slip.PREFIXES, rng)


def _without_space(lines: Lines, rng: Random) -> Lines:
    """Remove the space of one context line that begins with a letter."""
    able = [at for at, line in enumerate(lines) if re.match(r" +[A-Za-z]", line)]
    at = rng.choice(able) if able else -1
    return [line[1:] if number == at else line for number, line in enumerate(lines)]


def _timed(lines: Lines, _: Random) -> Lines:
    stamp = "2026-05-01 10:00:00.000000000 +0200"
    return [f"{line}\t{stamp}" if _NAMES.match(line) else line for line in lines]


_IN_ENVELOPES = (
    _starred, _glued, _no_colon, _numbered, _dotted, _closed, _with_names, _no_end, _without_space,
)  # fmt: skip
_IN_DIFFS = (_fenced, _no_prefixes, _dotted, _without_space, _timed)
