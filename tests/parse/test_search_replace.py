"""Search-and-replace blocks: their changes, their paths, and the errors they may have."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from sandbox import Sandbox

from git_opatch.model.errors import ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch, Operation
from git_opatch.parse import parse_patch

OPEN, MIDDLE, CLOSE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"


def block(old: str, new: str) -> list[str]:
    return [OPEN, *old.split(), MIDDLE, *new.split(), CLOSE]


CHANGE = block("a b", "a c")


def text(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def sections(*lines: str) -> Sequence[FilePatch]:
    return parse_patch(text(*lines)).files


def hunks(*lines: str) -> list[str]:
    """Return the hunks of the only file, `f`, line by line."""
    (section,) = sections("f", *lines)
    assert (section.operation, section.old_path, section.new_path) == (Operation.UPDATE, "f", "f")
    return [
        "|".join(line.prefix.value + line.text.decode() for line in hunk.lines)
        for hunk in section.hunks
    ]


def errors(*lines: str) -> list[tuple[int, str]]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text(*lines))
    return [(error.line, error.message) for error in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        pytest.param("a b c", "a x c", " a|-b|+x| c", id="one line between others"),
        pytest.param("a b", "x y", "-a|-b|+x|+y", id="all"),
        pytest.param("a b", "a b c", " a| b|+c", id="lines after"),
        pytest.param("a b", "x a b", "+x| a| b", id="lines before"),
        pytest.param("a b c d e", "a x c y e", " a|-b|+x| c|-d|+y| e", id="two changes"),
        pytest.param("a b", "", "-a|-b", id="a removal"),
        pytest.param("a b", "a b", " a| b", id="no change"),
        pytest.param("a a b", "a b", " a|-a| b", id="equal lines"),
        pytest.param("x } y } z", "x } q } z", " x| }|-y|+q| }| z", id="equal lines inside"),
    ],
)
def test_lines_on_both_sides_are_context(old: str, new: str, hunk: str) -> None:
    assert hunks(*block(old, new)) == [hunk]


def test_blocks_may_be_in_any_order(repo: Sandbox) -> None:
    repo.commit({"f": "one\n  x\ntwo\n  x\nthree\n"})
    patch = text("f", *block("two", "zwei"), *block("  x", "  y"))
    ran = repo.opatch("apply", feed=patch)
    assert (ran.status, "matches at 2 positions: lines 2, 4" in ran.err) == (1, True)
    in_order = (
        b"*** Begin Patch\n*** Update File: f\n@@\n-two\n+zwei\n@@\n-  x\n+  y\n*** End Patch\n"
    )
    assert repo.opatch("apply", feed=in_order).status == 0
    assert repo.read("f") == b"one\n  x\nzwei\n  y\nthree\n"


def test_distant_changes_of_a_long_block_are_separate_hunks() -> None:
    old = [f"line{at}" for at in range(3000)]
    new = ["first", *old[1:-1], "last"]
    (hunk,) = hunks(*block(" ".join(old), " ".join(new)))
    assert hunk.count("|-") + hunk.startswith("-") == 2
    assert hunk.count("|+") == 2


@pytest.mark.parametrize(
    ("opening", "middle", "close"),
    [
        pytest.param("------- SEARCH", "=======", "+++++++ REPLACE", id="Cline"),
        pytest.param("<<<<< SEARCH", "=====", ">>>>> REPLACE", id="five"),
        pytest.param("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE", id="nine"),
        pytest.param("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE", id="a mark too many"),
        pytest.param("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE>", id="one at the end"),
        pytest.param("<<<<<<<SEARCH", "=======", ">>>>>>>REPLACE", id="no space"),
        pytest.param("<<<<<<< SEARCH  ", "=======  ", ">>>>>>> REPLACE\t", id="spaces after"),
        pytest.param("<<<<<<< SEARCH", "======", ">>>>>>>> REPLACE", id="three lengths"),
        pytest.param("<<<<<<< SEARCH", "=======", "+++++++ REPLACE", id="mixed"),
        pytest.param("<<<<<<< search", "=======", ">>>>>>> Replace", id="small letters"),
    ],
)
def test_markers_may_be_written_loosely(opening: str, middle: str, close: str) -> None:
    assert hunks(opening, "a", "b", middle, "a", "c", close) == [" a|-b|+c"]


@pytest.mark.parametrize(
    "opening",
    [
        pytest.param("<<<<<<< HEAD", id="a conflict"),
        pytest.param("<<<< SEARCH", id="four"),
        pytest.param("<<<<<<<<<< SEARCH", id="ten"),
        pytest.param("<<<<<<< SEARCHING", id="a longer word"),
        pytest.param("------- SEARCH results", id="a title"),
    ],
)
def test_lines_that_are_not_markers(opening: str) -> None:
    ((number, message),) = errors("f", opening, "a", MIDDLE, "b", ">>>>>>> main")
    assert "no patch found" in message or (number, "not begin a block" in message) == (2, True)


@pytest.mark.parametrize(
    ("opening", "close"),
    [
        pytest.param("<<<<<<< ORIGINAL", ">>>>>>> UPDATED", id="other words"),
        pytest.param("<<<<<<< HEAD", ">>>>>>> updated", id="a conflict's"),
        pytest.param("<<<< SEARCH", ">>>> REPLACE", id="four"),
        pytest.param("<<<<<<<<<< SEARCH", ">>>>>>>>>> REPLACE", id="ten"),
    ],
)
def test_a_malformed_block_beside_a_patch_is_not_dropped(opening: str, close: str) -> None:
    meant = ["g", opening, "a", MIDDLE, "b", close]
    for lines, number in ((["f", *CHANGE, "", *meant], 11), ([*meant, "", "f", *CHANGE], 2)):
        ((found, message),) = errors(*lines)
        assert found == number
        assert f"`{opening}` does not begin a block; did you mean `<<<<<<< SEARCH`" in message
    assert sections("f", *CHANGE, opening, "no divider", close)


def test_a_malformed_block_in_an_indented_fence_is_not_dropped() -> None:
    envelope = ["*** Begin Patch", "*** Delete File: a", "*** End Patch"]
    conflict = ["<<<<<<< HEAD", "one", MIDDLE, "two", ">>>>>>> x"]
    fenced = [f"  {line}" for line in ["```", *envelope, *conflict, "```"]]
    ((number, message),) = errors(*fenced)
    assert (number, message.split(";")[0]) == (5, "`<<<<<<< HEAD` does not begin a block")
    ((number, _),) = errors(
        "apply_patch <<-EOF", *(f"\t{item}" for item in conflict + envelope), "EOF"
    )
    assert number == 2


@pytest.mark.parametrize(
    ("lines", "start"),
    [
        pytest.param([":start_line:12", "-------"], 11, id="Roo"),
        pytest.param([":start_line: 12", ":end_line: 14", "-------"], 11, id="and the end"),
        pytest.param([":start_line:12"], 11, id="without the rule"),
        pytest.param([":start_line:0", "-------"], None, id="none"),
        pytest.param([], None, id="not stated"),
    ],
)
def test_the_stated_line_number_is_read(lines: list[str], start: int | None) -> None:
    (section,) = sections("f", OPEN, *lines, "a", MIDDLE, "b", CLOSE)
    (hunk,) = section.hunks
    assert hunk.stated_start == start
    assert [line.text for line in hunk.lines] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("old", "line"),
    [
        pytest.param(["-------", "a"], b"-------", id="a rule without a start line"),
        pytest.param(["a", ":start_line:3"], b":start_line:3", id="a start line further down"),
        pytest.param(["\\=======", "a"], b"=======", id="an escaped divider"),
        pytest.param(["\\<<<<<<< SEARCH", "a"], b"<<<<<<< SEARCH", id="an escaped opening"),
        pytest.param(["\\>>>>>>> REPLACE", "a"], b">>>>>>> REPLACE", id="an escaped end"),
        pytest.param(["\\:start_line:3", "a"], b":start_line:3", id="an escaped start line"),
        pytest.param(["\\-------", "a"], b"-------", id="an escaped rule"),
        pytest.param(["\\section", "a"], b"\\section", id="a backslash"),
        pytest.param(["\\=======x", "a"], b"\\=======x", id="no marker after a backslash"),
        pytest.param(["x \\======= y", "a"], b"x \\======= y", id="no marker inside a line"),
        pytest.param(["  \\=======", "a"], b"  =======", id="an escaped divider, indented"),
        pytest.param(["====", "a"], b"====", id="a short rule"),
        pytest.param(["=====", "a"], b"=====", id="a rule of another length"),
        pytest.param(["  =======", "a"], b"  =======", id="an indented rule"),
        pytest.param(["======= x", "a"], b"======= x", id="a rule and a word"),
        pytest.param(["```", "a"], b"```", id="a fence"),
        pytest.param(["*** End Patch", "@@"], b"*** End Patch", id="another format's marker"),
    ],
)
def test_lines_like_markers_may_be_content(old: list[str], line: bytes) -> None:
    (section,) = sections("f", OPEN, *old, MIDDLE, "z", CLOSE)
    assert line in [context.text for context in section.hunks[0].preimage]


@pytest.mark.parametrize(
    ("above", "path"),
    [
        pytest.param(["src/app.py"], "src/app.py", id="bare"),
        pytest.param(["Makefile"], "Makefile", id="a word"),
        pytest.param(["src/app.py:"], "src/app.py", id="a colon"),
        pytest.param(["`my file.md`"], "my file.md", id="backticks, a space"),
        pytest.param(["**src/app.py**"], "src/app.py", id="bold"),
        pytest.param(["**`src/app.py`**:"], "src/app.py", id="all of it"),
        pytest.param(["### src/app.py"], "src/app.py", id="a heading"),
        pytest.param(["# src/app.py"], "src/app.py", id="a comment"),
        pytest.param(["// src/app.py"], "src/app.py", id="another comment"),
        pytest.param(["<!-- a.html -->"], "a.html", id="an HTML comment"),
        pytest.param(["File: my file.md"], "my file.md", id="a label, a space"),
        pytest.param(["**File: `src/app.py`**"], "src/app.py", id="a bold label"),
        pytest.param(["1. `src/app.py`:"], "src/app.py", id="a list's item"),
        pytest.param(["src/app.py", "```python"], "src/app.py", id="above the fence"),
        pytest.param(["```", "src/app.py"], "src/app.py", id="first in the fence"),
        pytest.param(["src/app.py", "", "```python"], "src/app.py", id="a blank line between"),
        pytest.param(["```", "a.py", "```", "```python"], "a.py", id="in a fence of its own"),
        pytest.param(["<path>a b.py</path>", "<diff>"], "a b.py", id="Cline"),
        pytest.param(["<file>", "<path>a.py</path>", "<diff>", "<content>"], "a.py", id="Roo"),
        pytest.param(["# the plan", "src/app.py"], "src/app.py", id="below prose"),
        pytest.param(["See src/b.py.", "", "a.py"], "a.py", id="below prose with another path"),
        pytest.param(["a.py", "", "python"], "a.py", id="above a label"),
        pytest.param(["**a.py**", "", "Python", "```"], "a.py", id="above a label, bold"),
        pytest.param(["`Makefile`", "text"], "Makefile", id="a word in backticks above a label"),
        pytest.param(["a.py", "`python`"], "python", id="a language's name in backticks"),
        pytest.param(["File: json"], "json", id="a language's name after a label"),
        pytest.param(["Done", "TODO"], "TODO", id="a word below a word"),
        pytest.param(["The build:", "LICENSE"], "LICENSE", id="a word below prose"),
    ],
)
def test_the_path_is_read_from_the_lines_above(above: list[str], path: str) -> None:
    (section,) = sections(*above, *CHANGE)
    assert (section.old_path, section.new_path) == (path, path)


@pytest.mark.parametrize("line", ["# " * 9 + "a.py", "file: " * 9 + "a.py", "a" * 4092 + "/a.py"])
def test_a_line_too_long_or_too_decorated_does_not_name_a_file(line: str) -> None:
    assert [number for number, _ in errors(line, *CHANGE)] in ([1], [2])


def test_the_path_may_be_on_the_opening_line() -> None:
    (section,) = sections("f", "<<<<<<< SEARCH src/app.py", *CHANGE[1:])
    assert section.path == "src/app.py"


@pytest.mark.parametrize(
    ("above", "number", "message"),
    [
        pytest.param([], 1, "the block does not name a file", id="nothing"),
        pytest.param([""], 2, "the block does not name a file", id="a blank line"),
        pytest.param(["Here we go"], 2, "the block does not name a file", id="prose"),
        pytest.param(["```python"], 2, "the block does not name a file", id="a fence"),
        pytest.param(["..."], 2, "the block does not name a file", id="dots"),
        pytest.param(["src/a.py"] + [""] * 6, 8, "the block does not name a file", id="far away"),
        pytest.param(["Now in src/a.py:"], 1, "may name the file", id="a path in prose"),
        pytest.param(["src/a.py (new)"], 1, "may name the file", id="a path and a note"),
        pytest.param(["my file.md"], 1, "may name the file", id="a bare path with a space"),
        pytest.param(["Then:"], 1, "may name the file", id="a word and a colon"),
        pytest.param(["**Fix**"], 1, "may name the file", id="a bold word"),
        pytest.param(["python"], 1, "may name the file", id="a label"),
        pytest.param(["Here it is:", "", "json"], 3, "may name the file", id="below prose"),
        pytest.param(["TODO", "text"], 2, "may name the file", id="a label below a word"),
        pytest.param(
            ["In `cart.py`:", "", "python"], 1, "may name the file", id="a label, unclear"
        ),
        pytest.param(["a.py", "Makefile"], 2, "may name the file", id="two files"),
        pytest.param(["python", "Run"], 2, "may name the file", id="two labels"),
        pytest.param(["```python src/a.py"], 1, "may name the file", id="a path in the fence line"),
    ],
)
def test_an_unclear_path_is_refused(above: list[str], number: int, message: str) -> None:
    ((found, reported),) = errors(*above, *CHANGE)
    assert found == number
    assert message in reported


def test_the_blocks_of_a_file_are_hunks_of_one_section() -> None:
    (section,) = sections("f", *block("a", "b"), "", "```", "```py", *block("c", "d"), "f", *CHANGE)
    assert [hunk.ordinal for hunk in section.hunks] == [1, 2, 3]
    assert [hunk.is_last for hunk in section.hunks] == [False, False, True]


def test_a_block_without_a_path_uses_the_path_of_the_block_before() -> None:
    found = sections("f", *CHANGE, "```", "", *[""] * 9, "```", *CHANGE, "```", "g", *CHANGE)
    assert [(section.path, len(section.hunks)) for section in found] == [("f", 2), ("g", 1)]


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(["Now update src/g.js to match.", "", "Here it is:"], id="far above"),
        pytest.param(["Then in TODO:"], id="a name without a dot"),
        pytest.param(["And in the Makefile:", "", "```"], id="above the fence"),
        pytest.param(["`g.py` needs it too.", "Replace it:", ""], id="a blank line below"),
        pytest.param(["And this:", *[""] * 9], id="many blank lines below"),
        pytest.param(["*** Begin Patch", "*** Delete File: g", "*** End Patch"], id="a patch"),
    ],
)
def test_a_block_below_prose_needs_its_path(between: list[str]) -> None:
    ((found, message),) = errors("f", *CHANGE, *between, *CHANGE)
    assert found == 9 + len(between)
    assert "write its path alone on the line above `<<<<<<< SEARCH`" in message


def test_prose_that_names_another_file_is_not_skipped() -> None:
    ((number, message),) = errors("f", *CHANGE, "Then the same in `src/g.py` for names:", *CHANGE)
    assert number == 9
    assert "write the path alone" in message


def test_an_empty_search_side_creates_a_file() -> None:
    added, changed, other = sections(
        *("n", OPEN, "", MIDDLE, "x", "", "y", CLOSE, *block("x", "z"), "e", *block("", ""))
    )
    assert (added.operation, added.old_path, added.new_path) == (Operation.ADD, None, "n")
    assert [line.text for line in added.hunks[0].lines] == [b"x", b"", b"y"]
    assert (changed.operation, changed.path) == (Operation.UPDATE, "n")
    assert (other.operation, other.path, other.hunks) == (Operation.ADD, "e", ())


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        pytest.param([OPEN, "a", CLOSE], 4, "no `=======`", id="not a divider"),
        pytest.param([OPEN, "a", MIDDLE, "b"], 5, "add a line `>>>>>>> REPLACE`", id="no end"),
        pytest.param(["------ SEARCH", "a"], 3, "`++++++ REPLACE`", id="no end, as Cline has it"),
        pytest.param(
            *([OPEN, "a", MIDDLE, "b", *CHANGE], 6, "add a line `>>>>>>> REPLACE`"),
            id="no end before the next",
        ),
        pytest.param(
            *([OPEN, "a", MIDDLE, "b", MIDDLE, "c", CLOSE], 6, "write `\\=======`"),
            id="two dividers",
        ),
        pytest.param(
            *([OPEN, "a", "=====", "b", "======", "c", CLOSE], 6, "more than once"),
            id="two dividers of other lengths",
        ),
        pytest.param(
            *([OPEN, "<<<<<<< HEAD", MIDDLE, ">>>>>>> x", MIDDLE, CLOSE], 6, "more than once"),
            id="a conflict inside",
        ),
        pytest.param([*CHANGE[:-1], ">>>>>>> UPDATED"], 8, "mean `>>>>>>> REPLACE`?", id="word"),
        pytest.param(
            *([*CHANGE[:-1], ">>>>>>> REPLACE g.py", "", *CHANGE], 8, "a different file than `f`"),
            id="another path after the end",
        ),
        pytest.param(
            *([*CHANGE[:-1], "", "g.py", "```", *CHANGE], 11, "has no end"),
            id="no end before the path of the next",
        ),
        pytest.param(
            *([*CHANGE[:-1], "app.run()", *CHANGE], 9, "has no end"),
            id="no end before a line that is not a path",
        ),
        pytest.param([OPEN, "a", "====", "b", CLOSE], 4, "mean `=======`?", id="short divider"),
        pytest.param([OPEN, "a", "=" * 12, "b", CLOSE], 4, "mean `=======`?", id="long divider"),
        pytest.param([OPEN, "==", "===", CLOSE], 5, "no `=======` in", id="two short dividers"),
        pytest.param([CLOSE], 2, "no `<<<<<<< SEARCH` before this", id="an end alone"),
        pytest.param(
            *([f"  {line}" for line in CHANGE], 2, "indented by 2; send it without indentation"),
            id="a quotation",
        ),
    ],
)
def test_a_malformed_block_is_reported_at_its_line(
    lines: list[str], number: int, message: str
) -> None:
    found, reported = errors("f", *lines)[0]
    assert found == number
    assert message in reported


def test_all_malformed_blocks_are_reported() -> None:
    lines = ["f", OPEN, "a", CLOSE, "", "Here:", *CHANGE, "Then:", *CHANGE]
    assert [number for number, _ in errors(*lines)] == [4, 6, 14]


def test_line_numbers_are_those_of_the_text() -> None:
    (section,) = sections("# Fix", "", "f", "```", OPEN, ":start_line:3", "a", MIDDLE, "b", CLOSE)
    assert section.number == 5
    assert section.hunks[0].number == 7
    assert [line.number for line in section.hunks[0].lines] == [7, 9]


def test_the_format_can_be_named() -> None:
    patch = text("f", *CHANGE)
    assert parse_patch(patch, patch_format=Format.SEARCH_REPLACE).files
    with pytest.raises(ParseError, match="no patch of the format unified"):
        parse_patch(patch, patch_format=Format.UNIFIED)


def test_text_truncated_anywhere_is_refused_or_complete() -> None:
    whole = text("f", *block("a", "b"), "g", *block("c", "d"))
    counts = set()
    for size in range(len(whole)):
        with suppress(ParseError):
            counts.add(len(parse_patch(whole[:size]).files))
    assert counts == {1, 2}


def test_blocks_are_applied_in_any_order(repo: Sandbox) -> None:
    repo.commit({"f": "one\ntwo\nthree\nfour\nfive\nsix\n"})
    patch = text("f", *block("five six", "5 six"), *block("one two", "one 2"))
    ran = repo.opatch("apply", feed=patch)
    assert ran.status == 0, ran.err
    assert repo.read("f") == b"one\n2\nthree\nfour\n5\nsix\n"


def test_lines_that_occur_twice_are_refused_unless_the_number_decides(repo: Sandbox) -> None:
    repo.commit({"f": "x\na\ny\na\nz\n"})
    assert repo.opatch("apply", feed=text("f", *block("a", "b"))).status == 1
    assert repo.read("f") == b"x\na\ny\na\nz\n"
    stated = text("f", OPEN, ":start_line:4", "-------", "a", MIDDLE, "b", CLOSE)
    assert repo.opatch("apply", feed=stated).status == 0
    assert repo.read("f") == b"x\na\ny\nb\nz\n"


def test_context_keeps_the_bytes_of_the_file(repo: Sandbox) -> None:
    repo.commit({"f": b"one  \r\ntwo\r\nthree\t\r\n"})
    assert repo.opatch("apply", feed=text("f", *block("one two three", "one 2 three"))).status == 0
    assert repo.read("f") == b"one  \r\n2\r\nthree\t\r\n"


def test_a_new_file_does_not_replace_an_existing_file(repo: Sandbox) -> None:
    repo.commit({"f": "old\n"})
    patch = text("f", *block("", "new"))
    before = repo.state()
    assert repo.opatch("apply", feed=patch).status == 1
    assert repo.state() == before
    assert repo.opatch("apply", "--overwrite", feed=patch).status == 0
    assert repo.read("f") == b"new\n"


def test_a_new_file_can_be_changed_by_the_blocks_after_it(repo: Sandbox) -> None:
    repo.commit()
    assert repo.opatch("apply", feed=text("n", *block("", "x y"), *block("y", "z"))).status == 0
    assert repo.read("n") == b"x\nz\n"


@pytest.mark.parametrize("path", ["main.py", "src/app.py", "Makefile"])
@pytest.mark.parametrize(
    "end", [">>>>>>> REPLACE {}", "  >>>>>>> REPLACE  {} ", "+++++++ REPLACE {}"]
)
def test_the_path_may_be_repeated_beside_the_closing_marker(path: str, end: str) -> None:
    indent = end[: len(end) - len(end.lstrip())]
    markers = ("------- SEARCH" if "+" in end else "<<<<<<< SEARCH"), "======="
    lines = [indent + markers[0], "a", indent + markers[1], "b", end.format(path)]
    (section,) = sections(path, *lines)
    assert section.old_path == path
    assert len(sections(path, *lines, "", *CHANGE)) == 1


@pytest.mark.parametrize("path", ["main.py", "src/app.py"])
def test_the_path_may_be_repeated_beside_the_opening_marker(path: str) -> None:
    for end in (">>>>>>> REPLACE", f">>>>>>> REPLACE {path}"):
        lines = [f"<<<<<<< SEARCH {path}", *CHANGE[1:-1], end]
        assert [section.old_path for section in sections(path, *lines)] == [path]
        assert [section.old_path for section in sections(*lines)] == [path]


@pytest.mark.parametrize(
    ("above", "opening", "end", "number"),
    [
        pytest.param("main.py", "", " other.py", 6, id="the end"),
        pytest.param("Makefile", "", " other.py", 6, id="the end of a bare name"),
        pytest.param("main.py", " other.py", "", 2, id="the beginning"),
        pytest.param("src/main.py", " main.py", "", 2, id="the beginning, in a directory"),
        pytest.param("main.py", " main.py", " main.pyi", 6, id="the end alone"),
        pytest.param("", " main.py", " other.py", 6, id="beginning and end"),
    ],
)
def test_another_path_beside_a_marker_is_refused(
    above: str, opening: str, end: str, number: int
) -> None:
    lines = [f"<<<<<<< SEARCH{opening}", "a", "=======", "b", f">>>>>>> REPLACE{end}"]
    ((found, message),) = errors(above, *lines)
    assert (found, "names a different file than" in message) == (number, True)


def test_a_word_beside_the_closing_marker_is_not_a_path() -> None:
    lines = ["<<<<<<< SEARCH", "a", "=======", "b", ">>>>>>> REPLACE it"]
    assert (
        "does not end a block; did you mean `>>>>>>> REPLACE`?" in errors("main.py", *lines)[0][1]
    )


def test_a_closing_marker_with_a_path_and_no_opening_marker() -> None:
    assert errors("a", ">>>>>>> REPLACE main.py", "main.py", *CHANGE)[0][0] == 2


@pytest.mark.parametrize("count", [9_000, 11_000])
def test_a_long_block_with_many_changes_is_read(count: int) -> None:
    old = [f"line {at}" for at in range(count)]
    new = [line + "!" if at % 2 else line for at, line in enumerate(old)]
    text = "\n".join(["f.py", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])
    (hunk,) = parse_patch(text).files[0].hunks
    assert [line.text.decode() for line in hunk.preimage] == old
    assert [line.text.decode() for line in hunk.postimage] == new
    assert [line.number for line in hunk.preimage] == list(range(3, 3 + count))
