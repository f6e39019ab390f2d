"""A hunk spoiled as models spoil hunks gives the edited file or a refusal, nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from examples import examples
from hypothesis import HealthCheck, assume, event, given
from hypothesis import strategies as st
from sandbox import Sandbox
from writers import Edited, Run, content, envelope, places

from git_opatch.git.repository import Repository
from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry, Mode, blob_id
from git_opatch.model.options import Options
from git_opatch.model.refusal import Refused
from git_opatch.model.text import Text
from git_opatch.operations.apply import apply_patch
from git_opatch.parse import parse_patch
from git_opatch.plan.section import plan_sections

_HEALTH = HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large
_many = examples(10, *_HEALTH)
_few = examples(2 / 3, *_HEALTH)

_WORDS = ("width", "cursor", "buffer", "Handler", "limit", "offset")
_CLOSERS = ("}", "})", "end")

Marked = list[tuple[bytes, bytes]]
Spoiler = Callable[[Marked, st.DrawFn], Marked | None]


@dataclass(frozen=True)
class Case:
    """A file, a patch that expresses an edit of it badly, and the contents allowed afterwards."""

    before: bytes
    patch: bytes
    allowed: frozenset[bytes]


@st.composite
def _line(draw: st.DrawFn, number: int, unit: bytes) -> bytes:
    """Draw a line: mostly one that is unique at every tier, else a blank line or a closer."""
    kind = draw(st.integers(0, 9))
    if kind < 2:
        return b""
    indent = unit * draw(st.sampled_from([1, 2, 0, 3, 1, 2]))
    if kind == 2:
        return indent + draw(st.sampled_from(_CLOSERS)).encode()
    return indent + f"{draw(st.sampled_from(_WORDS))} {number} = call({number})".encode()


@st.composite
def _edits(draw: st.DrawFn) -> Edited:
    unit = draw(st.sampled_from([b"    ", b"\t"]))
    drawn = [draw(_line(number, unit)) for number in range(draw(st.integers(4, 24)))]
    # No two blank lines in a row: without one of them a hunk could match another position.
    old = tuple(line for line, above in zip(drawn, [b"", *drawn], strict=False) if line or above)
    runs: list[Run] = []
    at = draw(st.integers(0, 6))
    while at <= len(old) and len(runs) < 3:
        gone = old[at : at + draw(st.integers(0, 2))]
        count = draw(st.integers(0 if gone else 1, 3))
        new = tuple(draw(_line(100 * (at + 1) + number, unit)) for number in range(count))
        runs.append(Run(at, gone, new))
        at += len(gone) + draw(st.integers(1, 9))
    assume(runs)
    return Edited(old, tuple(runs), True, True)


def _indent(text: bytes) -> bytes:
    return text[: len(text) - len(text.lstrip(b" \t"))]


def _context(hunk: Marked) -> list[int]:
    return [at for at, (prefix, text) in enumerate(hunk) if prefix == b" " and text.strip()]


def _old(hunk: Marked) -> list[int]:
    return [at for at, (prefix, text) in enumerate(hunk) if prefix != b"+" and text.strip()]


def _changed(hunk: Marked, at: int, text: bytes) -> Marked:
    return [*hunk[:at], (hunk[at][0], text), *hunk[at + 1 :]]


def _trailing_spaces(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    at = draw(st.sampled_from(_old(hunk)))
    return _changed(hunk, at, hunk[at][1] + draw(st.sampled_from([b" ", b"\t", b"   "])))


def _inner_spaces(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    at = draw(st.sampled_from(_old(hunk)))
    return _changed(hunk, at, hunk[at][1].replace(b" = ", b"  =  "))


def _letter_case(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    if not _context(hunk):
        return None
    at = draw(st.sampled_from(_context(hunk)))
    return _changed(hunk, at, hunk[at][1].swapcase())


def _dedent(hunk: Marked, _: st.DrawFn) -> Marked | None:
    """Remove the common indentation, if the rest shows that all lines lost it."""
    written = [(prefix, text) for prefix, text in hunk if text.strip()]
    common = min((_indent(text) for _, text in written), key=len)
    old = {text for prefix, text in written if prefix != b"+"}
    new = {text for prefix, text in written if prefix != b"-"}
    shown = {text for text in old if _indent(text) != common} | (old - new)
    shown |= {text for text in new - old if _indent(text) == common}
    if not common or not shown:
        return None
    return [(prefix, text.removeprefix(common)) for prefix, text in hunk]


def _swap_tabs_and_spaces(hunk: Marked, _: st.DrawFn) -> Marked | None:
    """Swap tabs and spaces; at least one old line shows which the file has."""
    if not any(_indent(hunk[at][1]) for at in _old(hunk)):
        return None
    indented = []
    for prefix, text in hunk:
        indent = _indent(text)
        swapped = b"    " * len(indent) if b"\t" in indent else b"\t" * (len(indent) // 4)
        indented.append((prefix, swapped + text[len(indent) :]))
    return indented


def _drop_blank_line(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    """Drop one between old lines: at an end it is just less context.

    Not one between a removed line and an added one, which then reads as its replacement.
    """
    old = _old(hunk)
    blank_lines = [
        at
        for at in range(old[0], old[-1])
        if hunk[at] == (b" ", b"") and not _is_replaced_over(hunk, at)
    ]
    if not blank_lines:
        return None
    at = draw(st.sampled_from(blank_lines))
    return hunk[:at] + hunk[at + 1 :]


def _is_replaced_over(hunk: Marked, at: int) -> bool:
    """Tell whether, without the line at `at`, the one above is replaced by the one below."""
    (removed, old), (added, new) = hunk[at - 1], hunk[at + 1]
    return (removed, added) == (b"-", b"+") and old != new


def _lose_prefix(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    context = _context(hunk)
    if not context:
        return None
    lost = context if draw(st.booleans()) else [draw(st.sampled_from(context))]
    return [(b"" if at in lost else prefix, text) for at, (prefix, text) in enumerate(hunk)]


_SPOILERS: tuple[Spoiler, ...] = (
    _trailing_spaces,
    _inner_spaces,
    _letter_case,
    *(_dedent, _dedent),
    _swap_tabs_and_spaces,
    *(_drop_blank_line, _drop_blank_line),
    _lose_prefix,
)  # mutations that seldom apply are tried more often


def _is_sure(edited: Edited, hunk: Marked) -> bool:
    """Tell whether the hunk can mean only one position: at least one of its lines is unique."""
    before = [text for prefix, text in hunk if prefix != b"+"]
    return any(b"=" in text for text in before) and len(places(edited.old, before)) == 1


def _at_end(hunk: Marked, at: int) -> Marked:
    """Give the lines before or after the old lines, if `at` is among them."""
    first, *_, last = [*_old(hunk)[:1], *_old(hunk)]
    if at <= first:
        return hunk[:first]
    return hunk[last + 1 :] if at > last else []


def _outcome(old: tuple[bytes, ...], hunks: list[tuple[int, int, Marked]]) -> bytes:
    """Replace `size` lines from `start` on by each hunk's new lines."""
    lines: list[bytes] = []
    at = 0
    for start, size, hunk in hunks:
        lines += [*old[at:start], *[text for prefix, text in hunk if prefix != b"-"]]
        at = start + size
    return content([*lines, *old[at:]], True)


def _header(draw: st.DrawFn, hunk: Marked) -> bytes:
    if draw(st.integers(0, 2)):
        return b"@@\n"
    old = sum(prefix != b"+" for prefix, _ in hunk) + draw(st.integers(0, 1))
    new = sum(prefix != b"-" for prefix, _ in hunk)
    numbers = draw(st.integers(1, 60)), old, draw(st.integers(1, 60)), new
    return b"@@ -%d,%d +%d,%d @@\n" % numbers


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    edited = draw(_edits())
    hunks = edited.hunks(draw(st.integers(1, 3)))
    assume(all(_is_sure(edited, hunk) for hunk in hunks))
    number = draw(st.integers(0, len(hunks) - 1))
    if draw(st.integers(0, 4)):
        spoilers = [draw(st.sampled_from(_SPOILERS)) for _ in range(draw(st.integers(1, 2)))]
    else:
        spoilers = []
    # A lost prefix looks like a lost space, so any other error hides which it was; and
    # one tab for eight spaces looks just like one level less, indented by tabs.
    assume(_lose_prefix not in spoilers or set(spoilers) == {_lose_prefix})
    assume(not {_dedent, _swap_tabs_and_spaces} <= set(spoilers))
    written = list(hunks)
    for spoiler in dict.fromkeys(spoilers):
        spoiled = spoiler(written[number], draw)
        assume(spoiled is not None)
        written[number] = spoiled or []
        event(spoiler.__name__)
    allowed = {edited.after}
    if not spoilers:
        placed = [
            (places(edited.old, old)[0], len(old), hunk)
            for hunk in hunks
            for old in [[text for prefix, text in hunk if prefix != b"+"]]
        ]
        at = draw(st.integers(0, len(hunks[number])))
        # With blank lines on both sides of an addition at an end, its position is ambiguous.
        assume((b" ", b"") not in _at_end(hunks[number], at))
        start, size, hunk = placed[number]
        placed[number] = start, size, [*hunk[:at], (b"+", b""), *hunk[at:]]
        written[number] = [*hunk[:at], (b" ", b""), *hunk[at:]]
        allowed.add(_outcome(edited.old, placed))
        event("cosmetic blank")
    body = b"".join(
        _header(draw, hunk) + b"".join(prefix + text + b"\n" for prefix, text in hunk)
        for hunk in written
    )
    patch = envelope(b"*** Update File: f\n" + body)
    return Case(edited.before, patch, frozenset(allowed))


def _is_right(content: bytes | None, case: Case) -> bool:
    """Return whether a file is as the patch means it; in code, a blank line that the patch omits
    may be on the other side of the block beside it."""
    solid = {tuple(filter(None, allowed.split(b"\n"))) for allowed in case.allowed}
    return content in case.allowed or tuple(filter(None, (content or b"").split(b"\n"))) in solid


@_many
@given(_cases())
def test_the_plan_is_right_or_a_refusal(case: Case) -> None:
    blob = Blob(
        "f", Entry(Mode.REGULAR, blob_id(Text.from_bytes(case.before), "sha1")), case.before
    )
    snapshot = Snapshot({"f": blob}, frozenset({"f"}), frozenset())
    plan = plan_sections(parse_patch(case.patch), snapshot, Options(), "sha1", {})
    event("refused" if plan.failures else "applied")
    if not plan.failures:
        assert _is_right(plan.completed.contents().get("f", case.before), case)


@_few
@given(_cases())
def test_the_files_are_right_or_unchanged(case: Case) -> None:
    with tempfile.TemporaryDirectory() as directory:
        repo = Sandbox(Path(directory) / "repo").init("--template=")
        repo.commit({"f": case.before})
        try:
            apply_patch(parse_patch(case.patch), Repository(repo.path), Options())
        except Refused:
            case = replace(case, allowed=frozenset({case.before}))
        assert repo.index() == repo.files()
        assert _is_right(repo.index()["f"][1], case)
