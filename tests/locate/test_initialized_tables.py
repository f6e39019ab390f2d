"""A table at the margin, such as `static const struct key keys[] = {`, is a definition (D80)."""

from __future__ import annotations

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch.locate.outline import OutlineKind, heading, name_of

_TABLES = """static const struct key vi[] = {
	{ 'a', ONE },
	{ 'b', TWO },
};

static const struct key emacs[] = {
	{ 'c', ONE },
	{ 'd', TWO },
};
"""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"static const struct key vi[] = {", b"vi"),
        (b"int sizes[2][2] = {", b"sizes"),
        (b"struct key *first = {", b"first"),
        (b"const options = {", b"options"),
    ],
)
def test_a_table_is_a_definition(line: bytes, name: bytes) -> None:
    assert heading(line) is OutlineKind.DEFINITION
    found = name_of(line)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    "line",
    [
        b"\tint sizes[] = {",
        b"options = {",
        b"int size = 1;",
        b"int sizes[] = { 1, 2 };",
        b"if (a == b) {",
        b"return a == {",
        b"the text says x = 1",
    ],
)
def test_other_lines_are_none(line: bytes) -> None:
    assert heading(line) is None


def test_an_anchor_names_the_table_that_a_hunk_is_in(repo: Sandbox) -> None:
    repo.commit({"keys.c": _TABLES})
    change = b"-\t{ 'd', TWO },\n+\t{ 'd', THREE },\n"
    for table, status in ((b"vi", 1), (b"emacs", 0)):
        anchor = b"@@ static const struct key " + table + b"[] = {\n"
        ran = repo.opatch("apply", feed=envelope(b"*** Update File: keys.c\n" + anchor + change))
        assert (ran.status, b"THREE" in repo.read("keys.c")) == (status, not status), ran.err
        assert ("is under `static const struct key emacs[] = {`" in ran.err) == bool(status)
