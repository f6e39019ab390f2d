"""A patch does not leave a file that can no longer be read."""

from __future__ import annotations

import pytest
from writers import envelope

from git_opatch import Options, Refused, apply_to_text
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.sentences import Fault

FILE = '''\
def run(items):
    """Run.

  Text as deep as it likes.
    """
    for item in items:
        if item:
            go(item,
      deep=True)
        elif other:  # no
            come()
        else:
            wait()
    try:
        stop()
    except Error:
        leave()
    return items


if ready: run([])
else: wait()
'''


def result_of(content: str, *hunks: str, path: str = "a.py", options: Options | None = None) -> str:
    """Return what one section with `hunks` makes of a file."""
    text = envelope(f"*** Update File: {path}\n{''.join(hunks)}".encode())
    return apply_to_text(text, {path: content}, options=options or Options())[path]


def refused(content: str, *hunks: str, path: str = "a.py") -> Failure:
    with pytest.raises(Refused) as raised:
        result_of(content, *hunks, path=path)
    (failure,) = raised.value.failures
    return failure


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(
            "@@\n-        if item:\n-            go(item,\n-      deep=True)\n"
            "         elif other:  # no\n",
            id="an `if` without its `elif`",
        ),
        pytest.param(
            "@@\n             come()\n+        stop()\n         else:\n",
            id="a line above an `else`",
        ),
        pytest.param(
            "@@\n-    except Error:\n-        leave()\n     return items\n",
            id="a `try` alone",
        ),
        pytest.param(
            "@@\n-    try:\n-        stop()\n     except Error:\n",
            id="an `except` alone",
        ),
        pytest.param(
            "@@\n         else:\n-            wait()\n     try:\n",
            id="a block without lines",
        ),
        pytest.param(
            "@@\n             come()\n+            stop()\n+           wait()\n         else:\n",
            id="a space too few",
        ),
        pytest.param(
            "@@\n         stop()\n+      wait()\n     except Error:\n",
            id="less deep than the block",
        ),
        pytest.param("@@\n     return items\n+        .copy()\n", id="no block"),
        pytest.param("@@\n-if ready: run([])\n else: wait()\n", id="on one line"),
        pytest.param(
            "@@\n else: wait()\n+\n+def more():\n",
            id="at the end of the file",
        ),
    ],
)
def test_a_line_without_its_block_or_clause_is_refused(hunk: str) -> None:
    failure = refused(FILE, hunk)
    assert failure.fault is Fault.UNREADABLE_LINE


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param("@@\n-        elif other:  # no\n-            come()\n", id="a whole clause"),
        pytest.param("@@\n-        else:\n-            wait()\n     try:\n", id="the last clause"),
        pytest.param(
            "@@\n             go(item,\n+    much=1,\n       deep=True)\n", id="in brackets"
        ),
        pytest.param("@@\n   Text as deep as it likes.\n+More.\n", id="in a string"),
        pytest.param("@@\n     return items\n+      # done\n", id="a comment"),
        pytest.param("@@\n     try:\n+        if a: b()\n         stop()\n", id="on one line"),
        pytest.param(
            "@@\n         leave()\n+    else:\n+        go()\n+    finally:\n+        come()\n",
            id="more clauses",
        ),
        pytest.param(
            "@@\n             wait()\n+    else:\n+        come()\n     try:\n", id="of a loop"
        ),
        pytest.param("@@\n     return items\n+    x = a + \\\n+  b\n", id="a line that goes on"),
        pytest.param('@@\n     return items\n+    x = "a\\\n+b"\n', id="a string that goes on"),
    ],
)
def test_what_fits_is_applied(hunk: str) -> None:
    compile(result_of(FILE, hunk), "a.py", "exec")


@pytest.mark.parametrize(
    ("content", "hunk", "path"),
    [
        pytest.param(
            "if a:\n  x\nelse:\n  y\n", "@@\n-if a:\n-  x\n else:\n", "a.txt", id="a text"
        ),
        pytest.param(
            "{% if a %}\n    x\n{% endif %}\nif a:\n    b\nelse:\n    c\n",
            "@@\n-if a:\n-    b\n else:\n",
            "a.py",
            id="a file whose blocks do not fit",
        ),
    ],
)
def test_what_is_not_certain_is_not_refused(content: str, hunk: str, path: str) -> None:
    assert result_of(content, hunk, path=path) != content


def test_sections_count_together() -> None:
    first, second = (
        "@@\n-    try:\n-        stop()\n+    stop()\n",
        "@@\n-    except Error:\n-        leave()\n",
    )
    refused(FILE, first)
    assert "except" not in result_of(FILE, first, "*** Update File: a.py\n", second)


def test_a_patch_is_taken_at_its_word_where_that_is_asked_for() -> None:
    options = Options(matching=Matching(Tier.STRICT))
    hunk = "@@\n-if ready: run([])\n else: wait()\n"
    assert "\nelse: wait()" in result_of(FILE, hunk, options=options)


def test_quotes_that_nothing_closes_are_read_once() -> None:
    content = 'x\\"""\n' * 20_000 + "if a:\n    b\n" + '\\"' * 50_000 + "\n"
    assert result_of(content, "@@\n if a:\n+    c\n     b\n") != content


@pytest.mark.parametrize(
    ("path", "content", "hunk"),
    [
        pytest.param(
            "a.json", '{\n  "a": 1,\n  "b": 2\n}\n', '@@\n   "a": 1,\n-  "b": 2\n', id="a comma"
        ),
        pytest.param(
            "a.json", '{\n  "a": 1\n}\n', '@@\n   "a": 1\n+  "b": 2\n', id="no comma above"
        ),
        pytest.param("a.toml", "[a]\nb = 1\n", "@@\n b = 1\n+b = 2\n", id="a key twice"),
        pytest.param("a.toml", "[a]\nb = [\n1,\n]\n", "@@\n-b = [\n 1,\n", id="an array"),
    ],
)
def test_data_that_can_no_longer_be_read_is_refused(path: str, content: str, hunk: str) -> None:
    failure = refused(content, hunk, path=path)
    assert failure.fault in (Fault.UNREADABLE_LINE, Fault.UNREADABLE)


@pytest.mark.parametrize(
    ("path", "content", "hunk"),
    [
        pytest.param("tsconfig.json", '{\n"a": 1\n}\n', "@@\n+// b\n {\n", id="of TypeScript"),
        pytest.param(".vscode/a.json", '{\n"a": 1\n}\n', "@@\n+// b\n {\n", id="of an editor"),
        pytest.param("a.jsonc", '{\n"a": 1\n}\n', "@@\n+// b\n {\n", id="that has comments"),
        pytest.param("b.json", '// a\n{\n"a": 1\n}\n', '@@\n "a": 1\n+// b\n', id="with one"),
        pytest.param("a.toml", "a = \n", "@@\n a = \n+b = \n", id="TOML that is none"),
        pytest.param("a.py", "print 1\n", "@@\n print 1\n+try:\n", id="older Python"),
        pytest.param("a.py", "a = 1\n", "@@\n a = 1\n+new syntax\n", id="newer Python"),
    ],
)
def test_data_that_could_not_be_read_or_need_not_is_not_judged(
    path: str, content: str, hunk: str
) -> None:
    assert result_of(content, hunk, path=path) != content


def test_brackets_that_nest_too_deep_are_not_judged() -> None:
    content = "a = " + "(" * 5000 + ")" * 5000 + "\nb = 1\n"
    assert result_of(content, "@@\n-b = 1\n+  b = 2\n").endswith("  b = 2\n")
