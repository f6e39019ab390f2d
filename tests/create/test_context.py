"""A hunk has the fewest lines that tell its position from every other one."""

from __future__ import annotations

from collections.abc import Iterator

from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from sandbox import Sandbox

from git_opatch.create.context import LineChange, OldFile, line_changes
from git_opatch.model.text import Text

_FEW = st.lists(st.sampled_from([b"a", b"b", b""]), min_size=1, max_size=12)


def _occurrences(lines: list[bytes], sought: list[bytes]) -> int:
    return sum(lines[at : at + len(sought)] == sought for at in range(len(lines) - len(sought) + 1))


def _unique(lines: list[bytes], start: int, stop: int, total: int) -> Iterator[tuple[int, int]]:
    """Yield the contexts of `total` lines that occur once."""
    for before in range(total + 1):
        first, last = start - before, stop + total - before
        is_inside = first >= 0 and last <= len(lines) and first < last
        if is_inside and _occurrences(lines, lines[first:last]) == 1:
            yield before, total - before


@examples(10)
@given(_FEW, st.data())
def test_no_smaller_context_occurs_once(lines: list[bytes], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(lines)))
    stop = data.draw(st.integers(start, len(lines)))
    old_file = OldFile(Text(lines), anchors=False)
    (found,) = old_file.hunks([LineChange(start, stop, start, start + (start == stop))])
    context = found.context
    assert (context.before, context.after) in _unique(lines, start, stop, context.cost)
    for total in range(context.cost):
        assert not list(_unique(lines, start, stop, total))


@examples(10)
@given(_FEW, _FEW, st.booleans(), st.booleans())
def test_the_changes_lead_from_the_old_lines_to_the_new(
    old: list[bytes], new: list[bytes], old_newline: bool, new_newline: bool
) -> None:
    before, after = Text(old, old_newline), Text(new, new_newline)
    assume(before != after)
    changes = line_changes(before, after)
    lines: list[bytes] = []
    at = 0
    for change in changes:
        assert change.start >= at
        lines += [*old[at : change.start], *new[change.new_start : change.new_stop]]
        at = change.stop
    assert [*lines, *old[at:]] == new
    assert bool(changes)


def test_changes_share_a_hunk_where_that_has_no_more_lines() -> None:
    lines = [b"%d" % number for number in range(20)]
    old_file = OldFile(Text(lines), anchors=False)
    near = [LineChange(3, 4, 3, 4), LineChange(5, 6, 5, 6)]
    (hunk,) = old_file.hunks(near)
    assert (hunk.first, hunk.last) == (3, 6)
    far = [LineChange(3, 4, 3, 4), LineChange(8, 9, 8, 9)]
    assert len(old_file.hunks(far)) == 2


def test_wider_ends_with_the_whole_file() -> None:
    lines = [b"%d" % (number % 3) for number in range(50)]
    old_file = OldFile(Text(lines), anchors=False)
    (hunk,) = old_file.hunks([LineChange(25, 26, 25, 26)])
    sizes = [hunk.size]
    while (wider := hunk.wider()) != hunk:
        hunk = wider
        sizes.append(hunk.size)
    assert (hunk.first, hunk.last) == (0, 50)
    assert sizes == sorted(sizes)
    assert len(sizes) < 25


_METHODS = "".join(
    f"class {name}:\n    def run(self):\n        a = 1\n        b = 2\n        c = 3\n"
    "        d = 4\n        return a + b + c + d\n\n\n"
    for name in ("First", "Second", "Third")
)


def test_an_anchor_is_written_where_it_saves_lines(repo: Sandbox) -> None:
    at = _METHODS.index("class Second")
    repo.commit({"a.py": _METHODS, "b.py": "def f():\n    return 1\n"})
    changed = _METHODS[:at] + _METHODS[at:].replace("b = 2", "b = 5", 1)
    repo.commit({"a.py": changed, "b.py": "def f():\n    return 2\n"})
    for patch_format in ("envelope", "unified", "file-changes"):
        patch = repo.opatch("create", "HEAD", "--format", patch_format).out
        assert b"@@ class Second:\n-        b = 2\n+        b = 5\n" in patch
        assert b"@@\n-    return 1\n+    return 2\n" in patch
    blocks = repo.opatch("create", "HEAD", "--format", "search-replace").out
    assert b"SEARCH\nclass Second:\n    def run(self):\n        a = 1\n        b = 2\n=" in blocks
