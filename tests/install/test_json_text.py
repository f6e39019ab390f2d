"""Text of JSON is added to and taken from, and every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch.install.json_text import added, removed, replaced

_TEXTS = [
    '{"a": 1}',
    '{"a": 1, "b": [1, 2]}\n',
    '{\n  "a": 1\n}\n',
    '{\n    "a": [\n        1\n    ],\n    "b": {}\n}\n',
    '{\n\t"a": {\n\t\t"b": "}"\n\t}\n}',
    '{\r\n  "a": "]",\r\n  "b": null\r\n}\r\n',
    ' \n{ "a" :1 ,\n"b":2}',
    "{}",
    "{ }\n",
    '{"a": "\\"{[,:"}',
]


@pytest.mark.parametrize("text", _TEXTS)
def test_a_member_is_added_and_taken_out(text: str) -> None:
    value = {"PreToolUse": [{"matcher": "x|y", "hooks": [{"command": 'a "b" é'}]}]}
    extended = added(text, (), "hooks", value)
    assert json.loads(extended) == {**json.loads(text), "hooks": value}
    assert ("\r\n" in extended) == ("\r\n" in text)
    restored = removed(extended, ("hooks",))
    assert restored == (text if text.strip() != "{ }" else "{}\n")
    assert removed(extended, ("hooks", "PreToolUse", 0)) == restored


@pytest.mark.parametrize(
    ("text", "extended"),
    [
        ('{"h": [1]}', '{"h": [1, {"c": 2}]}'),
        ('{\n  "h": [\n    1\n  ]\n}', '{\n  "h": [\n    1,\n    {\n      "c": 2\n    }\n  ]\n}'),
        ('{\n  "h": []\n}', '{\n  "h": [\n    {\n      "c": 2\n    }\n  ]\n}'),
        ('{\n  "h": [1,\n2]\n}', '{\n  "h": [1,\n2,\n{\n  "c": 2\n}]\n}'),
    ],
)
def test_an_element_is_spelled_as_its_neighbours(text: str, extended: str) -> None:
    assert added(text, ("h",), None, {"c": 2}) == extended
    assert json.loads(extended)["h"][-1] == {"c": 2}
    at = len(json.loads(text)["h"])
    assert removed(extended, ("h", at)) == (text if at else "{}")


def test_any_element_is_taken_out() -> None:
    text = '{\n  "h": [\n    1,\n    2,\n    3\n  ]\n}'
    for at, left in enumerate(([2, 3], [1, 3], [1, 2])):
        assert json.loads(removed(text, ("h", at))) == {"h": left}


def test_a_value_is_replaced() -> None:
    assert replaced('{"a": ["x" , 1]}', ("a", 0), "é") == '{"a": ["é" , 1]}'


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(
    st.dictionaries(st.text(max_size=3), _JSON, max_size=3),
    st.sampled_from([None, 1, 2, "\t"]),
    _JSON,
)
def test_what_is_taken_out_is_what_was_added(
    value: dict[str, object], indent: str | int | None, more: object
) -> None:
    value.pop("hooks", None)
    text = json.dumps(value, indent=indent)
    extended = added(text, (), "hooks", more)
    assert json.loads(extended) == {**value, "hooks": more}
    assert removed(extended, ("hooks",)) == text
