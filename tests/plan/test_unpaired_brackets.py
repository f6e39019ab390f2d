"""A patch does not leave the braces of a file without their counterparts (D170)."""

from __future__ import annotations

import time

import pytest
from writers import envelope

from git_opatch import Options, Refused, apply_to_text
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.sentences import Fault, Reason

_SECONDS = 30  # a hundred times what it takes; each beginning by itself would take hours
FILE = """\
void run(void) {
    if (ready) {
        go();
        come();
    }
    stop();
}
"""


def result_of(content: str, *hunks: str, path: str = "a.c", options: Options | None = None) -> str:
    """Return what one section with `hunks` makes of a file."""
    text = envelope(f"*** Update File: {path}\n{''.join(hunks)}".encode())
    return apply_to_text(text, {path: content}, options=options or Options())[path]


def refused(content: str, *hunks: str, path: str = "a.c") -> Failure:
    with pytest.raises(Refused) as raised:
        result_of(content, *hunks, path=path)
    (failure,) = raised.value.failures
    return failure


def _more(failure: Failure) -> str:
    return "{count} more `{more}`".format_map(failure.values)


@pytest.mark.parametrize(
    ("hunks", "more"),
    [
        pytest.param(["@@\n-    if (ready) {\n         go();\n"], "1 more `}`", id="its end stays"),
        pytest.param(["@@\n         come();\n-    }\n"], "1 more `{`", id="its beginning stays"),
        pytest.param(["@@\n+    for (;;) {\n     stop();\n"], "1 more `{`", id="a beginning alone"),
        pytest.param(["@@\n     stop();\n+    }\n"], "1 more `}`", id="an end alone"),
        pytest.param(
            ["@@\n-    if (ready) {\n", "@@\n     stop();\n-}\n+}}\n"],
            "2 more `}`",
            id="in two hunks",
        ),
        pytest.param(
            ["@@\n-    if (ready) {\n+    if (a) { /* } */\n+    if (b) {\n"],
            "1 more `{`",
            id="another in a comment",
        ),
    ],
)
def test_a_block_that_is_opened_or_closed_alone_is_refused(hunks: list[str], more: str) -> None:
    failure = refused(FILE, *hunks)
    assert failure.fault is Fault.UNPAIRED
    assert _more(failure) == more


@pytest.mark.parametrize(
    ("hunks", "path"),
    [
        pytest.param(
            ["@@\n-    if (ready) {\n         go();\n         come();\n-    }\n"], "a.c", id="both"
        ),
        pytest.param(
            ["@@\n-    if (ready) {\n", "@@\n         come();\n-    }\n"], "a.js", id="in two hunks"
        ),
        pytest.param(
            ["@@\n-    if (ready) {\n+    if (ready)\n+    {\n"], "a.java", id="in another style"
        ),
        pytest.param(["@@\n     stop();\n+    put('{');\n"], "a.rs", id="in a character"),
        pytest.param(['@@\n     stop();\n+    put("a {\\" {");\n'], "a.go", id="in a string"),
        pytest.param(["@@\n     stop();\n+    put(`{\n+{`);\n"], "a.ts", id="in a long string"),
        pytest.param(["@@\n     stop();\n+    // if {\n"], "a.php", id="in a comment"),
        pytest.param(["@@\n     stop();\n+    /* {\n+       { */\n"], "a.css", id="in a long one"),
        pytest.param(["@@\n-    if (ready) {\n"], "a.txt", id="in no language"),
        pytest.param(["@@\n-    if (ready) {\n"], "a.sh", id="in another language"),
    ],
)
def test_braces_that_pair_are_applied(hunks: list[str], path: str) -> None:
    assert result_of(FILE, *hunks, path=path) != FILE


def test_a_file_whose_braces_did_not_pair_may_be_mended() -> None:
    broken = FILE.removesuffix("}\n")
    assert result_of(broken, "@@\n     stop();\n+}\n") == FILE


def test_a_file_whose_braces_did_not_pair_may_not_become_worse() -> None:
    broken = FILE.removesuffix("}\n")
    failure = refused(broken, "@@\n     stop();\n+    {\n")
    assert _more(failure) == "2 more `{`"


@pytest.mark.parametrize(
    ("content", "hunk", "path", "more"),
    [
        pytest.param("x = f(\n    1,\n)\n", "@@\n     1,\n-)\n", "a.py", "1 more `(`", id="python"),
        pytest.param(
            '{\n  "b": [\n    2\n  ]\n}\n', "@@\n     2\n-  ]\n", "a.json", "1 more `[`", id="json"
        ),
        pytest.param(
            "f(() => {\n  g();\n});\n", "@@\n   g();\n-});\n+}\n", "a.js", "1 more `(`", id="call"
        ),
        pytest.param(
            'val s = """\n  { no block\n"""\nfun f() {\n  g()\n}\n',
            "@@\n   g()\n-}\n",
            "a.kt",
            "1 more `{`",
            id="a long string",
        ),
        pytest.param(
            "# don't {\nfunction f() {\n  g();\n}\n",
            "@@\n   g();\n-}\n",
            "a.php",
            "1 more `{`",
            id="an apostrophe in a comment",
        ),
    ],
)
def test_brackets_of_each_kind_must_pair(content: str, hunk: str, path: str, more: str) -> None:
    assert _more(refused(content, hunk, path=path)) == more


@pytest.mark.parametrize(
    ("added", "path"),
    [
        pytest.param("s.replace(/{/g, '');", "a.js", id="an expression"),
        pytest.param("return /[(/]\\(/.test(s);", "a.ts", id="an expression after return"),
        pytest.param('let a = r#"{"#;', "a.rs", id="a raw string"),
        pytest.param("let a: &'a str = f('(');", "a.rs", id="a lifetime"),
        pytest.param("s = '''( {'''  # [", "a.py", id="python"),
    ],
)
def test_brackets_outside_of_code_need_no_pair(added: str, path: str) -> None:
    expected = f"stop();\n{added}\n"
    assert result_of("stop();\n", f"@@\n stop();\n+{added}\n", path=path) == expected


def test_the_sections_of_a_file_count_together() -> None:
    text = envelope(
        b"*** Update File: a.c\n@@\n-    if (ready) {\n"
        b"*** Update File: a.c\n@@\n         come();\n-    }\n"
    )
    after = apply_to_text(text, {"a.c": FILE})["a.c"]
    assert after == FILE.replace("    if (ready) {\n", "").replace("    }\n", "")


def test_strict_matching_takes_the_patch_at_its_word() -> None:
    options = Options(matching=Matching(Tier.STRICT))
    after = result_of(FILE, "@@\n-    if (ready) {\n         go();\n", options=options)
    assert after == FILE.replace("    if (ready) {\n", "")


def test_a_string_that_is_replaced_is_taken_at_its_word() -> None:
    call = '{"path": "a.c", "old_string": "    if (ready) {\\n", "new_string": ""}'
    assert apply_to_text(call, {"a.c": FILE})["a.c"] == FILE.replace("    if (ready) {\n", "")


BRANCHES = """\
void run(void) {
#ifdef FAST
    if (ready && fast) {
#else
    if (ready) {
#endif
        go();
    }
    if (done) {
        stop();
    }
}
"""


def test_a_beginning_alone_is_refused_where_an_if_of_the_preprocessor_begins_a_block_twice() -> (
    None
):
    failure = refused(BRANCHES, "@@\n-    if (done) {\n         stop();\n")
    assert _more(failure) == "1 more `}`"


@pytest.mark.parametrize(
    ("hunk", "old", "new"),
    [
        pytest.param(
            "-    if (done) {\n         stop();\n-    }\n",
            "    if (done) {\n        stop();\n    }\n",
            "        stop();\n",
            id="both brackets of a block",
        ),
        pytest.param(
            "-#else\n-    if (ready) {\n #endif\n",
            "#else\n    if (ready) {\n",
            "",
            id="the second branch",
        ),
        pytest.param(
            " #ifdef FAST\n-    if (ready && fast) {\n+    if (fast) {\n #else\n",
            "    if (ready && fast) {\n",
            "    if (fast) {\n",
            id="the first branch",
        ),
    ],
)
def test_branches_of_the_preprocessor_are_changed(hunk: str, old: str, new: str) -> None:
    assert old in BRANCHES
    assert result_of(BRANCHES, f"@@\n{hunk}") == BRANCHES.replace(old, new)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("kind", "unit"),
    [
        ("c", "/* "),
        ("c", "'\\'"),
        ("rs", 'r#" '),
        ("rs", 'r##" "# '),
        ("js", "(/[a "),
        ("js", '"\\"'),
        ("js", "`\\`"),
        ("py", '"""\\"'),
    ],
)
@pytest.mark.parametrize("end", ["", "\n"], ids=["in a line", "in lines"])
def test_what_is_not_closed_is_read_once(kind: str, unit: str, end: str) -> None:
    """Not once for each of its beginnings, of which a file may have very many."""
    path = f"f.{kind}"
    content = "head\nport = (1\n" + (unit + end) * 50_000 + "\n"
    start = time.process_time()
    changed = result_of(content, "@@\n head\n-port = (1\n+port = 1\n", path=path)
    assert time.process_time() - start < _SECONDS
    assert changed == content.replace("(1", "1", 1)


def test_a_regular_expression_ends_with_its_line() -> None:
    content = "run(a, /[(\nb) {\n  go()\n}\n"
    hunk = "@@\n-b) {\n+b)\n   go()\n"
    assert refused(content, hunk, path="a.js").reason is Reason.UNCLEAR


def test_an_escape_outside_of_a_string_hides_no_bracket() -> None:
    content = "#define RUN \\\n    do { \\\n        go(); \\\n    } while (0)\n"
    hunk = "@@\n-    do { \\\n         go(); \\\n"
    assert refused(content, hunk).reason is Reason.UNCLEAR
