"""Whatever the edit, a clean patch without line numbers gives exactly the edited tree."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from examples import examples
from hypothesis import HealthCheck, assume, example, given
from hypothesis import strategies as st
from sandbox import Sandbox
from unidiff.patch import PatchSet
from writers import Edited, Run, envelope, places, update, without_numbers

from git_opatch.git.repository import Repository
from git_opatch.model.failure import Failure, Refused
from git_opatch.model.options import Options, Target
from git_opatch.model.sentences import Reason
from git_opatch.operations.apply import apply_patch, plan_patch
from git_opatch.parse import parse_patch

_DOUBTS = (Reason.UNCLEAR, Reason.CONTRADICTED)


def _is_doubted(failures: Sequence[Failure]) -> bool:
    """Tell whether a patch was refused only for what it adds (D34, D38, D240)."""
    return bool(failures) and all(failure.reason in _DOUBTS for failure in failures)


_examples = examples(1, HealthCheck.filter_too_much, HealthCheck.too_slow)

# Lines that a parser could mistake for syntax, and characters that split lines elsewhere.
_TRICKY = [
    b"", b" ", b"\t", b"\r", b"-- x", b"--- a/f", b"++ x", b"+++ b/f", b"@@", b"@@ -1,2 +1,2 @@",
    b"*** End Patch", b"*** Begin Patch", b"*** Update File: f", b"*** End of File", b"\\ No",
    b"\x0c", b"a\x0bb", "a\u2028b\u0085c".encode(), b"\xff\xfe", b"\xef\xbb\xbfx", b"```", b"EOF",
    b"diff --git a/f b/f", b"[bold]x[/bold]", b"\x1b[31mred",
]  # fmt: skip
_any_line = st.one_of(
    st.sampled_from(_TRICKY),
    st.binary(max_size=8).map(lambda data: data.replace(b"\n", b"").replace(b"\0", b"")),
    st.text(max_size=8).map(lambda text: text.encode().replace(b"\n", b"").replace(b"\0", b"")),
)


def _encodings(lines: list[bytes]) -> set[bool]:
    """Tell whether lines are UTF-8; a file is not changed to have lines of both kinds (D93)."""
    texts = {line: line.decode("utf-8", "replace") for line in lines if not line.isascii()}
    return {text.encode() == line for line, text in texts.items()}


@st.composite
def edited_files(draw: st.DrawFn) -> Edited:
    """Draw a file and an edit of it. Most old lines are unique."""
    ending = draw(st.sampled_from([b"", b"\r", None]))
    old: list[bytes] = []
    for number in range(draw(st.integers(0, 12))):
        line = draw(_any_line)
        if draw(st.integers(0, 3)):
            line = b"%d:" % number + line
        old.append(line + (draw(st.sampled_from([b"", b"\r"])) if ending is None else ending))
    old_newline = draw(st.booleans()) if old and old[-1] else True
    runs: list[Run] = []
    at = 0
    while at <= len(old):
        if draw(st.integers(0, 3)) == 0:
            gone = draw(st.integers(0, min(3, len(old) - at)))
            new = draw(st.lists(_any_line, max_size=3))
            if ending:
                new = [line + draw(st.sampled_from([ending, b""])) for line in new]
            if tuple(new) != tuple(old[at : at + gone]):
                runs.append(Run(at, tuple(old[at : at + gone]), tuple(new)))
            at += gone
        at += 1
    edited = Edited(tuple(old), tuple(runs), old_newline, True)
    assume(runs)
    assume(len(_encodings([*old, *(line for run in runs for line in run.new)])) < 2)
    if not edited.changes_end:
        return Edited(edited.old, edited.runs, old_newline, old_newline)
    new_newline = draw(st.booleans()) if edited.new and edited.new[-1] else True
    if edited.runs[-1].new == () and edited.new:
        new_newline = True  # the line that is now last had a newline
    return Edited(edited.old, edited.runs, old_newline, new_newline)


def _is_clear(lines: tuple[bytes, ...], hunks: list[list[tuple[bytes, bytes]]]) -> bool:
    """Tell whether each hunk has one position, and none looks already applied.

    What is added may not all begin with `+` (D34), or with a space; a line that is removed
    and added again is context (D28).
    """
    for hunk in hunks:
        removed = {text for prefix, text in hunk if prefix == b"-"}
        added = [text for prefix, text in hunk if prefix == b"+" and text.strip()]
        added = [text for text in added if text not in removed]
        if added and {text[:1] for text in added} in ({b"+"}, {b" "}):
            return False
        before = [text for prefix, text in hunk if prefix != b"+"]
        after = [text for prefix, text in hunk if prefix != b"-"]
        if (
            before == after
            or (not before and lines)
            or (before and not any(t.strip() for t in before))
        ):
            return False
        if before and len(places(lines, before)) != 1:
            return False
        if any(prefix == b"+" and text.strip() for prefix, text in hunk) and places(lines, after):
            return False
    return True


def _back(hunks: list[list[tuple[bytes, bytes]]]) -> list[list[tuple[bytes, bytes]]]:
    inverse = {b"+": b"-", b"-": b"+", b" ": b" "}
    return [[(inverse[prefix], text) for prefix, text in hunk] for hunk in hunks]


def _fresh(directory: str, name: str, data: bytes) -> Sandbox:
    repo = Sandbox(Path(directory) / "repo").init("--template=")
    repo.commit({name: data, "other": "other\n"})
    return repo


def _holds(repo: Sandbox, name: str, data: bytes | None) -> None:
    want = {"other": ("100644", b"other\n")}
    if data is not None:
        want[name] = ("100644", data)
    assert repo.index() == want
    assert repo.files() == want


def _apply(repo: Sandbox, patch: bytes, *, reverse: bool = False) -> None:
    try:
        apply_patch(parse_patch(patch), Repository(repo.path), Options(reverse=reverse))
    except Refused as refused:
        assume(not _is_doubted(refused.failures))
        raise


def _is_read_elsewhere(diff: bytes) -> None:
    """Assert that unidiff, which also writes a count of 1, reads the same of the diff."""
    lines = diff.decode("latin-1").split("\n")[:-1]
    counted = re.sub(r"(?m)^(@@ -\d+)(?= )", r"\1,1", diff.decode("latin-1"))
    counted = re.sub(r"(?m)^(@@ -\d+,\d+ \+\d+)(?= )", r"\1,1", counted)
    assert str(PatchSet(f"{line}\n" for line in lines)) == counted


def _round_trip(edited: Edited, patch: bytes, *, back: bool) -> None:
    """Apply, convert with `git apply`, and reverse: each must give the exact bytes."""
    with tempfile.TemporaryDirectory() as directory:
        repo = _fresh(directory, "f", edited.before)
        repository = Repository(repo.path)
        options = Options(Target.CACHED)
        plan = plan_patch(parse_patch(patch), repository, options)
        assume(not _is_doubted(plan.failures))
        assert plan.failures == ()
        _is_read_elsewhere(plan.completed.diff)
        bare = without_numbers(plan.completed.diff)
        again = plan_patch(parse_patch(bare), repository, options)
        # among equal lines, another may be kept if the last one gets a newline
        assert (again.failures, again.completed.changes) == ((), plan.completed.changes)
        _is_read_elsewhere(again.completed.diff)
        (Path(directory) / "diff").write_bytes(plan.completed.diff)
        repo.git("apply", "--index", "--whitespace=nowarn", "../diff")
        _holds(repo, "f", edited.after)
        repo.git("reset", "--hard", "--quiet")
        _apply(repo, patch)
        _holds(repo, "f", edited.after)
        if back:
            _apply(repo, patch, reverse=True)
            _holds(repo, "f", edited.before)


@_examples
@given(edited_files(), st.integers(1, 3))
@example(Edited((b"a\r", b"b"), (Run(1, (b"b",), (b"c\r",)),), False, True), 1)
@example(Edited((b"a\r", b"b\r"), (Run(2, (), (b"c",)),), True, True), 1)
@example(Edited((b"a", b"-- x"), (Run(1, (b"-- x",), (b"++ x",)),), True, True), 1)
@example(Edited((), (Run(0, (), (b"a", b"")),), True, True), 1)
@example(Edited((b"a",), (Run(0, (b"a",), ()),), False, True), 1)
@example(Edited((b"", b"\xef\xbb\xbfx"), (Run(0, (b"",), ()),), True, True), 1)
def test_an_envelope_gives_the_edited_file(edited: Edited, context: int) -> None:
    hunks = edited.hunks(context)
    assume(_is_clear(edited.old, hunks))
    assume(edited.new_newline or not edited.changes_end)
    back = _is_clear(edited.new, _back(hunks)) and (edited.old_newline or not edited.changes_end)
    _round_trip(edited, envelope(update("f", edited, context)), back=back)


@_examples
@given(edited_files(), st.integers(1, 3), st.booleans())
@example(Edited((b"a",), (Run(1, (), (b"b",)),), False, False), 3, True)
@example(Edited((b"a", b"b"), (Run(1, (b"b",), (b"b", b"c")),), False, True), 3, False)
def test_a_diff_of_git_without_numbers_gives_the_edited_file(
    edited: Edited, context: int, headers: bool
) -> None:
    hunks = edited.hunks(context)
    assume(_is_clear(edited.old, hunks))
    with tempfile.TemporaryDirectory() as directory:
        repo = _fresh(directory, "f", edited.before)
        repo.write("f", edited.after)
        diff = repo.git("diff", f"-U{context}", "--no-color", "--text")
    assume(diff)
    patch = without_numbers(diff)
    if not headers:
        patch = patch[patch.index(b"\n--- ") + 1 :]
    lines = patch[patch.index(b"@@") :].split(b"\n")
    assume(
        not any(
            line.startswith(b"--- ") and second.startswith(b"+++ ") and third.startswith(b"@@")
            for line, second, third in zip(lines, lines[1:], lines[2:], strict=False)
        )
    )
    assume(_diff_is_clear(diff, edited))
    back = _is_clear(edited.new, _back(hunks)) and _diff_is_clear(diff, edited, reverse=True)
    _round_trip(edited, patch, back=back)


def _diff_is_clear(diff: bytes, edited: Edited, *, reverse: bool = False) -> bool:
    """Tell whether the hunks that git made, which can differ from ours, are clear."""
    hunks: list[list[tuple[bytes, bytes]]] = []
    for line in diff.split(b"\n")[4:-1]:
        if line.startswith(b"@@"):
            hunks.append([])
        elif not line.startswith(b"\\"):
            hunks[-1].append((line[:1], line[1:]))
    return _is_clear(edited.new if reverse else edited.old, _back(hunks) if reverse else hunks)


@_examples
@given(st.lists(_any_line, max_size=5), st.booleans())
def test_files_are_added_deleted_and_moved(lines: list[bytes], move: bool) -> None:
    """Add a file with the lines of its section; restore deleted and moved files."""
    text = b"".join(line + b"\n" for line in lines)
    section = b"*** Add File: d/new\n" + b"".join(b"+" + line + b"\n" for line in lines)
    gone = b"*** Update File: f\n*** Move to: e/g\n" if move else b"*** Delete File: f\n"
    framed = not any(line.endswith(b"\r") for line in lines)
    with tempfile.TemporaryDirectory() as directory:
        repo = _fresh(directory, "f", b"content\n" + text)
        before = repo.files()
        _apply(repo, envelope(section, gone))
        after = {"other": ("100644", b"other\n"), "d/new": ("100644", text)}
        if move:
            after["e/g"] = before["f"]
        assert repo.index() == repo.files() == after
        assert framed or b"\r" in text
        _apply(repo, envelope(section, gone), reverse=True)
        assert repo.index() == repo.files() == before
        assert not (repo.path / "d").exists()
