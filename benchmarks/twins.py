"""Near-identical code under another name, put into both versions of a file.

With it a wrong position is possible: a patch that names its place badly fits the twin as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from model import Edit, FileChange, growth_above
from reading import block_of, definitions, is_prose

_SIZES = range(3, 80)
_NAME = re.compile(
    r"(?:def|class|function|func|fn|struct|enum|impl|trait|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)"
)
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"[A-Za-z_]{4,}|\d+")


def with_twin(change: FileChange, rng: Random) -> FileChange | None:
    """The same change of a file that has a twin of an enclosing block before or after it."""
    edit = rng.choice(change.edits)
    above = [at for at in definitions(change.path, change.old) if at <= edit.old_start]
    for at in reversed(above[-4:]):
        block = block_of(change.old, at, prose=is_prose(change))
        if edit.old_stop <= block.stop and len(block) in _SIZES:
            name = renamed(change.old[at], change.old, rng)
            if name is None:
                return None
            twin = [name, *change.old[at + 1 : block.stop]]
            if rng.random() < 0.4:
                _differ(twin, rng)
            return _insert(change, rng.choice((block.start, block.stop)), twin)
    return None


def renamed(line: str, lines: Sequence[str], rng: Random) -> str | None:
    """A definition or a heading under a name that is not among `lines`."""
    found = _NAME.search(line) or _CALLED.search(line)
    if line.lstrip().startswith("#") and not found:
        new = f"{line.rstrip()} {rng.choice(('again', 'in old versions', 'for others'))}"
    elif found is None:
        return None
    else:
        name = found[1] + rng.choice(("_copy", "Other", "_legacy", "2"))
        new = line[: found.start(1)] + name + line[found.end(1) :]
        if any(name in other for other in lines):
            return None
    return None if new in lines else new


def _differ(twin: list[str], rng: Random) -> None:
    """Change one word or number of one of the twin's lines."""
    able = [at for at, line in enumerate(twin) if at and _WORD.search(line)]
    if able:
        at = rng.choice(able)
        word = rng.choice(list(_WORD.finditer(twin[at])))
        new = str(int(word[0]) + 1) if word[0].isdecimal() else f"{word[0]}_b"
        twin[at] = twin[at][: word.start()] + new + twin[at][word.end() :]


def _insert(change: FileChange, at: int, twin: Sequence[str]) -> FileChange | None:
    """The change with further lines at a position of the old file that no edit touches."""
    if any(edit.old_start <= at <= edit.old_stop for edit in change.edits):
        return None
    is_after = at > 0 and change.old[at - 1 : at] != ("",)
    lines = [*([""] if is_after else []), *twin, ""]
    new_at = at + growth_above(change.edits, at)
    edits = tuple(
        _moved(edit, len(lines)) if edit.old_start >= at else edit for edit in change.edits
    )
    return replace(
        change,
        old=(*change.old[:at], *lines, *change.old[at:]),
        new=(*change.new[:new_at], *lines, *change.new[new_at:]),
        edits=edits,
    )


def _moved(edit: Edit, by: int) -> Edit:
    return Edit(*(number + by for number in (
        edit.old_start, edit.old_stop, edit.new_start, edit.new_stop
    )))  # fmt: skip
