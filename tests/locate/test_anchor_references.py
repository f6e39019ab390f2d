"""An anchor that is not a line of the file may still say where a hunk is (D242)."""

from __future__ import annotations

import pytest

from git_opatch import Refused, apply_to_text
from git_opatch.model.sentences import Fault

FILE = """\
class Store:
    def load(self):
        data = self.read()
        return data

    def save(self, data):
        self.write(data)


class Cache:
    def fetch(self):
        data = self.peek()
        return data
"""
CHANGE = "         data = self.peek()\n-        return data\n+        return data or None\n"


def applied(anchor: str, body: str = CHANGE, content: str = FILE, path: str = "a.py") -> str:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@ {anchor}\n{body}*** End Patch\n"
    return apply_to_text(patch, {path: content})[path]


@pytest.mark.parametrize(
    "anchor",
    [
        "Store.load",
        "Store#load",
        "Store::load(self)",
        "load()",
        "`load`",
        "in the load method",
        "the load method of Store",
        "method load",
        "In class Store, method load:",
        "inside `Store.load`",
        "line 3, in load",
        "Store > load",
        "the Store class",
        "Update the save method",
        "Fix the bug in `save()` function",
        "Cache.save",
    ],
)
def test_a_hunk_that_is_not_in_what_its_anchor_refers_to_is_refused(anchor: str) -> None:
    with pytest.raises(Refused) as raised:
        applied(anchor)
    (failure,) = raised.value.failures
    assert failure.fault in (Fault.ANCHOR_ELSEWHERE, Fault.ANCHOR_OF_OTHER)


@pytest.mark.parametrize(
    "anchor",
    [
        "Cache.fetch",
        "in the fetch method",
        "Cache > fetch",
        "the Cache class",
        "fetch()",
        "Update the fetch method",
        "return nothing if there is no data",
        "use load in place of save",
        "after save()",
        "call the peek method",
        "save some time",
        "...",
    ],
)
def test_a_hunk_that_may_be_in_what_its_anchor_refers_to_is_applied(anchor: str) -> None:
    assert applied(anchor) == FILE.replace(
        "peek()\n        return data", "peek()\n        return data or None"
    )


def test_a_sentence_may_speak_of_what_the_hunk_has() -> None:
    body = CHANGE.replace("data or None", "self.save(data)")
    assert "self.save(data)" in applied("call the save method", body)


def test_what_the_patch_defines_is_no_reference_to_another() -> None:
    body = "         return data\n+\n+    def save(self):\n+        pass\n"
    assert applied("Cache.save", f"         data = self.peek()\n{body}").endswith("        pass\n")


C = "int x;\n\nint f(void) {\n  go();\n}\n\nint g(void) {\n  come();\n}\n"


@pytest.mark.parametrize(
    ("heading", "line", "is_right"),
    [
        ("int x;", "come();", False),
        ("int x;", "go();", False),
        ("int g(void) {", "come();", True),
    ],
)
def test_a_heading_at_the_margin_is_the_last_one(heading: str, line: str, is_right: bool) -> None:
    patch = f"--- a/a.c\n+++ b/a.c\n@@ -8,1 +8,1 @@ {heading}\n-  {line}\n+  stay();\n"
    if is_right:
        assert "stay();" in apply_to_text(patch, {"a.c": C})["a.c"]
        return
    with pytest.raises(Refused, match="is under"):
        apply_to_text(patch, {"a.c": C})


def test_a_heading_at_the_margin_holds_up_to_the_next_definition() -> None:
    patch = "--- a/a.c\n+++ b/a.c\n@@ -2,1 +2,2 @@ int x;\n \n+int y;\n int f(void) {\n"
    assert apply_to_text(patch, {"a.c": C})["a.c"] == C.replace("\n\n", "\n\nint y;\n", 1)


GO = """\
func (s *Store) Load() error {
	return nil
}

func (c *Cache) Load() error {
	return errors.New("x")
}
"""


@pytest.mark.parametrize("anchor", ["Store.Load", "(*Store).Load"])
def test_a_receiver_qualifies_a_name(anchor: str) -> None:
    body = '-\treturn errors.New("x")\n+\treturn nil\n'
    with pytest.raises(Refused):
        applied(anchor, body, GO, "a.go")
    assert "Cache" in applied("Cache.Load", body, GO, "a.go")


def test_a_reference_may_be_to_a_key_or_a_section() -> None:
    jobs = "jobs:\n  build:\n    run: make\n  test:\n    run: lint\n"
    with pytest.raises(Refused):
        applied("jobs.build", "-    run: lint\n+    run: fix\n", jobs, "a.yml")
    assert "fix" in applied("jobs.test", "-    run: lint\n+    run: fix\n", jobs, "a.yml")
    text = "## Install\n\nrun it\n\n## Use\n\nuse it\n"
    with pytest.raises(Refused):
        applied("Install section", "-use it\n+use that\n", text, "a.md")
    assert "that" in applied("Use section", "-use it\n+use that\n", text, "a.md")


def test_a_variable_of_a_struct_is_no_definition() -> None:
    one = "int {0}(int a)\n{{\n  struct t *x = a;\n  if (x) {{\n    go();\n  }}\n}}\n\n"
    content = one.format("f") + one.format("g")
    after = applied("int f(int a)", "   if (x) {\n-    go();\n+    stop();\n", content, "a.c")
    assert after == content.replace("go", "stop", 1)


RUBY = """\
module Actions
  def insert(a)
    go(a)
  end

  class Inject
    def replace!(x)
      stop(x)
    end
  end
end
"""


@pytest.mark.parametrize(
    ("heading", "is_right"),
    [("def insert(a)", False), ("def replace!(x)", True), ("class Inject", True)],
)
def test_a_heading_is_the_last_of_its_kind(heading: str, is_right: bool) -> None:
    patch = f"--- a/a.rb\n+++ b/a.rb\n@@ -8,1 +8,1 @@ {heading}\n-      stop(x)\n+      stop(y)\n"
    if is_right:
        assert "stop(y)" in apply_to_text(patch, {"a.rb": RUBY})["a.rb"]
        return
    with pytest.raises(Refused, match="is under"):
        apply_to_text(patch, {"a.rb": RUBY})


TWINS = """\
class Reader:
    def close(self):
        self.open = 0


class Writer:
    def open(self):
        self.open = 1

    def close(self):
        self.open = 0
"""
CLOSED = "-        self.open = 0\n+        self.open = None\n"


@pytest.mark.parametrize(
    "anchor",
    [
        "Writer.close",
        "Writer.close()",
        "Writer::close(self)",
        "Writer#close",
        "`Writer.close`",
        "class Writer, method close",
        "in Writer > close",
    ],
)
def test_a_qualified_name_decides_as_two_anchors_do(anchor: str) -> None:
    assert applied(anchor, CLOSED, TWINS) == TWINS[:-2] + "None\n"
    first = anchor.replace("Writer", "Reader")
    assert applied(first, CLOSED, TWINS) == TWINS.replace("= 0", "= None", 1)


@pytest.mark.parametrize(
    "anchor",
    [
        pytest.param("Writer.open", id="another method"),
        pytest.param("Reader.open", id="a method of another class"),
        pytest.param("Socket.close", id="a class that is not there"),
        pytest.param("Writer.flush", id="a method that is not there"),
        pytest.param("close()", id="a name of both"),
        pytest.param("close the Writer", id="a sentence"),
    ],
)
def test_another_name_does_not_decide(anchor: str) -> None:
    with pytest.raises(Refused):
        applied(anchor, CLOSED, TWINS)


TYPED = "type Store struct {\n\tpath string\n}\n\ntype Cache struct {\n\tpath string\n}\n\n" + GO


@pytest.mark.parametrize("anchor", ["Cache.Load", "(*Cache).Load", "Cache.Load()"])
def test_a_method_is_not_in_the_block_of_its_type_in_go(anchor: str) -> None:
    body = '-\treturn errors.New("x")\n+\treturn nil\n'
    assert applied(anchor, body, TYPED, "a.go").count("return nil") == 2
    with pytest.raises(Refused):
        applied(anchor.replace("Cache", "Store"), body, TYPED, "a.go")


def test_a_receiver_decides() -> None:
    twins = TYPED.replace('errors.New("x")', "nil")
    body = "-\treturn nil\n+\treturn err\n"
    assert applied("Cache.Load", body, twins, "a.go") == twins[:-6] + "err\n}\n"


CALLED = """\
class Reader:
    def run(self):
        load(self)
        self.open = 0

    def load(self):
        self.open = 0

    def load_all(self):
        self.open = 0
"""


@pytest.mark.parametrize("anchor", ["load", "load()", "Reader.load"])
def test_a_name_alone_is_the_definition_and_no_call_of_it(anchor: str) -> None:
    head, body = CALLED.split("    def load(self):\n")
    changed = f"{head}    def load(self):\n{body.replace('= 0', '= None', 1)}"
    assert applied(anchor, CLOSED, CALLED) == changed


def test_a_name_that_nothing_defines_is_text() -> None:
    content = "start = 1\nsize = 2\n\nstop = 1\nsize = 2\n"
    with pytest.raises(Refused):
        applied("stop", "-size = 2\n+size = 3\n", content)
