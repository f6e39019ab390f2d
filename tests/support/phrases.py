"""The sentences of refusals and errors, which tests name: their words are in one snapshot."""

from __future__ import annotations

import re

from git_opatch.model.sentences import fill

_PLACEHOLDER = re.compile(r"\{[^}]*\}")


def said(sentence: str, **values: object) -> str:
    """Return a sentence with its values."""
    return fill(sentence, values)


def opening(sentence: str) -> str:
    """Return the words of a sentence up to its first placeholder."""
    return _PLACEHOLDER.split(sentence)[0].strip()
