"""A clause such as `else` is not left without what it continues, in any language (D469)."""

from __future__ import annotations

import pytest

from git_opatch import Refused, apply_to_text

RUBY = """\
def run
  prepare
  if ready
    go
  elsif late
    come
  else
    wait
  end
rescue Error
  stop
end
"""
C = """\
void run(void) {
    if (ready)
        go();
    else
        wait();
}
"""
JAVA = """\
void run() {
    prepare();
    if (ready)
    {
        go();
    }
    else
    {
        wait();
    }
}
"""
SHELL = "if ready; then\n  go\nelse\n  wait\nfi\n"


def result(content: str, path: str, hunk: str) -> str:
    return apply_to_text(f"--- a/{path}\n+++ b/{path}\n@@\n{hunk}", {path: content})[path]


@pytest.mark.parametrize(
    ("content", "path", "hunk"),
    [
        pytest.param(RUBY, "a.rb", "-  if ready\n-    go\n   elsif late\n", id="Ruby"),
        pytest.param(
            RUBY,
            "a.rb",
            "-  if ready\n-    go\n-  elsif late\n-    come\n   else\n",
            id="with another clause",
        ),
        pytest.param(C, "a.c", "-    if (ready)\n-        go();\n     else\n", id="C"),
        pytest.param(
            JAVA,
            "A.java",
            "-    if (ready)\n-    {\n-        go();\n-    }\n     else\n",
            id="braces on their own lines",
        ),
        pytest.param(SHELL, "a.sh", "-if ready; then\n-  go\n else\n", id="a shell"),
    ],
)
def test_a_clause_without_what_it_continues_is_refused(content: str, path: str, hunk: str) -> None:
    with pytest.raises(Refused, match="without the clause that it continues"):
        result(content, path, hunk)


@pytest.mark.parametrize(
    ("content", "path", "hunk"),
    [
        pytest.param(RUBY, "a.rb", "-  elsif late\n-    come\n   else\n", id="a whole clause"),
        pytest.param(
            RUBY, "a.rb", "-  if ready\n+  unless late\n     go\n", id="another beginning"
        ),
        pytest.param(
            RUBY.replace("  if ready", "  x = if ready"),
            "a.rb",
            "-    come\n   else\n",
            id="the body above it",
        ),
        pytest.param(C, "a.c", "-        go();\n+        come();\n     else\n", id="a body in C"),
        pytest.param("a\n  b\n  catch(:x) do\n", "a.rb", "-  b\n   catch(:x) do\n", id="a call"),
        pytest.param(
            "class A\n  b: 1,\n  else: 2,\n", "a.js", "-  b: 1,\n   else: 2,\n", id="a key"
        ),
        pytest.param("a\n  if so\n  else not\n", "a.md", "-  if so\n   else not\n", id="prose"),
    ],
)
def test_a_clause_that_continues_another_is_kept(content: str, path: str, hunk: str) -> None:
    assert result(content, path, hunk) != content
