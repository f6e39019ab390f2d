"""Bytes become lines and back without loss, and are escaped for a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parameters import named

from git_opatch.model.text import Text, is_binary, visible, visible_difference

_line = st.one_of(
    st.sampled_from([b"", b"\r", b"a\r", b"\r\r", b"\x0c", b"\xff", "\u2028".encode()]),
    st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"")),
)


@named(
    "data, lines, final_newline",
    {
        "nothing": (b"", [], True),
        "one empty line": (b"\n", [b""], True),
        "two empty lines": (b"\n\n", [b"", b""], True),
        "one line": (b"a\n", [b"a"], True),
        "one line without its newline": (b"a", [b"a"], False),
        "two lines": (b"a\nb\n", [b"a", b"b"], True),
        "a blank line and no final newline": (b"a\n\nb", [b"a", b"", b"b"], False),
        "a last line of spaces": (b"a\n \n", [b"a", b" "], True),
        "the carriage return stays": (b"a\r\nb\r\n", [b"a\r", b"b\r"], True),
    },
)
def test_a_newline_ends_a_line(data: bytes, lines: list[bytes], final_newline: bool) -> None:
    text = Text.from_bytes(data)
    assert text.lines == lines
    assert text.final_newline is final_newline
    assert text.to_bytes() == data
    assert text.size == len(data)


@pytest.mark.parametrize("count", [3_999, 4_000, 4_001, 8_000])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_text_may_have_several_pieces(count: int, end: bytes) -> None:
    data = b"\n".join(b"%d" % at for at in range(count)) + end
    text = Text.from_bytes(data)
    assert text.to_bytes() == data
    assert text.size == len(data)


@named(
    "character",
    {
        "lone carriage return": b"\r",
        "vertical tab": b"\x0b",
        "form feed": b"\x0c",
        "file separator": b"\x1c",
        "record separator": b"\x1e",
        "next line in Latin-1": b"\x85",
        "next line": "\x85".encode(),
        "line separator": "\u2028".encode(),
        "paragraph separator": "\u2029".encode(),
        "NUL": b"\0",
    },
)
def test_only_a_newline_ends_a_line(character: bytes) -> None:
    text = Text.from_bytes(b"a" + character + b"b\nc\n")
    assert text.lines == [b"a" + character + b"b", b"c"]


@named(
    "data, crlf",
    {
        "one line": (b"a\r\n", True),
        "an empty line": (b"\r\n", True),
        "two lines": (b"a\r\nb\r\n", True),
        "the last line has no newline": (b"a\r\nb", True),
        "two carriage returns in a row": (b"a\r\r\nb\r\n", True),
        "nothing": (b"", False),
        "newlines alone": (b"a\nb\n", False),
        "only the first": (b"a\r\nb\n", False),
        "only the last": (b"a\nb\r\n", False),
        "no newline at all": (b"a", False),
        "a carriage return but no newline": (b"a\r", False),
        "lone carriage returns": (b"a\rb\rc\n", False),
        "the wrong way round": (b"a\n\rb\n", False),
    },
)
def test_in_crlf_a_carriage_return_is_before_every_newline(data: bytes, crlf: bool) -> None:
    assert Text.from_bytes(data).crlf is crlf


@given(st.one_of(st.binary(), st.lists(_line).map(b"\n".join)))
def test_bytes_survive(data: bytes) -> None:
    assert Text.from_bytes(data).to_bytes() == data


@given(st.lists(_line, max_size=5), st.booleans())
def test_a_text_of_lines_is_the_text_of_its_bytes(lines: list[bytes], final_newline: bool) -> None:
    text = Text.from_lines(lines, final_newline)
    assert text.to_bytes() == b"".join(
        line + (b"\n" if final_newline or at < len(lines) - 1 else b"")
        for at, line in enumerate(lines)
    )
    assert text == Text.from_bytes(text.to_bytes())


@named(
    "data, binary",
    {
        "nothing": (b"", False),
        "not UTF-8": (b"\xff\xfe\x80", False),
        "other control characters": (b"\x01\x1b\x7f", False),
        "a NUL": (b"a\0b", True),
        "a NUL in a late line": (b"a\n" * 2000 + b"\0", True),
        "a NUL as byte 8000": (b"a" * 7999 + b"\0", True),
        "a NUL as byte 8001": (b"a" * 8000 + b"\0", False),
        "a NUL after 8000 newlines": (b"\n" * 8000 + b"\0", False),
    },
)
def test_a_text_is_binary_as_in_git(data: bytes, binary: bool) -> None:
    assert is_binary(data) is binary
    assert Text.from_bytes(data).binary is binary


@named(
    "value, shown",
    {
        "a colour sequence": (b"\x1b[31mred", r"\x1b[31mred"),
        "bell and backspace": (b"a\x07\x08b", r"a\x07\x08b"),
        "NUL": (b"\0", r"\x00"),
        "delete": (b"a\x7f", r"a\x7f"),
        "carriage return": (b"a\r", r"a\r"),
        "newline": (b"a\nb", r"a\nb"),
        "a C1 control": ("\x9b31m", r"\x9b31m"),
        "next line": ("\x85", r"\x85"),
        "right-to-left override": ("a\u202eb", r"a\u202eb"),
        "bidirectional isolates": ("a\u2066b\u2069", r"a\u2066b\u2069"),
        "zero width space": ("a\u200bb", r"a\u200bb"),
        "byte-order mark": ("a\ufeffb", r"a\ufeffb"),
        "line separator": ("a\u2028b", r"a\u2028b"),
        "no-break space": ("a\xa0b", r"a\xa0b"),
        "ideographic space": ("a\u3000b", r"a\u3000b"),
        "a tag character": ("\U000e0041", r"\U000e0041"),
        "bytes that are not UTF-8": (b"\xff\xfe", r"\xff\xfe"),
        "a Latin-1 letter": (b"caf\xe9", r"caf\xe9"),
        "the same in a path": ("caf\udce9", r"caf\xe9"),
    },
)
def test_terminal_controls_are_escaped(value: bytes | str, shown: str) -> None:
    assert visible(value) == shown


@named(
    "value",
    {
        "letters": "plain text",
        "spaces": "  two  blanks ",
        "tabs": "\tx\ty",
        "what looks like markup": "[bold]x[/bold] [link=file:///x]",
        "other markup": ":smile: `code` <b>",
        "a backslash": r"a\nb\x1b",
        "printable Unicode": "Grüße, 世界 🎉",
        "nothing": "",
    },
)
def test_printable_text_is_kept(value: str) -> None:
    assert visible(value) == value
    assert visible(value.encode()) == value


def test_a_tab_is_kept_beside_an_escape() -> None:
    assert visible(b"\tx\x1b\t") == "\tx\\x1b\t"


@named(
    "value, most, shown",
    {
        "one too many": ("abcd", 3, "abc…"),
        "one byte too many": (b"abcd", 3, "abc…"),
        "just as many": ("abc", 3, "abc"),
        "just as many bytes": (b"abc", 3, "abc"),
        "fewer": ("ab", 3, "ab"),
        "an escape counts as what it stands for": ("a\x1bcd", 3, "a\\x1bc…"),
    },
)
def test_a_long_value_is_truncated(value: bytes | str, most: int, shown: str) -> None:
    assert visible(value, most) == shown


def test_a_value_is_truncated_after_300_characters_by_default() -> None:
    assert visible("a" * 300) == "a" * 300
    assert visible("a" * 301) == "a" * 300 + "…"


@pytest.mark.parametrize("most", [60, 300])
def test_two_long_lines_are_shown_where_they_differ(most: int) -> None:
    same = b"word " * 100
    one, other = visible_difference(same + b"left", same + b"right", most)
    assert (one[0], one[-4:], other[0], other[-5:]) == ("…", "left", "…", "right")
    assert len(one) <= most
    accented = "é".encode() * 200
    one, other = visible_difference(accented + b"a", accented + b"b", most)
    assert set(one[1:-1]) == {"é"}
    assert visible_difference(b"a\x1b", b"ab", most) == ("a\\x1b", "ab")
    assert visible_difference(same, same + b"x", most)[1].endswith("word x")
