"""Which lines look like the beginning of a definition or of a section?

An anchor belongs to what follows it up to the next such line. A line too many counted as
a heading costs a refusal, a line too few may cost a wrong place.
"""

from __future__ import annotations

import re

_MODIFIERS = (
    rb"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|"
    rb"override|virtual|inline|extern|unsafe|const|constexpr|pub(?:\([^)]*\))?|declare|open|"
    rb"sealed|partial|local|suspend|data|case|implicit|friend)\s+)*"
)
_DEFINITION = re.compile(
    rb"\s*" + _MODIFIERS + rb"(?:def|class|function|func|fn|fun|interface|struct|enum|union|"
    rb"impl|trait|type|module|namespace|package|object|record|sub|proc|procedure|macro|"
    rb"template|describe|context|it|test)\b[\s*(&<]"
)
_SECTION = re.compile(rb"#{1,6}\s+\S|\[[^\]]+\]\s*$|\[\[[^\]]+\]\]\s*$|={2,6}\s+\S|\S.*:\s*$")
_BLOCK = re.compile(rb"\s*[\w$~][\w$<>,.:*&\[\]~\s]*\([^;]*\)[\w\s:<>,*&|?\[\]-]*\{\s*$")
_AT_MARGIN = re.compile(rb"[A-Za-z_$][\w$\s*&:<>,.\[\]~]*\(")
_CONTROL = re.compile(
    rb"\s*(?:\}\s*)?(?:if|else|elif|for|foreach|while|switch|case|catch|do|try|return|with|"
    rb"except|finally|until|unless|when|match|synchronized|using|lock|default)\b"
)


_PATTERNS = (_DEFINITION, _SECTION, _BLOCK, _AT_MARGIN)
_LONGEST = 200  # what is longer is no heading, and would make the patterns slow


def is_heading(line: bytes) -> bool:
    """Whether `line` looks like a definition (of any common language) or a section."""
    if len(line) > _LONGEST or _CONTROL.match(line):
        return False
    return any(pattern.match(line) for pattern in _PATTERNS)
