"""Numbers of more digits than Python converts are an error, or are not asked for."""

from __future__ import annotations

import pytest

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch

_LONG = "1" * 5000


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("after", ["", ".5", "e5"])
def test_a_long_number_beside_strings_is_not_read(sign: str, after: str) -> None:
    call = f'{{"x": {sign}{_LONG}{after}, "path": "f", "old_string": "a", "new_string": "b"}}'
    assert [section.path for section in parse_patch(call.encode()).files] == ["f"]


def test_a_long_number_in_a_name_is_part_of_the_name() -> None:
    call = f'{{"path": "f", "old_str_{_LONG}": "a", "new_str_{_LONG}": "b"}}'
    assert [section.path for section in parse_patch(call.encode()).files] == ["f"]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"path": "f", "insert_line": {_LONG}, "new_str": "b"}}',
        f'{{"path": "f", "old_string": "a", "new_string": "b", "expected_replacements": {_LONG}}}',
        f'{{"notebook_path": "f", "cell_number": {_LONG}, "new_source": "b"}}',
        f'{{"patch": {_LONG}}}',
        f"[{_LONG}]",
        _LONG,
    ],
)
def test_a_long_number_that_is_asked_for_is_an_error(text: str) -> None:
    with pytest.raises(ParseError):
        parse_patch(text.encode())
