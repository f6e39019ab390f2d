"""Word the refusals of hunks: what is wrong, what the file has, and what would make it certain."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from git_opatch.locate.already_applied import first_new_line, unique_gap
from git_opatch.locate.candidates import Candidates
from git_opatch.locate.closest_match import ClosestMatches, difference
from git_opatch.locate.enclosing import name_enclosing
from git_opatch.locate.file_index import FileIndex
from git_opatch.model.limits import MANY, SHOWN
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.result import (
    AlreadyApplied,
    CandidatePositions,
    ClosestMatch,
    Failure,
    Mismatch,
    Reason,
    failure_of,
)
from git_opatch.model.text import visible


def refuse(
    candidates: Candidates, file_index: FileIndex, reason: Reason, message: str, advice: str
) -> Failure:
    """Refuse a hunk that has candidates; the failure lists them."""
    positions = tuple(candidates.positions[:MANY])
    first = positions[0]
    lines = file_index.lines[first : first + len(candidates.hunk_at(first).preimage)]
    is_unsure = reason is Reason.AMBIGUOUS
    lines_of_file, known = file_index.lines, file_index.enclosing
    enclosing = name_enclosing(positions, lines_of_file, known) if is_unsure else ()
    detail = CandidatePositions(positions, tuple(enumerate(lines, first)), enclosing)
    return failure_of(candidates.hunk, reason, message, advice, detail)


def refuse_ambiguous(
    candidates: Candidates, file_index: FileIndex, *, has_anchors: bool
) -> Failure:
    """Refuse a hunk that has several candidates left (D17).

    `has_anchors` is whether its format has anchors, which could decide.
    """
    count = len(candidates.positions)
    lines = ", ".join(str(position + 1) for position in candidates.positions[:SHOWN])
    if candidates.truncated:
        message = f"matches at more than {count - 1} positions; the first are lines {lines}"
    else:
        loosely = "loosely " if candidates.must_be_unique else ""
        more = ", …" if count > SHOWN else ""
        message = f"matches {loosely}at {count} positions: lines {lines}{more}"
    advice = _what_would_decide(candidates) if has_anchors else _MORE_LINES
    return refuse(candidates, file_index, Reason.AMBIGUOUS, message, advice)


_MORE_LINES = "add the lines above or below it, until they are in the file once"


def _what_would_decide(candidates: Candidates) -> str:
    """Say what the patch could add so that one of several candidates is meant."""
    hunk, anchors = candidates.hunk, candidates.anchors
    if candidates.must_be_unique:
        return "a loose match must be the only one; re-read the file and send the hunk again"
    missing = [visible(anchor.text.strip()) for anchor in anchors.missing if not anchor.weak]
    if missing:
        return f"the anchor `{missing[0]}` is not in the file; correct it, or add context lines"
    if hunk.at_end_of_file:
        return "none of them is at the end of the file; add context lines"
    if anchors.positions and not all(anchor.weak for anchor in hunk.anchors):
        return "its anchor does not distinguish them; add a second anchor, or context lines"
    return "add context lines, or `@@` with the enclosing definition"


def refuse_blank_lines(candidates: Candidates, position: int, file_index: FileIndex) -> Failure:
    """Refuse a hunk with other blank lines than the file next to an added line (D25).

    `position` is that of the file's blank line.
    """
    omits = candidates.alignments[candidates.positions[0]].omitted
    message = (
        f"{'omits a blank line' if omits else 'has too many blank lines'} next to an added line "
        f"(file line {position + 1}), so the position of the added line is ambiguous"
    )
    advice = "send the hunk again with the file's blank lines"
    return refuse(candidates, file_index, Reason.UNCLEAR, message, advice)


def refuse_gaps(candidates: Candidates) -> Failure:
    """Refuse a hunk whose change could depend on lines that it leaves out (D35)."""
    advice = "send the hunk again with these lines, or what is below them as a hunk of its own"
    return failure_of(candidates.hunk, Reason.NOT_FOUND, candidates.omission_problem, advice)


def refuse_addition(candidates: Candidates) -> Failure:
    """Refuse a hunk of added lines that says nothing of where they go (D21)."""
    advice = "add a context line, or `@@` with the line before the change"
    return failure_of(candidates.hunk, Reason.UNCLEAR, candidates.no_position, advice)


def refuse_already_applied(hunk: Hunk, position: int, tier: Tier, file_index: FileIndex) -> Failure:
    """Refuse a hunk whose postimage is at `position`, as compared at `tier` (D5)."""
    first = first_new_line(hunk, position, file_index, tier)
    new_lines = f"its new lines are at line {first + 1}"
    if tier is Tier.STRICT:
        detail = AlreadyApplied((first,), start=position)
        message = f"is already applied: {new_lines}"
        return failure_of(hunk, Reason.ALREADY_APPLIED, message, detail=detail)
    message = f"may already be applied: {new_lines}, but match only loosely"
    if (missing := _missing_removed(hunk, file_index)) is not None:
        line = visible(missing.text.strip())
        message += f"; `{line}`, which it removes, is not in the file"
    nearest = _first_loose_line(hunk, position, tier, file_index)
    advice = "" if nearest else "only its blank lines differ; if they matter, send the hunk again"
    detail = AlreadyApplied((first,), exact=False, nearest=nearest, start=position)
    return failure_of(hunk, Reason.ALREADY_APPLIED, message, advice, detail)


def _missing_removed(hunk: Hunk, file_index: FileIndex) -> Line | None:
    """Return the first line that the hunk removes and the file does not have; None if it has all.

    It is gone since the change is applied, or the hunk is wrong: the author can tell.
    """
    removed = (line for line in hunk.lines if line.prefix is Prefix.REMOVED and line.text.strip())
    missing = (line for line in removed if not file_index.strict_positions(line.text))
    return next(missing, None)


def _first_loose_line(
    hunk: Hunk, position: int, tier: Tier, file_index: FileIndex
) -> ClosestMatch | None:
    """Compare the first new line that the file at `position` has only loosely; None if all are."""
    view, lines = file_index.view(tier), file_index.lines
    solid = [line for line in hunk.postimage if view.key(line)]
    first = bisect_left(view.solid, position)
    for line, at in zip(solid, view.solid[first:], strict=False):
        expected = file_index.normal(line.text)
        if expected != lines[at]:
            around = tuple(enumerate(lines[max(at - 1, 0) : at + 2], max(at - 1, 0)))
            last = min(position + len(hunk.postimage), len(lines))
            reread = (position + 1, max(last, at + 1))
            return ClosestMatch(at, line, around, difference(expected, lines[at]), reread)
    return None


class NotFoundExplainer:
    """Refuses the hunks of a file that are not found: shows the closest match."""

    def __init__(
        self, file_index: FileIndex, all_candidates: Sequence[Candidates], matching: Matching
    ) -> None:
        self._file_index = file_index
        self._all_candidates = all_candidates
        self._matching = matching
        self._closest_matches: ClosestMatches | None = None

    def refuse(self, candidates: Candidates) -> Failure:
        """Refuse a hunk that is not found at any tier that is allowed."""
        hunk = candidates.hunk
        advice = []
        nearest = self._closest(candidates)
        if nearest is None:
            nearest = ClosestMatch(0, hunk.preimage[0], ())
            advice = ["none of its lines is in the file; re-read the file and send the hunk again"]
        advice += _omission_advice(hunk)
        if not nearest.line.has_prefix:
            advice.append("the line does not begin with ` `, `-` or `+`; read as context")
        if _may_replace(nearest.line, hunk):
            advice.append("the line is below a removed one: if it replaces that, begin it with `+`")
        if hunk.unfinished:
            advice.append("the text ends there, and the hunk's header announces more lines")
        advice += self._applied_advice(hunk)
        text = "\n".join(advice)
        return failure_of(hunk, Reason.NOT_FOUND, "does not match", text, Mismatch(nearest))

    def _closest(self, candidates: Candidates) -> ClosestMatch | None:
        if self._closest_matches is None:
            lost = [found.hunk for found in self._all_candidates if not found.positions]
            self._closest_matches = ClosestMatches(self._file_index, lost, self._matching.tier)
        return self._closest_matches.nearest(candidates.hunk, candidates.anchors.positions)

    def _applied_advice(self, hunk: Hunk) -> list[str]:
        """Mention where the hunk may be made already, or its prefixes reversed."""
        removed, added = (
            [line for line in hunk.lines if line.prefix is prefix and line.text.strip()]
            for prefix in (Prefix.REMOVED, Prefix.ADDED)
        )
        if self._matching.reversed:
            return []
        if (gap := unique_gap(hunk, self._file_index)) is not None:
            return [
                "what it removes may be gone already: its other lines are together at line "
                f"{gap + 1}"
            ]
        if not removed or not added:
            return []
        if any(map(self._is_in_file, removed)):
            return []
        if not all(map(self._is_in_file, added)):
            return []
        return [
            "the file has the added lines and not the removed ones: `-` and `+` may be reversed, "
            "or the change is already applied"
        ]

    def _is_in_file(self, line: Line) -> bool:
        return bool(self._file_index.find([line]))


def _may_replace(line: Line, hunk: Hunk) -> bool:
    """Return whether context that is not where it should be is right below a removed line (D27)."""
    pairs = zip(hunk.lines, hunk.lines[1:], strict=False)
    return any(
        above.prefix is Prefix.REMOVED and below.prefix is Prefix.CONTEXT and below == line
        for above, below in pairs
    )


def _omission_advice(hunk: Hunk) -> list[str]:
    """Name a context line such as `# ... existing code ...`, which omits lines (D35)."""
    from git_opatch.locate.omitted_context import is_placeholder

    return [
        f"line {line.number}, `{visible(line.text.strip())}`, omits lines; begin a new hunk "
        "with `@@` after it, or write the lines out"
        for line in hunk.preimage
        if is_placeholder(line)
    ][:1]
