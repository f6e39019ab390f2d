"""What an anchor that is not a line of the file refers to: `in the load method` (D242).

Writers name what a hunk is in as they speak of it: `Store.load`, `load()`, `class Store, method
load`. Such a text is a reference if it has nothing but names, words for kinds of definitions, and
words such as `in` and `the`. In a sentence, a name beside a word for a kind is one: `update the
load method`. Whether the file has what is named is not known here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_KINDS = (
    rb"(?:method|function|func|def|fn|fun|class|struct|interface|module|trait|impl|enum|"
    rb"constructor)"
)
_FILLERS = frozenset(b"in inside within of the a line at block body definition section".split())
_NAME = rb"[A-Za-z_$][\w$]*[?!]?"
_PATH = rb"`?(" + _NAME + rb"(?:(?:\.|::|#)" + _NAME + rb")*)`?(?:\(\))?`?"
_ARGUMENTS = rb"\([^()]*\)"
_RECEIVER = rb"\(\*?(\w+)\)\."
_OTHER = rb"[^\w$\s.,:;#>/`'\"?!-]"
"""What is in no list of names."""
_BESIDE_KIND = rb"\b" + _KINDS + rb"\s+" + _PATH + rb"|" + _PATH + rb"\s+" + _KINDS + rb"\b"


_ALONE = re.compile(rb"\s*(?:[\w$]+(?:\.|::|#))*[\w$]+[?!]?(?:\([^()]*\))?:?\s*")


class Reference(NamedTuple):
    """A name in a text, and the name right before it that qualifies it; empty if there is none."""

    name: bytes
    qualifier: bytes = b""


def references_in(text: bytes) -> list[Reference]:
    """Return the names in a text that says nothing but where a hunk is; none if it says more.

    Which of them the file has shows whether it does: `fix load` names `fix`, too.
    """
    text = re.sub(_ARGUMENTS, b"", re.sub(_RECEIVER, rb"\1.", text))
    if re.search(_OTHER, text):
        return []
    kinds, found = re.compile(_KINDS), list[Reference]()
    for path in re.findall(_PATH, text):
        names = re.findall(_NAME, path)
        found += map(Reference, names, [b"", *names])
    return [
        reference
        for reference in found
        if reference.name not in _FILLERS and not kinds.fullmatch(reference.name.lower())
    ]


def is_name(text: bytes) -> bool:
    """Return whether a text is nothing but a name, such as `load`, `Store.load` or `load(self)`."""
    return _ALONE.fullmatch(text) is not None


def names_beside_kinds(text: bytes) -> list[bytes]:
    """Return the names that a sentence calls a method, a function or the like."""
    found = re.finditer(_BESIDE_KIND, re.sub(_ARGUMENTS, b"()", text))
    paths = (match[1] or match[2] for match in found)
    return [name for path in paths for name in re.findall(_NAME, path)]
