"""A hunk spoiled as models spoil them gives the edited file or a refusal, never a third thing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from sandbox import Sandbox
from writers import Edited, Run, content, envelope, places

from git_opatch.apply import Refused, apply_patch
from git_opatch.blob import Blob, Entry, Mode, blob_id
from git_opatch.options import Options
from git_opatch.parse import parse_patch
from git_opatch.plan import make_plan
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot
from git_opatch.text import Text

_EXAMPLES = int(os.environ.get("OPATCH_EXAMPLES", "60"))
_HEALTH = [HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large]
_many = settings(max_examples=5 * _EXAMPLES, deadline=None, suppress_health_check=_HEALTH)
_few = settings(max_examples=max(_EXAMPLES // 3, 1), deadline=None, suppress_health_check=_HEALTH)

_WORDS = ("width", "cursor", "buffer", "Handler", "limit", "offset")
_CLOSERS = ("}", "})", "end")

Marked = list[tuple[bytes, bytes]]
Spoiler = Callable[[Marked, st.DrawFn], Marked | None]


@dataclass(frozen=True)
class Case:
    """A file, a patch that says an edit of it badly, and what may become of it."""

    before: bytes
    patch: bytes
    allowed: frozenset[bytes]


@st.composite
def _line(draw: st.DrawFn, number: int, unit: bytes) -> bytes:
    """Mostly a line that is like no other, however it is compared; else a blank or a closer."""
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
    # No two blank lines together: without one of them a hunk may say just another place.
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
    return [at for at, (mark, text) in enumerate(hunk) if mark == b" " and text.strip()]


def _old(hunk: Marked) -> list[int]:
    return [at for at, (mark, text) in enumerate(hunk) if mark != b"+" and text.strip()]


def _changed(hunk: Marked, at: int, text: bytes) -> Marked:
    return [*hunk[:at], (hunk[at][0], text), *hunk[at + 1 :]]


def _trailing_blanks(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    at = draw(st.sampled_from(_old(hunk)))
    return _changed(hunk, at, hunk[at][1] + draw(st.sampled_from([b" ", b"\t", b"   "])))


def _inner_blanks(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    at = draw(st.sampled_from(_old(hunk)))
    return _changed(hunk, at, hunk[at][1].replace(b" = ", b"  =  "))


def _letter_case(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    if not _context(hunk):
        return None
    at = draw(st.sampled_from(_context(hunk)))
    return _changed(hunk, at, hunk[at][1].swapcase())


def _dedent(hunk: Marked, _: st.DrawFn) -> Marked | None:
    """The common indentation taken away, where what is left shows that all lines lost it."""
    written = [(mark, text) for mark, text in hunk if text.strip()]
    common = min((_indent(text) for _, text in written), key=len)
    old = {text for mark, text in written if mark != b"+"}
    new = {text for mark, text in written if mark != b"-"}
    shown = {text for text in old if _indent(text) != common} | (old - new)
    shown |= {text for text in new - old if _indent(text) == common}
    if not common or not shown:
        return None
    return [(mark, text.removeprefix(common)) for mark, text in hunk]


def _other_blanks(hunk: Marked, _: st.DrawFn) -> Marked | None:
    """Tabs for blanks, or back; some line that stands in the file shows which."""
    if not any(_indent(hunk[at][1]) for at in _old(hunk)):
        return None
    told = []
    for mark, text in hunk:
        indent = _indent(text)
        other = b"    " * len(indent) if b"\t" in indent else b"\t" * (len(indent) // 4)
        told.append((mark, other + text[len(indent) :]))
    return told


def _dropped_blank(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    """One between lines that must stand in the file: at an end it is just less context."""
    old = _old(hunk)
    blank = [at for at in range(old[0], old[-1]) if hunk[at] == (b" ", b"")]
    if not blank:
        return None
    at = draw(st.sampled_from(blank))
    return hunk[:at] + hunk[at + 1 :]


def _lost_mark(hunk: Marked, draw: st.DrawFn) -> Marked | None:
    context = _context(hunk)
    if not context:
        return None
    lost = context if draw(st.booleans()) else [draw(st.sampled_from(context))]
    return [(b"" if at in lost else mark, text) for at, (mark, text) in enumerate(hunk)]


_SPOILERS: tuple[Spoiler, ...] = (
    _trailing_blanks,
    _inner_blanks,
    _letter_case,
    *(_dedent, _dedent),
    _other_blanks,
    *(_dropped_blank, _dropped_blank),
    _lost_mark,
)  # what seldom works is tried more often


def _is_sure(edited: Edited, hunk: Marked) -> bool:
    """Whether the hunk can only mean one place: some line of it is like no other."""
    before = [text for mark, text in hunk if mark != b"+"]
    return any(b"=" in text for text in before) and len(places(edited.old, before)) == 1


def _at_end(hunk: Marked, at: int) -> Marked:
    """The lines outside of those that must stand in the file, if `at` is among them."""
    first, *_, last = [*_old(hunk)[:1], *_old(hunk)]
    if at <= first:
        return hunk[:first]
    return hunk[last + 1 :] if at > last else []


def _outcome(old: tuple[bytes, ...], hunks: list[tuple[int, int, Marked]]) -> bytes:
    """The file with each hunk's new lines in place of `size` lines from `start` on."""
    lines: list[bytes] = []
    at = 0
    for start, size, hunk in hunks:
        lines += [*old[at:start], *[text for mark, text in hunk if mark != b"-"]]
        at = start + size
    return content([*lines, *old[at:]], True)


def _header(draw: st.DrawFn, hunk: Marked) -> bytes:
    if draw(st.integers(0, 2)):
        return b"@@\n"
    old = sum(mark != b"+" for mark, _ in hunk) + draw(st.integers(0, 1))
    new = sum(mark != b"-" for mark, _ in hunk)
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
    # A lost mark looks like a lost blank, so anything else at fault hides which it was; and
    # one tab for eight blanks is just what a level less, told in tabs, looks like.
    assume(_lost_mark not in spoilers or set(spoilers) == {_lost_mark})
    assume(not {_dedent, _other_blanks} <= set(spoilers))
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
            for old in [[text for mark, text in hunk if mark != b"+"]]
        ]
        at = draw(st.integers(0, len(hunks[number])))
        # Of two blank lines round an addition at an end, nothing tells which one is true.
        assume((b" ", b"") not in _at_end(hunks[number], at))
        start, size, hunk = placed[number]
        placed[number] = start, size, [*hunk[:at], (b"+", b""), *hunk[at:]]
        written[number] = [*hunk[:at], (b" ", b""), *hunk[at:]]
        allowed.add(_outcome(edited.old, placed))
        event("cosmetic blank")
    body = b"".join(
        _header(draw, hunk) + b"".join(mark + text + b"\n" for mark, text in hunk)
        for hunk in written
    )
    patch = envelope(b"*** Update File: f\n" + body)
    return Case(edited.before, patch, frozenset(allowed))


@_many
@given(_cases())
def test_the_plan_is_right_or_a_refusal(case: Case) -> None:
    blob = Blob(
        "f", Entry(Mode.REGULAR, blob_id(Text.from_bytes(case.before), "sha1")), case.before
    )
    snapshot = Snapshot({"f": blob}, frozenset({"f"}), frozenset())
    plan = make_plan(parse_patch(case.patch), snapshot, Options(), "sha1", {})
    event("refused" if plan.failures else "applied")
    if not plan.failures:
        assert plan.completed.contents().get("f", case.before) in case.allowed


@_few
@given(_cases())
def test_the_files_are_right_or_as_they_were(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Sandbox(Path(folder) / "repo").init("--template=")
        repo.commit({"f": case.before})
        try:
            apply_patch(parse_patch(case.patch), Repository(repo.path), Options())
        except Refused:
            allowed = frozenset({case.before})
        else:
            allowed = case.allowed
        assert repo.index() == repo.files()
        assert repo.index()["f"][1] in allowed
