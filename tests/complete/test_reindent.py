"""Added lines follow the file's indentation; context keeps the file's bytes."""

from __future__ import annotations

import pytest

from git_opatch.complete.tree import FileContent
from git_opatch.model.blob import Mode
from git_opatch.model.options import Options
from git_opatch.model.patch import FilePatch, Hunk, Line, Operation, Prefix
from git_opatch.model.sentences import Fault
from git_opatch.model.text import Text
from git_opatch.plan.apply_hunks import AppliedHunks, apply_hunks

BYTE_ORDER_MARK = "\ufeff"
SPACED = "def f():|  alpha:|    b|  c|"


def edited(content: str, *hunks: str) -> AppliedHunks:
    result = tried(content, *hunks)
    assert result.failures == []
    return result


def tried(content: str, *hunks: str) -> AppliedHunks:
    """Apply `hunks` to `content`, a document; in both, a bar is the end of a line."""
    last = len(hunks)
    asked = tuple(
        Hunk(
            tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines.split("|")),
            ordinal=number,
            is_last=number == last,
        )
        for number, lines in enumerate(hunks, 1)
    )
    section = FilePatch(Operation.UPDATE, "notes.txt", "notes.txt", asked)
    text = Text.from_bytes(content.replace("|", "\n").encode())
    return apply_hunks(section, FileContent(Mode.REGULAR, text), Options())


def written(content: str, *hunks: str) -> str:
    return edited(content, *hunks).content.text.to_bytes().decode().replace("\n", "|")


def notes(content: str, lines: str) -> tuple[str, ...]:
    return edited(content, lines).placements[0].notes


def wide(text: str, unit: str) -> str:
    """Replace each tab in `text` by `unit`."""
    return text.replace("\t", unit)


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            "    alpha  b |\tb|  c|", " alpha b| b|-c", "    alpha  b |\tb|", id="context"
        ),
        pytest.param("\talpha|\tb;|c|", "-alpha| B| c", "\tb;|c|", id="below a removed line"),
        pytest.param("## A| \t|TEXT.|end|", " # A| | text|-End", "## A| \t|TEXT.|", id="a heading"),
        pytest.param(
            "x = `a`|y  = 2|z|", " x = a|-y = 2|+y = 3| Z", "x = `a`|y = 3|z|", id="beside it"
        ),
    ],
)
def test_context_keeps_the_bytes_of_the_file(content: str, lines: str, after: str) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            SPACED, " alpha:|-  b|+  d|+  e| c", "def f():|  alpha:|    d|    e|  c|", id="more"
        ),
        pytest.param(
            SPACED, "     alpha:|-      b|+      d", "def f():|  alpha:|    d|  c|", id="less"
        ),
        pytest.param(
            SPACED,
            " alpha:|   b|+  d:|+    e",
            "def f():|  alpha:|    b|    d:|      e|  c|",
            id="deeper",
        ),
        pytest.param(
            SPACED, " alpha:|   b|+  d|+e", "def f():|  alpha:|    b|    d|  e|  c|", id="shallower"
        ),
        pytest.param(
            "a:|  - x|  - b|",
            " - x| - b|+- c|+|+  d",
            "a:|  - x|  - b|  - c||    d|",
            id="blank lines",
        ),
        pytest.param("\t\talpha|\t\tb|", "-\talpha|+\tc| \tb", "\t\tc|\t\tb|", id="by a tab"),
        pytest.param(
            "a:|   - b|     c|",
            " - b|-  c|+  d|+- e",
            "a:|   - b|     d|   - e|",
            id="by three, in YAML",
        ),
        pytest.param(
            "1. a|   * point|     c|",
            "  * point|    c|+   d|+ * e",
            "1. a|   * point|     c|     d|   * e|",
            id="odd widths, in Markdown",
        ),
        pytest.param(
            "x:|\tgamma:|\t\ta|",
            " gamma:|-    a|+    b|+        c",
            "x:|\tgamma:|\t\tb|\t\t\tc|",
            id="tabs and a shift",
        ),
        pytest.param(
            "x:|  gamma:|    a|",
            " gamma:|-\ta|+\tb|+\t\tc",
            "x:|  gamma:|    b|      c|",
            id="spaces and a shift",
        ),
        pytest.param(
            "gamma:|\tb(|", " gamma:|     b(|+      c,", "gamma:|\tb(|\t  c,|", id="spaces are left"
        ),
        pytest.param(
            "gamma:|\tb|", " gamma:|     b|+|+  |+    c", "gamma:|\tb||  |\tc|", id="blank lines"
        ),
        pytest.param(
            "gamma:|   b|      c|",
            " gamma:|-  b|+  B|     c|+    d|+      e",
            "gamma:|   B|      c|      d|         e|",
            id="three for two",
        ),
    ],
)
def test_an_added_line_is_shifted_by_the_difference(content: str, lines: str, after: str) -> None:
    assert written(content, lines) == after
    assert notes(content, lines) == ()


TREE = "if alpha:|\tif b:|\t\tc()|"
GROWN = "if alpha:|\tif b:|\t\td()|\t\twhile e:|\t\t\tif f:|\t\t\t\tg()|\th()|i()|"
GROW = " if alpha:| \tif b:|-\t\tc()|+\t\td()|+\t\twhile e:|+\t\t\tif f:|+\t\t\t\tg()|+\th()|+i()"


@pytest.mark.parametrize(
    ("file", "patch"),
    [
        pytest.param("\t", "  ", id="a tab for two spaces"),
        pytest.param("\t", "    ", id="a tab for four spaces"),
        pytest.param("\t", "        ", id="a tab for eight spaces"),
        pytest.param("  ", "\t", id="two spaces for a tab"),
        pytest.param("    ", "\t", id="four spaces for a tab"),
        pytest.param("        ", "\t", id="eight spaces for a tab"),
        pytest.param("\t", "   ", id="a tab for three spaces"),
        pytest.param("    ", "  ", id="four for two"),
        pytest.param("  ", "    ", id="two for four"),
        pytest.param("  ", "   ", id="two for three"),
        pytest.param("        ", "    ", id="eight for four"),
    ],
)
def test_an_indentation_style_or_ratio_is_converted(file: str, patch: str) -> None:
    lines = wide(GROW, patch)
    assert written(wide(TREE, file), lines) == wide(GROWN, file)
    assert notes(wide(TREE, file), lines) == ()


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param(
            "alpha:|b|c|", " alpha:|-b|-c|+    b|+    c", "alpha:|    b|    c|", id="to indent"
        ),
        pytest.param("alpha:|    b|", "-alpha:|-    b|+b", "b|", id="to take it away"),
        pytest.param(
            "\ta(|\tb|", "     a(|-    b|+        b", "\ta(|\t\tb|", id="to indent, in tabs"
        ),
        pytest.param("  a||  b|", "-  a|+\ta| |   b", "\ta||  b|", id="another style"),
    ],
)
def test_a_hunk_that_changes_indentation_is_kept(content: str, lines: str, after: str) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("\ta|\tb|", " \ta|+    n| \tb", "\ta|    n|\tb|", id="spaces"),
        pytest.param("  a|  b|", "   a|+\tn|   b", "  a|\tn|  b|", id="a tab"),
        pytest.param("a|  b|", "-a|+      n", "      n|  b|", id="no indentation"),
    ],
)
def test_a_hunk_that_matched_exactly_is_added_verbatim(
    content: str, lines: str, after: str
) -> None:
    assert written(content, lines) == after


def test_the_style_of_another_hunk_is_not_used() -> None:
    content = "def f():|\ta()|\tb()||def g():|\tc()|"
    after = content.replace("a()", "x()").replace("def g():|", "def g():|    n()|")
    assert written(content, " def f():|-    a()|+    x()", " def g():|+    n()") == after


def test_the_shift_of_another_hunk_is_not_used() -> None:
    content = "  a|  b|x|c|"
    assert written(content, "-a|+A| b", " c|+    n") == "  A|  b|x|c|    n|"


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("  alpha:|    b|", "  alpha:|-    b|+    c", "  alpha:|    c|", id="no shift"),
        pytest.param("  a|  b|", "  a|  b|+  n", "  a|  b|  n|", id="the added line fits"),
        pytest.param(
            "  alpha:|    b|", "  alpha:|-   b|+   c", "  alpha:|    c|", id="removed ones, too"
        ),
        pytest.param("  a|  b|", "  a|  b|+ n", "  a|  b|  n|", id="added ones, too"),
    ],
)
def test_context_that_lost_its_prefix(content: str, lines: str, after: str) -> None:
    assert written(content, lines) == after


@pytest.mark.parametrize(
    ("content", "lines", "after"),
    [
        pytest.param("a\r|b\r|", "-a|+x| b", "x\r|b\r|", id="CRLF"),
        pytest.param("  a\r|  b\r|", " a|-b|+x", "  a\r|  x\r|", id="CRLF, shifted"),
        pytest.param(
            "a:\r|\tb\r|", " A:|     b|+|+    n", "a:\r|\tb\r|\r|\tn\r|", id="CRLF, in tabs"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}a|b|", "-a|+x| b", f"{BYTE_ORDER_MARK}x|b|", id="the first line"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}a|b|", "+n| a", f"{BYTE_ORDER_MARK}n|a|b|", id="a line before it"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}a|b|", "-a| b", f"{BYTE_ORDER_MARK}b|", id="the first line deleted"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}a|b|", " a|-b|+x", f"{BYTE_ORDER_MARK}a|x|", id="the second line"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}a\r|b\r|", "-a| b", f"{BYTE_ORDER_MARK}b\r|", id="CRLF, deleted"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}A|b|", "+n| a| b", f"{BYTE_ORDER_MARK}n|A|b|", id="a loose match"
        ),
        pytest.param(
            f"{BYTE_ORDER_MARK}a|b|",
            f"-{BYTE_ORDER_MARK}a|+{BYTE_ORDER_MARK}x| b",
            f"{BYTE_ORDER_MARK}x|b|",
            id="named by the patch",
        ),
    ],
)
def test_line_endings_and_the_byte_order_mark_are_kept(
    content: str, lines: str, after: str
) -> None:
    assert written(content, lines) == after


def test_lost_prefixes_and_lost_spaces_read_the_same() -> None:
    """Both readings explain the added lines, and no removed line decides between them."""
    above, below = "    :param a: one|              two|", "    :param c: three|"
    short = "    :param a: one|              two|{}|    :param c: three"
    readings = {
        "+    :param b: x|+              y": "    :param b: x|              y|",
        "+   :param b: x|+             y": "    :param b: x|              y|",
    }
    for added, expected in readings.items():
        assert written(above + below, short.format(added)) == above + expected + below
    (failure,) = tried(above + below, short.format("+    :param b: x|+             y")).failures
    assert failure.fault is Fault.FITS_BOTH_WAYS


def test_a_rule_that_explains_all_lines_precedes_a_lost_prefix() -> None:
    """` module` is half as deep as in the file, as all lines are, and not one space short of it."""
    content = "  module M|    def f|      go|    end|"
    assert written(content, "  module M|   def f|-   go|+   if x|+    go|+   end|   end") == (
        "  module M|    def f|      if x|        go|      end|    end|"
    )


def test_a_shifted_hunk_may_remove_the_byte_order_mark() -> None:
    lines = f"-{BYTE_ORDER_MARK}alphas|+betas|     gammas"
    assert written(f"{BYTE_ORDER_MARK}alphas|  gammas|", lines) == "betas|  gammas|"


def test_rules_that_write_the_same_lines_do_not_have_to_be_decided() -> None:
    content, after = "def f():|    go()|    b()|", "def f():|    go()|    b(1)|"
    assert written(content, "   go()|-  b()|+  b(1)") == after


def test_a_ratio_is_one_of_whole_levels() -> None:
    content = "        if a:|            b()|"
    old, new = "-          if a:|-              b()|", "+          if c:|+              d(|"
    after = "        if c:|            d(|                e)|"
    assert written(content, f"{old}{new}+                  e)") == after


def test_a_ratio_and_a_shift_are_not_combined() -> None:
    content = "  {|    a {|      b|    }|  }|"
    lines = " {|  a {|-  b|+  b,|+  c|  }| }"
    assert written(content, lines) == "  {|    a {|      b,|      c|    }|  }|"
    assert tried("f|        if a:|            b()|", "   if a:|-    b()|+    d(|+      e)").failures
    alone = "         super|       end|-  private|+    private"
    assert tried("        super|      end|      private|", alone).failures


def test_lines_keep_their_depths_where_the_context_has_several() -> None:
    content = "out:|    presets:|      - legacy|      - std|"
    lines = (
        " presets:|   - legacy|       - std|+    rules:|+      - path|+        with:|+          - x"
    )
    added = "    rules:|      - path|        with:|          - x|"
    assert written(content, lines) == content + added


def test_rules_that_write_different_lines_refuse_the_hunk() -> None:
    content = "def f():|    go()|    if b:|        c()|"
    (failure,) = tried(content, "   go()|-  if b:|+  if d:|+    e()").failures
    assert failure.fault is Fault.SEVERAL_RULES


def test_other_hunks_of_the_file_do_not_decide_between_rules() -> None:
    content = "def f():|    go()|    if b:|        c()|def g():|    if h:|        i()|"
    hunks = ("   go()|-  if b:|+  if d:|+    e()", "   if h:|-    i()|+    j()")
    (failure,) = tried(content, *hunks).failures
    assert failure.fault is Fault.SEVERAL_RULES


def test_a_line_that_fits_both_as_written_and_shifted_is_refused() -> None:
    (failure,) = tried("  alpha:|  b|", " alpha:|-b|+    b").failures
    assert failure.fault is Fault.AT_FILE_DEPTH


def test_what_is_replaced_shows_how_the_rest_is_indented() -> None:
    content = "f|        if a:|            b|        else:|            c||    d|"
    lines = "     if a:|         b|-    else:|+    elif e:|         c|+    else:|+        g| | d"
    after = (
        "f|        if a:|            b|        elif e:|            c|        else:|            g||"
    )
    assert written(content, lines) == after + "    d|"


def test_a_line_as_deep_as_its_neighbour_is_so_in_the_file() -> None:
    content = "a(b,|             c):|        d|        e|"
    lines = " a(b,|         c):|+    # x|     d|-    e|+    f"
    assert written(content, lines) == "a(b,|             c):|        # x|        d|        f|"
