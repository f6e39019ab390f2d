"""The same change, written in each format, gives the same completed diff, byte for byte."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from doubt import is_doubted
from examples import examples
from hypothesis import HealthCheck, assume, given
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
    string_edits,
    update,
    without_numbers,
)

from git_opatch.git.repository import Repository
from git_opatch.model.options import Format, Options
from git_opatch.operations.apply import plan_patch
from git_opatch.parse import parse_patch

FORMS: dict[str, tuple[Format, Callable[[str, Edited], bytes]]] = {
    "envelope": (Format.ENVELOPE, lambda path, edited: envelope(update(path, edited, 3))),
    "numbers": (Format.UNIFIED, numbered),
    "no numbers": (Format.UNIFIED, lambda path, edited: without_numbers(numbered(path, edited))),
    "wrong numbers": (Format.UNIFIED, invented_numbers),
    "search and replace": (Format.SEARCH_REPLACE, blocks),
    "Cline's blocks": (Format.SEARCH_REPLACE, cline_blocks),
    "FILE_CHANGES": (Format.FILE_CHANGES, file_changes),
    "operations": (Format.OPERATIONS, operations),
    "an envelope in JSON": (Format.ENVELOPE, json_envelope),
    "string replacement": (Format.STRING_REPLACE, string_edits),
}
"""A form is added here, and nowhere else: its format, and what writes an edited file in it."""

_LINES = [
    "", " ", "\t}", "    return x", "-- x", "++ x", "- item", "+ item", "@@ x", "*** End Patch",
    "Title", "====", "```", "\\ x", '"q\\"', "{", "[", "<path>a</path>", "ü\u2028\x0c", "a" * 300,
]  # fmt: skip


@st.composite
def edited_files(draw: st.DrawFn) -> Edited:
    """Draw a file of distinct lines and one or more edits of it, in which each line is new."""
    count = 0

    def lines(least: int, most: int) -> tuple[bytes, ...]:
        nonlocal count
        drawn = draw(st.lists(st.sampled_from(_LINES), min_size=least, max_size=most))
        count += len(drawn)
        return tuple(f"{line} {count - position}".encode() for position, line in enumerate(drawn))

    old = lines(4, 40)
    runs: list[Run] = []
    at = draw(st.integers(0, len(old) - 1))
    while at < len(old):
        gone = draw(st.integers(0, min(3, len(old) - at)))
        new = lines(0 if gone else 1, 3)
        if new and all(line.startswith(b"+") for line in new):
            new = (*new, b"one that does not begin with a sign")  # else refused (D34)
        if gone < len(old):
            runs.append(Run(at, old[at : at + gone], new))
        at += gone + draw(st.integers(1, 12))
    # Only a unified diff can say that its last added line has no newline.
    newline = draw(st.booleans()) or runs[-1].stop == len(old)
    return Edited(old, tuple(runs), newline, newline)


def _completed(repo: Sandbox, patch: bytes, patch_format: Format | None) -> bytes:
    plan = plan_patch(
        parse_patch(patch, patch_format=patch_format), Repository(str(repo.path)), Options()
    )
    assume(not is_doubted(plan.failures))
    assert not plan.failures, patch
    return plan.completed.diff


@examples(1, HealthCheck.too_slow)
@given(edited_files())
def test_every_format_gives_the_same_diff(edited: Edited) -> None:
    with tempfile.TemporaryDirectory() as directory:
        repo = Sandbox(Path(directory) / "repo").init()
        path = "sub/a b.txt"
        repo.commit({path: edited.before})
        expected = _completed(repo, numbered(path, edited), None)
        for name, (patch_format, write) in FORMS.items():
            patch = write(path, edited)
            for asked in (patch_format, None):
                assert _completed(repo, patch, asked) == expected, name
        repo.git("apply", "--index", "-", feed=expected)
        assert repo.read(path) == edited.after


def test_every_format_is_covered() -> None:
    assert {patch_format for patch_format, _ in FORMS.values()} == set(Format)


@pytest.mark.parametrize("name", FORMS)
def test_each_format_is_read_by_its_own_parser_alone(name: str) -> None:
    patch_format, write = FORMS[name]
    edited = Edited((b"a 1", b"b 2", b"c 3"), (Run(1, (b"b 2",), (b"x 4",)),), True, True)
    (section,) = parse_patch(write("f", edited), patch_format=patch_format).files
    assert section.path == "f"
