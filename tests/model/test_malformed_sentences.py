"""The sentences for what is wrong with a patch's text: each is said somewhere, in one line."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import git_opatch
from git_opatch.model.sentences import Malformed

_PARSE = Path(git_opatch.__file__).parent / "parse"
_FIELDS = string.Formatter()


def _names(fault: Malformed) -> set[str]:
    return {name for _, name, _, _ in _FIELDS.parse(fault.value) if name}


def test_each_sentence_is_said_where_text_is_read() -> None:
    used = {
        name
        for module in _PARSE.glob("*.py")
        for name in re.findall(r"Malformed\.([A-Z_]+)", module.read_text())
    }
    assert used == {fault.name for fault in Malformed}


@pytest.mark.parametrize("fault", Malformed)
def test_a_value_in_a_sentence_is_safe_to_print(fault: Malformed) -> None:
    said = fault.fill(**dict.fromkeys(_names(fault), b"\x1b[2J\n\xff"))
    assert said.isprintable()
    assert all("{" not in part for part in said.split("`")[::2])


def test_a_value_is_cut_to_the_characters_in_its_format() -> None:
    said = Malformed.UNREAD_DIRECTORY.fill(text="x" * 500, called=1)
    assert "`" + "x" * 80 + "…`" in said


def test_the_last_of_several_lines_is_said_only_if_there_are_several() -> None:
    assert Malformed.NO_PLUS.fill(text="a", last=0).endswith("write `+a`")
    assert Malformed.NO_PLUS.fill(text="a", last=7).endswith(", and so on up to line 7")
