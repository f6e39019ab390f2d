"""Complete the hunks of a review by the file at the commit that the comment is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from git_opatch.git.repository import Repository
from git_opatch.model.errors import RepositoryError
from git_opatch.model.failure import Failure, refusal
from git_opatch.model.patch import Hunk, Line, Patch, Prefix, Quote
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text
from git_opatch.parse.hunks import line_diff

_CONTEXT = 3


def with_quotes(patch: Patch, repository: Repository) -> Patch:
    """Return `patch` with the lines that its hunks quote, and some around, if their commit is here.

    Lines that a hunk shows must be there; else it stays as it is.
    """
    if not any(hunk.quote for section in patch.files for hunk in section.hunks):
        return patch
    files = []
    for section in patch.files:
        hunks = []
        for hunk in section.hunks:
            text = _read(repository, hunk.quote, section.path) if hunk.quote else None
            hunks.append(_around(hunk, hunk.quote, text) if hunk.quote and text else hunk)
        files.append(section._replace(hunks=tuple(hunks)))
    return patch._replace(files=tuple(files))


def refuse_missing(patch: Patch) -> Iterator[Failure]:
    """Refuse the hunks whose old lines, or the three lines above them, are not known.

    No line below is shown: where the right place has changed, a twin could fit so little.
    """
    for section in patch.files:
        for hunk in section.hunks:
            if hunk.quote and not _is_known(hunk, hunk.quote):
                commit = hunk.quote.commit[:12]
                yield refusal(section, Fault.QUOTE_MISSING, hunk=hunk, commit=commit)


def _is_known(hunk: Hunk, quote: Quote) -> bool:
    above = len(hunk.preimage) - (quote.stop - quote.start)
    return quote.is_shown and above >= min(_CONTEXT, quote.start)


def _read(repository: Repository, quote: Quote, path: str) -> Text | None:
    """Return the text of a file at a commit; None if it, or the commit, is not here."""
    try:
        entry = repository.list_tree(quote.commit, [path]).get(path)
        return Text.from_bytes(repository.read_blobs([entry.id])[entry.id]) if entry else None
    except RepositoryError:
        return None


def _around(hunk: Hunk, quote: Quote, text: Text) -> Hunk:
    """Return `hunk` with the lines of `text` that it quotes as old ones, and context."""
    lines = [line.removesuffix(b"\r") for line in text.lines] if text.crlf else text.lines
    count = quote.stop - quote.start
    above = len(hunk.preimage) - count if quote.is_shown else 0
    shown = [line.text for line in hunk.preimage[above:]]
    if quote.stop > len(lines) or shown not in ([], lines[quote.start : quote.stop]):
        return hunk
    first = max(quote.start - _CONTEXT, 0)
    old = [
        Line(Prefix.CONTEXT, lines[row], text.has_newline(row), hunk.number)
        for row in range(first, min(quote.stop + _CONTEXT, len(lines)))
    ]
    before, after = old[: quote.start - first], old[quote.stop - first :]
    removed = [each._replace(prefix=Prefix.REMOVED) for each in old[len(before) :][:count]]
    added = [line._replace(prefix=Prefix.ADDED) for line in hunk.postimage[above:]]
    if added and not text.has_newline(quote.stop - 1):
        added[-1] = added[-1]._replace(newline=False)
    stated = (hunk.stated_start or 0) + above - len(before)
    whole = (*before, *line_diff(removed, added), *after)
    return replace(hunk, lines=whole, stated_start=stated, quote=None)
