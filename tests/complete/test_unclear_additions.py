"""Added lines that cannot be meant as they are: placeholders (D92), encodings (D93), `++` (D34)."""

from __future__ import annotations

import pytest
from hunked import edited

from git_opatch import Refused, apply_to_text
from git_opatch.complete.placeholder import placeholder_in
from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.patch import Hunk, Line, Prefix
from git_opatch.model.paths import is_document
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text


@pytest.mark.parametrize(
    "line",
    [
        "    # ... rest of the function unchanged ...",
        "// existing code",
        "// ... existing code ...",
        "// ...",
        "...",
        "…",
        "    /* ... */",
        "<!-- ... -->",
        "{/* ... existing imports ... */}",
        "# rest of the code remains the same",
        "# The rest of this file is unchanged.",
        "-- ... other methods ...",
        "# ... (unchanged)",
        "// [...rest of the implementation...]",
        "; ... remaining definitions",
        "# (existing code here)",
        "... existing code ...",
        "// unchanged",
    ],
)
def test_a_placeholder_is_never_written(line: str) -> None:
    result = edited("a\nb\nc\n", [" a", "-b", "+B", f"+{line}", " c"], path="a.py")
    (failure,) = result.failures
    assert failure.reason is Reason.UNCLEAR
    assert failure.fault is Fault.PLACEHOLDER
    assert f"`{line.strip()}`" in failure.message
    assert result.content.text.to_bytes() == b"a\nb\nc\n"


@pytest.mark.parametrize(
    "line",
    [
        "*    other functions that use it",
        "# The rest of your application code goes here...",
        "// same as above",
        "# Other functions",
        "    call(...args)",
        "def f(*, x: int) -> int: ...",
        "# TODO: remove when this is fixed...",
        "// Read the remaining contents of the body",
        "print('... existing code ...')",
        "rest of the code",
        "# ...then the others",
        "# keep",
        "unchanged",
        "#",
        "# ..",
    ],
)
def test_code_and_comments_are_written(line: str) -> None:
    result = edited("a\nb\nc\n", [" a", "-b", "+B", f"+{line}", " c"], path="a.py")
    assert result.failures == []
    assert result.content.text.to_bytes().decode() == f"a\nB\n{line}\nc\n"


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param("a\n  # ...\n", [" a", "-  # ...", "+b", "+# ..."], id="moved"),
        pytest.param("a\n# existing code\nb\n", [" b", "+# existing code"], id="in the file"),
        pytest.param("a\nb\n", [" a", "+def f():", "+    ...", " b"], id="an empty body"),
        pytest.param("def f():\nb\n", [" def f():", "+    ...", " b"], id="below a shown line"),
        pytest.param("a\n", [" a", "+def f():", '+    """F."""', "+    ..."], id="a docstring"),
    ],
)
def test_dots_that_are_content_are_written(content: str, hunk: list[str]) -> None:
    result = edited(content, hunk, path="a.py")
    assert result.failures == []
    assert len(result.placements) == 1


def test_dots_alone_are_written_if_they_are_in_the_file_only_elsewhere() -> None:
    result = edited("def f():\n    ...\na\nb\n", [" a", "+    ...", " b"], path="a.py")
    assert [failure.reason for failure in result.failures] == [Reason.UNCLEAR]


def test_dots_are_content_of_a_document_and_phrases_are_not() -> None:
    for text, found in ((b"...", b""), (b"# ...", b""), (b"# ... existing code ...", b"# ... ")):
        hunk = Hunk((Line(Prefix.CONTEXT, b"a"), Line(Prefix.ADDED, text)))
        placeholder = placeholder_in(hunk, Text([b"a"]), is_document=True)
        assert placeholder.startswith(found)
        assert bool(placeholder) == bool(found)


LATIN, UTF = b"caf\xe9", "café".encode()


@pytest.mark.parametrize(
    ("lines", "added", "refused"),
    [
        pytest.param([b"a", LATIN], UTF, True, id="UTF-8 for Latin-1"),
        pytest.param([b"a", UTF], LATIN, True, id="Latin-1 for UTF-8"),
        pytest.param([b"a", LATIN], LATIN, False, id="Latin-1 for both"),
        pytest.param([b"a", UTF], UTF, False, id="UTF-8 for both"),
        pytest.param([b"a"], LATIN, False, id="ASCII so far"),
        pytest.param([b"a"], UTF, False, id="ASCII so far, now UTF-8"),
        pytest.param([b"a", LATIN, UTF], UTF, False, id="both are there"),
        pytest.param([b"a", LATIN], b"b", False, id="ASCII added"),
    ],
)
def test_added_lines_are_in_an_encoding_that_the_file_has(
    lines: list[bytes], added: bytes, refused: bool
) -> None:
    hunk = Hunk((Line(Prefix.CONTEXT, b"a"), Line(Prefix.ADDED, added)))
    (result,) = locate_hunks([hunk], Text(lines))
    faults = (Fault.UTF8_IN_OTHER, Fault.NOT_UTF8)
    assert (isinstance(result, Failure) and result.fault in faults) == refused


def test_hunks_may_convert_a_file_together() -> None:
    change = (Line(Prefix.REMOVED, LATIN), Line(Prefix.ADDED, UTF))
    first = Hunk((*change, Line(Prefix.CONTEXT, b"a")), ordinal=1)
    second = Hunk((Line(Prefix.CONTEXT, b"b"), *change), ordinal=2)
    text = Text([LATIN, b"a", b"b", LATIN])
    assert not any(isinstance(each, Failure) for each in locate_hunks([first, second], text))
    assert all(isinstance(each, Failure) for each in locate_hunks([first], text))


def test_dots_are_content_where_a_hunk_shows_nothing_of_the_file() -> None:
    hunk = Hunk((Line(Prefix.ADDED, b"def f():"), Line(Prefix.ADDED, b"    # ...")))
    assert placeholder_in(hunk, Text([b"a"]), is_document=False) == b""


@pytest.mark.parametrize(
    ("path", "is_prose"),
    [
        ("README.md", True),
        ("docs/guide.RST", True),
        ("doc/README", True),
        ("a.py", False),
        ("md", False),
        ("readme/a.c", False),
        ("", False),
    ],
)
def test_documents_are_known_by_their_names(path: str, is_prose: bool) -> None:
    assert is_document(path) == is_prose


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param("a\nb\n", [" a", "++c", " b"], id="one line"),
        pytest.param("a\nb\n", [" a", "++c", "+", "++  d"], id="with a blank line"),
    ],
)
def test_prefixes_that_may_be_doubled_are_refused(content: str, hunk: list[str]) -> None:
    result = edited(content, hunk)
    (failure,) = result.failures
    assert failure.reason is Reason.UNCLEAR
    assert failure.fault is Fault.DOUBLED_PREFIX
    assert result.content.text.to_bytes().decode() == content


@pytest.mark.parametrize(
    ("content", "hunk"),
    [
        pytest.param("a\n+ b\n", [" a", "++ c"], id="as the file has it"),
        pytest.param("a\nb\n", [" a", "++c", "+d"], id="one of two lines"),
        pytest.param("a\nb\n", [" a", "+  +c"], id="behind an indentation"),
        pytest.param("a\nb\n", [" a", "-b", "++b"], id="beside a removed line"),
    ],
)
def test_a_plus_in_front_of_added_lines_is_content(content: str, hunk: list[str]) -> None:
    result = edited(content, hunk)
    assert result.failures == []
    assert len(result.placements) == 1


@pytest.mark.parametrize(
    "line", ["// ... existing code ...", "    # ... rest of the function unchanged ..."]
)
def test_a_placeholder_is_not_written_into_a_new_file(line: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: a.js\n+one\n+{line}\n*** End Patch\n"
    with pytest.raises(Refused) as raised:
        apply_to_text(patch, {})
    (failure,) = raised.value.failures
    assert failure.reason is Reason.UNCLEAR
    assert failure.fault is Fault.PLACEHOLDER_IN_NEW
    assert f"`{line.strip()}`" in failure.message


@pytest.mark.parametrize(
    ("path", "line"),
    [
        pytest.param("a.md", "// ... existing code ...", id="a document"),
        pytest.param("a.js", "...", id="dots"),
        pytest.param("a.js", "print('... existing code ...')", id="in a string"),
        pytest.param("a.js", "// Read the remaining contents of the body", id="a sentence"),
    ],
)
def test_a_new_file_may_have_what_looks_like_a_placeholder(path: str, line: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+one\n+{line}\n*** End Patch\n"
    assert apply_to_text(patch, {}) == {path: f"one\n{line}\n"}


def test_a_far_list_with_plus_signs_does_not_explain_doubled_prefixes() -> None:
    far = "+ item\n" + "x\n" * 60 + "a\nb\n"
    (failure,) = edited(far, [" a", "++new", " b"]).failures
    assert failure.fault is Fault.DOUBLED_PREFIX
    near = "x\n" * 60 + "+ item\na\nb\n"
    assert edited(near, [" a", "++ new", " b"]).failures == []
