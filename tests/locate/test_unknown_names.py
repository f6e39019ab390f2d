"""What an anchor or a heading speaks of is in the file, or the patch writes it (D80, D171)."""

from __future__ import annotations

import pytest

from git_opatch import Refused, apply_to_text
from git_opatch.model.sentences import Fault

FILE = """\
class Reader {
  open_file(name = none) {
    go();
  }

  closeFile() {
    stop();
  }
}
"""
CHANGE = "-    stop();\n+    halt();\n"


def applied(anchor: str, body: str = CHANGE, content: str = FILE, path: str = "my_app.js") -> str:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@ {anchor}\n{body}*** End Patch\n"
    return apply_to_text(patch, {path: content})[path]


def refused(
    anchor: str, body: str = CHANGE, content: str = FILE
) -> tuple[Fault, dict[str, object]]:
    with pytest.raises(Refused) as raised:
        applied(anchor, body, content)
    (failure,) = raised.value.failures
    return failure.fault, dict(failure.values)


@pytest.mark.parametrize(
    ("anchor", "name"),
    [
        pytest.param("struct read_state st;", "read_state", id="a declaration"),
        pytest.param("function will_copy catch it", "will_copy", id="prose that names code"),
        pytest.param("update the calls of openAll", "openAll", id="in another style"),
        pytest.param("struct args *", "args", id="a type that is pointed to"),
    ],
)
def test_a_name_of_code_that_is_nowhere_refuses(anchor: str, name: str) -> None:
    fault, values = refused(anchor)
    assert (fault, values["name"]) == (Fault.ANCHOR_NAME_MISSING, name.encode())


@pytest.mark.parametrize(
    ("anchor", "body"),
    [
        pytest.param("stop where it was closed", CHANGE, id="prose"),
        pytest.param("the JavaScript of GitHub", CHANGE, id="names that are words"),
        pytest.param("below open_file as it is", CHANGE, id="a name of the file"),
        pytest.param("in my_app", CHANGE, id="the name of the file itself"),
        pytest.param("call stop_all here", "-    stop();\n+    stop_all();\n", id="of the patch"),
        pytest.param("x = 1", CHANGE, id="short names"),
    ],
)
def test_other_prose_is_no_claim(anchor: str, body: str) -> None:
    assert applied(anchor, body) == FILE.replace("stop();", body.split("\n+")[1].strip())


def test_a_heading_of_git_is_checked_alike() -> None:
    patch = "--- a/a.js\n+++ b/a.js\n@@ -7 +7 @@ uses old_state here\n" + CHANGE
    with pytest.raises(Refused, match="`old_state`") as refused:
        apply_to_text(patch, {"a.js": FILE})
    assert refused.value.failures[0].fault is Fault.ANCHOR_NAME_MISSING


def test_a_definition_with_default_values_ends_at_the_next_one() -> None:
    fault, values = refused("open_file(name = none) {")
    assert (fault, values["below"]) == (Fault.ANCHOR_OF_OTHER, b"  closeFile() {")
    assert applied("open_file(name = none) {", "-    go();\n+    run();\n") != FILE


@pytest.mark.parametrize(
    ("heading", "is_refused"),
    [
        pytest.param("static struct names[] = {", True, id="a line that opens a block"),
        pytest.param("late", False, id="any other line"),
    ],
)
def test_a_heading_that_is_below_its_hunk(heading: str, is_refused: bool) -> None:
    content = f"one\ntwo\nthree\n{heading}\nfour\n"
    patch = f"--- a/a.c\n+++ b/a.c\n@@ -2 +2 @@ {heading}\n-two\n+deux\n"
    if is_refused:
        with pytest.raises(Refused, match="after its only candidate"):
            apply_to_text(patch, {"a.c": content})
    else:
        assert apply_to_text(patch, {"a.c": content})["a.c"] == content.replace("two", "deux")


def test_a_part_of_what_the_patch_writes_does_not_explain_an_anchor() -> None:
    content = "# A\n\none\n\n## Use\n\ntwo\n"
    body = "-one\n+uno\n@@\n-## Use\n+### Use\n"
    fault, values = refused("## Use", body, content)
    assert (fault, values["at"]) == (Fault.ANCHOR_BELOW, 5)
    assert applied("## Use", "-two\n+due\n", content) == content.replace("two", "due")


def test_a_hunk_that_writes_a_name_again_does_not_explain_an_anchor() -> None:
    body = "-    stop();\n+    halt();\n@@\n-  open_file(name = none) {\n+  open_file(name) {\n"
    fault, values = refused("open_file(name = none) {", body)
    assert (fault, values["below"]) == (Fault.ANCHOR_OF_OTHER, b"  closeFile() {")


IN_C = """\
static const struct entry table[] = {
\t{ 1 },
};

int
first(struct item *a,
    struct item *b)
{
\treturn (0);
}

static int
second(void)
{
\treturn (1);
}
"""
SECOND = "-\treturn (1);\n+\treturn (2);\n"


@pytest.mark.parametrize(
    "anchor",
    [
        pytest.param("first(struct item *a,", id="a definition below its type"),
        pytest.param("    struct item *b)", id="a line in another definition"),
        pytest.param("static const struct entry table[] = {", id="a block that ends before"),
    ],
)
def test_an_anchor_that_is_any_line_is_a_claim(anchor: str) -> None:
    assert refused(anchor, SECOND, IN_C)[0] is Fault.ANCHOR_OF_OTHER


@pytest.mark.parametrize(
    "anchor",
    [
        pytest.param("second(void)", id="the definition"),
        pytest.param("static int", id="its type"),
        pytest.param("};", id="a line at the margin that opens nothing"),
    ],
)
def test_what_the_hunk_is_in_or_below_holds(anchor: str) -> None:
    assert applied(anchor, SECOND, IN_C) == IN_C.replace("(1)", "(2)")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("first(struct item *a,\n    struct item *b)\n", id="no brace below"),
        pytest.param("first(struct item *a,\n    struct item *b);\n{\n", id="a declaration"),
        pytest.param("if (ready(a) &&\n    ready(b))\n{\n", id="a condition"),
    ],
)
def test_other_lines_above_parameters_are_no_definition(body: str) -> None:
    content = "table = {\n\t1,\n}\n" + body + "\treturn (1);\n"
    assert applied("table = {", SECOND, content) == content.replace("(1)", "(2)")


MODULE = """\
class Reader:
    def load(self):
        return 1


def first(value):
    return value[0]


def last(value):
    return value[-1]


class Writer:
    def load(self):
        return 2
"""


def under_heading(heading: str, body: str, content: str = MODULE) -> str:
    patch = f"--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,9 @@ {heading}\n{body}"
    return apply_to_text(patch, {"a.py": content})["a.py"]


SHOWN = [
    pytest.param(" def first(value):\n-    return value[0]\n+    return 0\n", id="context"),
    pytest.param("-def first(value):\n+def first(it):\n     return value[0]\n", id="removed"),
]


@pytest.mark.parametrize("body", SHOWN)
def test_a_heading_may_name_what_is_above_the_definition_that_the_hunk_shows(body: str) -> None:
    assert under_heading("class Reader:", body) != MODULE


@pytest.mark.parametrize(
    "heading",
    [
        pytest.param("def last(value):", id="of what is below"),
        pytest.param("def middle(value):", id="of what is nowhere"),
    ],
)
@pytest.mark.parametrize("body", SHOWN)
def test_a_heading_must_hold_although_the_hunk_shows_its_definition(
    heading: str, body: str
) -> None:
    with pytest.raises(Refused, match="heading"):
        under_heading(heading, body)


@pytest.mark.parametrize(
    ("heading", "body"),
    [
        pytest.param("def last(value):", "-    return value[0]\n+    return 0\n", id="none shown"),
        pytest.param(
            "class Reader:",
            "     def load(self):\n-        return 2\n+        return 3\n",
            id="one in a class",
        ),
        pytest.param(
            "class Writer:",
            "-    return value[0]\n+    return 0\n \n \n def last(value):\n",
            id="one below the change",
        ),
        pytest.param(
            "class Writer:",
            "+def first(it):\n-    return value[0]\n+    return 0\n",
            id="one that is added",
        ),
    ],
)
def test_a_heading_must_hold_where_the_hunk_does_not_show_its_own(heading: str, body: str) -> None:
    with pytest.raises(Refused, match="heading"):
        under_heading(heading, body)


def test_an_anchor_of_an_envelope_must_hold_although_the_definition_is_shown() -> None:
    body = " def first(value):\n-    return value[0]\n+    return 0\n"
    assert refused("def last(value):", body, MODULE)[1]["kind"] == "anchor"
