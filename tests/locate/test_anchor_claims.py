"""What explains an anchor or a heading of git's that names another definition (D80)."""

from __future__ import annotations

import pytest
from writers import envelope

from git_opatch import Refused, apply_to_text
from git_opatch.model.sentences import Fault

SINK = """\
using System;
using System.IO;

namespace Sinks
{
    public class Sink : Base
    {
        public Sink(Database database)
            : base(database)
        {
        }
    }
}
"""
IMPORTS = """\
 using System;
-using System.IO;
+using System.Linq;
"""
CONSTRUCTOR = """\
-        public Sink(Database database)
+        public Sink(IDatabase database)
"""
ASSERTS = """\
/* A licence. */

package com.example;

import org.junit.Assert;

public class Asserts {
  int a;
}
"""


def applied(content: str, *hunks: str, path: str) -> str:
    """Return what a section of `hunks` makes of the file at `path`."""
    text = envelope(f"*** Update File: {path}\n{''.join(hunks)}".encode())
    return apply_to_text(text, {path: content})[path]


def test_a_constructor_that_is_written_does_not_explain_an_anchor_of_its_class() -> None:
    with pytest.raises(Refused) as raised:
        applied(
            SINK,
            f"@@ public class Sink : Base\n{IMPORTS}",
            f"@@ public class Sink : Base\n{CONSTRUCTOR}",
            path="a.cs",
        )
    (failure,) = raised.value.failures
    assert (failure.fault, failure.values["at"]) == (Fault.ANCHOR_BELOW, 6)


def test_a_class_that_another_hunk_moves_explains_an_anchor_that_names_it() -> None:
    text = applied(
        "class A:\n    x = 1\n\n\nclass B:\n    y = 1\n",
        "@@ class A:\n-    x = 1\n+    x = 2\n",
        "@@ class B:\n     y = 1\n+\n+\n+class C:\n+    z = 1\n",
        path="a.py",
    )
    assert text == "class A:\n    x = 2\n\n\nclass B:\n    y = 1\n\n\nclass C:\n    z = 1\n"


def test_the_anchors_class_encloses_its_constructor() -> None:
    text = applied(SINK, f"@@ public class Sink : Base\n{CONSTRUCTOR}", path="a.cs")
    assert text == SINK.replace("Sink(Database", "Sink(IDatabase")


def heading_of_git(lines: str) -> str:
    return (
        f"--- a/Asserts.java\n+++ b/Asserts.java\n@@ -3,3 +3,3 @@ public class Asserts {{\n{lines}"
    )


def test_the_statement_of_a_package_does_not_explain_gits_heading() -> None:
    lines = " package com.example;\n \n-import org.junit.Assert;\n+import org.junit.Test;\n"
    with pytest.raises(Refused) as raised:
        apply_to_text(heading_of_git(lines), {"Asserts.java": ASSERTS})
    (failure,) = raised.value.failures
    assert (failure.fault, failure.values["at"]) == (Fault.ANCHOR_BELOW, 7)


def test_a_definition_at_the_margin_in_the_hunk_explains_gits_heading() -> None:
    lines = " public class Asserts {\n-  int a;\n+  int b;\n }\n"
    patch = heading_of_git(lines).replace("public class Asserts {\n p", "class Other {\n p")
    content = ASSERTS.replace("import org.junit.Assert;", "class Other {\n}")
    text = apply_to_text(patch, {"Asserts.java": content})["Asserts.java"]
    assert text == content.replace("int a", "int b")


NOTES = "New\n===\n\nGeneral\n-------\n\n* one\n\n``mod``\n-------\n\n* two\n"


@pytest.mark.parametrize(
    ("title", "is_refused"),
    [
        pytest.param("``mod``", False, id="git takes no line that begins with a sign"),
        pytest.param("Modules", True, id="git would have taken this one"),
    ],
)
def test_gits_heading_is_the_last_title_that_begins_with_a_letter(
    title: str, is_refused: bool
) -> None:
    content = NOTES.replace("``mod``", title)
    patch = "--- a/a.rst\n+++ b/a.rst\n@@ -12 +12,2 @@ General\n * two\n+* three\n"
    if not is_refused:
        assert apply_to_text(patch, {"a.rst": content}) == {"a.rst": f"{content}* three\n"}
        return
    with pytest.raises(Refused, match="heading"):
        apply_to_text(patch, {"a.rst": content})


@pytest.mark.parametrize("name", ["def application do", "defp application do"])
def test_a_definition_of_elixir_is_one(name: str) -> None:
    content = f"  def project do\n    [app: 1]\n  end\n\n  {name}\n    []\n  end\n"
    patch = "--- a/mix.exs\n+++ b/mix.exs\n@@ -2 +2 @@ {}\n-    [app: 1]\n+    [app: 2]\n"
    files = {"mix.exs": content}
    assert "app: 2" in apply_to_text(patch.format("def project do"), files)["mix.exs"]
    with pytest.raises(Refused, match="heading"):
        apply_to_text(patch.format(name), files)
