"""The same change, written in each form, gives the same completed diff, byte for byte."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sandbox import Sandbox
from writers import (
    Edited,
    Run,
    blocks,
    cline_blocks,
    envelope,
    file_changes,
    invented_numbers,
    json_envelope,
    numbered,
    operations,
    update,
    without_numbers,
)

from git_opatch.apply import plan_patch
from git_opatch.options import Dialect, Options
from git_opatch.parse import parse_patch
from git_opatch.repository import Repository

FORMS: dict[str, tuple[Dialect, Callable[[str, Edited], bytes]]] = {
    "envelope": (Dialect.ENVELOPE, lambda path, edited: envelope(update(path, edited, 3))),
    "numbers": (Dialect.UNIFIED, numbered),
    "no numbers": (Dialect.UNIFIED, lambda path, edited: without_numbers(numbered(path, edited))),
    "wrong numbers": (Dialect.UNIFIED, invented_numbers),
    "search and replace": (Dialect.SEARCH_REPLACE, blocks),
    "Cline's blocks": (Dialect.SEARCH_REPLACE, cline_blocks),
    "FILE_CHANGES": (Dialect.FILE_CHANGES, file_changes),
    "operations": (Dialect.OPERATIONS, operations),
    "an envelope in JSON": (Dialect.ENVELOPE, json_envelope),
}
"""A form is added here, and nowhere else: its dialect, and what writes an edited file in it."""

_LINES = [
    "", " ", "\t}", "    return x", "-- x", "++ x", "- item", "+ item", "@@ x", "*** End Patch",
    "Title", "====", "```", "\\ x", '"q\\"', "{", "[", "<path>a</path>", "ü\u2028\x0c", "a" * 300,
]  # fmt: skip


@st.composite
def edited_files(draw: st.DrawFn) -> Edited:
    """A file of lines unlike one another, and one edit or more of it, in which each line is new."""
    count = 0

    def lines(least: int, most: int) -> tuple[bytes, ...]:
        nonlocal count
        drawn = draw(st.lists(st.sampled_from(_LINES), min_size=least, max_size=most))
        count += len(drawn)
        return tuple(f"{line} {count - place}".encode() for place, line in enumerate(drawn))

    old = lines(4, 40)
    runs: list[Run] = []
    at = draw(st.integers(0, len(old) - 1))
    while at < len(old):
        gone = draw(st.integers(0, min(3, len(old) - at)))
        new = lines(0 if gone else 1, 3)
        if gone < len(old):
            runs.append(Run(at, old[at : at + gone], new))
        at += gone + draw(st.integers(1, 12))
    # Only a unified diff can say that the last line which it adds has no newline.
    newline = draw(st.booleans()) or runs[-1].stop == len(old)
    return Edited(old, tuple(runs), newline, newline)


def _completed(repo: Sandbox, patch: bytes, dialect: Dialect | None) -> bytes:
    plan = plan_patch(parse_patch(patch, dialect=dialect), Repository(str(repo.path)), Options())
    assert not plan.failures, patch
    return plan.completed.diff


@settings(
    max_examples=int(os.environ.get("OPATCH_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(edited_files())
def test_every_form_gives_the_same_diff(edited: Edited) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Sandbox(Path(folder) / "repo").init()
        path = "sub/a b.txt"
        repo.commit({path: edited.before})
        expected = _completed(repo, numbered(path, edited), None)
        for name, (dialect, write) in FORMS.items():
            patch = write(path, edited)
            for asked in (dialect, None):
                assert _completed(repo, patch, asked) == expected, name
        repo.git("apply", "--index", "-", feed=expected)
        assert repo.read(path) == edited.after


def test_every_dialect_is_written() -> None:
    assert {dialect for dialect, _ in FORMS.values()} == set(Dialect)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_none_of_the_others(name: str) -> None:
    dialect, write = FORMS[name]
    edited = Edited((b"a 1", b"b 2", b"c 3"), (Run(1, (b"b 2",), (b"x 4",)),), True, True)
    (section,) = parse_patch(write("f", edited), dialect=dialect).files
    assert section.path == "f"
