"""Hunks begin with the fewest lines, and get more until the proof holds."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from sandbox import Sandbox

from git_opatch.create.hunks import HunkRange, LineChange, hunk_ranges, line_changes
from git_opatch.model.text import Text

_FEW = st.lists(st.sampled_from([b"a", b"b", b""]), min_size=1, max_size=12)


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


@pytest.mark.parametrize(("context", "hunks"), [(0, 2), (1, 2), (2, 1), (9, 1)])
def test_changes_share_a_hunk_where_their_context_meets(context: int, hunks: int) -> None:
    changes = [LineChange(3, 4, 3, 4), LineChange(7, 8, 7, 8)]
    ranges = hunk_ranges(changes, 20, context)
    assert len(ranges) == hunks
    assert ranges[0].first == max(0, 3 - context)
    assert ranges[-1].last == min(20, 8 + context)


def test_the_least_context_is_none_and_a_line_where_lines_are_only_added() -> None:
    changes = [LineChange(3, 4, 3, 4), LineChange(8, 8, 8, 9)]
    assert [(hunk.first, hunk.last) for hunk in hunk_ranges(changes, 20, None)] == [(3, 4), (7, 9)]


def test_wider_is_three_steps_of_a_line_then_doubled_and_ends_with_the_whole_file() -> None:
    hunk = HunkRange([LineChange(25, 26, 25, 26)], 0, 50)
    sizes = []
    while (wider := hunk.wider()) != hunk:
        hunk = wider
        sizes.append(hunk.last - hunk.first)
    assert sizes == [3, 5, 7, 13, 25, 49, 50]


_METHODS = "".join(
    f"class {name}:\n    def run(self):\n        a = 1\n        b = 2\n        c = 3\n"
    "        d = 4\n        return a + b + c + d\n\n\n"
    for name in ("First", "Second", "Third")
)


def test_only_the_hunk_in_doubt_gets_more_context(repo: Sandbox) -> None:
    at = _METHODS.index("class Second")
    repo.commit({"a.py": "x = 1\n" + _METHODS})
    changed = _METHODS[:at] + _METHODS[at:].replace("b = 2", "b = 5", 1)
    repo.commit({"a.py": "x = 2\n" + changed})
    assert repo.opatch("create", "HEAD").out == (
        b"*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n@@\n class Second:\n"
        b"     def run(self):\n         a = 1\n-        b = 2\n+        b = 5\n         c = 3\n"
        b"         d = 4\n         return a + b + c + d\n*** End Patch\n"
    )
