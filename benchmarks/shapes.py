"""Makers of cases that differ in the order and the overlap of hunks, or in the file itself."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hunks import draft_of, hunk_of, hunks_of, nearest_heading, plain_draft
from model import ADDED, CONTEXT, REMOVED, Commit, Draft, FileChange, Hunk, Line, to_bytes
from spoil import with_hunks

FAR = 8  # lines between a hunk and what drifts


def out_of_order(commit: Commit, rng: Random) -> Draft | None:
    """The hunks of each file shuffled."""
    draft = plain_draft(commit, 3)
    shuffled = draft
    for at, section in enumerate(draft.sections):
        hunks = tuple(rng.sample(section.hunks, len(section.hunks)))
        shuffled = with_hunks(shuffled, at, hunks)
    return shuffled if shuffled != draft else None


def overlapping_context(commit: Commit, _: Random) -> Draft | None:
    """Near changes as hunks of their own, whose context is the same lines."""
    if not _has_gaps(commit, range(1, 6)):
        return None
    return draft_of(commit.files, [_apart(change) for change in commit.files])


def state_after(commit: Commit, _: Random) -> Draft | None:
    """Near changes as hunks of their own, each showing what those before it made."""
    if not _has_gaps(commit, range(1, 3)):
        return None
    return draft_of(commit.files, [_apart_after(change) for change in commit.files])


def _has_gaps(commit: Commit, sizes: range) -> bool:
    return any(size in sizes for change in commit.files for size in _gaps(change)[1:-1])


def _gaps(change: FileChange) -> list[int]:
    """Return the numbers of unchanged lines before, between and after the edits."""
    stops = [0, *(edit.old_stop for edit in change.edits)]
    starts = [*(edit.old_start for edit in change.edits), len(change.old)]
    return [start - stop for start, stop in zip(starts, stops, strict=True)]


def _apart(change: FileChange) -> list[Hunk]:
    gaps = _gaps(change)
    return [
        hunk_of(change, [edit], min(above, 3), min(below, 3))
        for edit, above, below in zip(change.edits, gaps, gaps[1:], strict=False)
    ]


def _apart_after(change: FileChange) -> list[Hunk]:
    """As `_apart`, with the context above taken from the new file."""
    hunks = []
    for hunk, edit in zip(_apart(change), change.edits, strict=True):
        above = edit.old_start - hunk.start
        shown = change.new[max(edit.new_start - 3, 0) : edit.new_start]
        context = (Line(CONTEXT, text) for text in shown)
        lines = (*context, *hunk.lines[above:])
        hunks.append(replace(hunk, lines=lines, start=edit.old_start - len(shown)))
    return hunks


def noop_hunk(commit: Commit, rng: Random) -> Draft | None:
    """A hunk that changes nothing among the real ones of a file."""
    draft = plain_draft(commit, 3)
    at = rng.randrange(len(commit.files))
    change = commit.files[at]
    hunks = draft.sections[at].hunks
    taken = {line for hunk in hunks for line in range(hunk.start, hunk.start + len(hunk.before))}
    free = [n for n in range(len(change.old) - 2) if taken.isdisjoint(range(n, n + 3))]
    if not free:
        return None
    noop = _noop(change, rng.choice(free), rng)
    return with_hunks(draft, at, tuple(sorted((*hunks, noop), key=lambda hunk: hunk.start)))


def _noop(change: FileChange, start: int, rng: Random) -> Hunk:
    """Context alone, or its middle line replaced by itself."""
    above, line, below = change.old[start : start + 3]
    middle = [Line(CONTEXT, line)]
    if rng.random() < 0.5:
        middle = [Line(REMOVED, line), Line(ADDED, line)]
    whole = (Line(CONTEXT, above), *middle, Line(CONTEXT, below))
    return Hunk(whole, start, nearest_heading(change, start))


def drift(commit: Commit, rng: Random) -> Draft | None:
    """Lines that the writer of the patch did not know, well above and below the hunks."""
    moved = [_drifted(change, rng) for change in commit.files]
    if all(new.old == change.old for new, change in zip(moved, commit.files, strict=True)):
        return None
    return draft_of(moved, [hunks_of(change, 3) for change in commit.files])


def _drifted(change: FileChange, rng: Random) -> FileChange:
    """The change of a file that has further lines in both versions."""
    old, new = list(change.old), list(change.new)
    below = change.edits[-1].old_stop + FAR
    above = change.edits[0].old_start - FAR
    if below <= len(old):
        at = rng.randint(below, len(old))
        extra = _notes(rng)
        new[at + len(new) - len(old) : at + len(new) - len(old)] = extra
        old[at:at] = extra
    if above >= 0:
        at = rng.randint(0, above)
        extra = _notes(rng)
        old[at:at] = new[at:at] = extra
    return replace(change, old=tuple(old), new=tuple(new))


def _notes(rng: Random) -> list[str]:
    count = rng.choice((1, 2, 5, 20, 60))
    return [f"note {rng.randrange(10**6)}: added since the patch was written" for _ in range(count)]


def crlf_file(commit: Commit, _: Random) -> Draft | None:
    """Files that end their lines with CRLF, and a patch that does not."""
    draft = plain_draft(commit, 3)
    base = {change.path: to_bytes(change.old, "\r\n") for change in commit.files}
    expected = {change.path: to_bytes(change.new, "\r\n") for change in commit.files}
    return replace(draft, base=base, expected=expected)


def no_final_newline(commit: Commit, rng: Random) -> Draft | None:
    """Files without a newline at the end; half of the cases have a hunk that reaches it."""
    if any(_gaps(change)[-1] == 0 or not change.old[-1] for change in commit.files):
        return None
    reaching = any(_gaps(change)[-1] <= 3 for change in commit.files)
    if reaching != (rng.random() < 0.5):
        return None
    draft = plain_draft(commit, 3)
    base = {path: data[:-1] for path, data in draft.base.items()}
    expected = {change.path: to_bytes(change.new)[:-1] for change in commit.files}
    if rng.random() < 0.5:
        draft = _with_end_marks(draft, commit)
    return replace(draft, base=base, expected=expected)


def _with_end_marks(draft: Draft, commit: Commit) -> Draft:
    """The draft, where a hunk that shows the last line says that it has no newline."""
    for at, change in enumerate(commit.files):
        *others, last = draft.sections[at].hunks
        if last.start + len(last.before) == len(change.old):
            end = replace(last.lines[-1], newline=False)
            last = last.with_line(len(last.lines) - 1, end)
            draft = with_hunks(draft, at, (*others, last))
    return draft
