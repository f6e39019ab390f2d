"""Patches in shell text: which text is a call, what it holds, and which text is not."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable

import pytest
from examples import examples
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from parameters import named
from sandbox import Sandbox

from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch
from git_opatch.parse.shell import patch_of

BODY = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n"
DIFF = "--- a/f\n+++ b/f\n@@\n-a\n+b\n"


def tabbed(text: str) -> str:
    return "".join("\t" + line for line in text.splitlines(keepends=True))


def double(text: str) -> str:
    for character in '\\"$`':
        text = text.replace(character, "\\" + character)
    return f'"{text}"'


def test_text_of_a_command_is_escaped_in_messages() -> None:
    with pytest.raises(ParseError) as caught:
        parse_patch(f"cd \x1b[31m$x && apply_patch <<EOF\n{BODY}EOF\n")
    assert "\x1b" not in str(caught.value)
    assert "\\x1b[31m" in str(caught.value)


@pytest.fixture
def called(repo: Sandbox) -> Callable[[str], bytes]:
    """Return what real bash passes to `apply_patch`, as an argument or on standard input."""
    stub = repo.write("bin/apply_patch", '#!/bin/sh\n[ $# = 0 ] && exec cat\nprintf %s "$1"\n')
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    path = f"{stub.parent}{os.pathsep}{os.environ['PATH']}"

    def run(script: str) -> bytes:
        ran = repo.run("bash", "-c", script, env={"PATH": path, "HOME": str(repo.path)})
        assert ran.status == 0, ran.err
        return ran.out

    return run


AWKWARD = BODY.replace("+b", '+\t\'b\' "c" $d `e` \\f \\\\ \\$ \\" \\\n+\t# ! * ~ é\n+EOF x\n+ EOF')


@named(
    "script",
    {
        "quoted": f"apply_patch <<'EOF'\n{AWKWARD}EOF\n",
        "double-quoted": f'apply_patch <<"EOF"\n{AWKWARD}EOF\n',
        "escaped": f"apply_patch <<\\EOF\n{AWKWARD}EOF",
        "tabs": f"apply_patch <<-'EOF'\n{tabbed(tabbed(AWKWARD))}\t\tEOF\n",
        "argument": f"apply_patch {shlex.quote(AWKWARD)}",
        "double-quoted argument": f"apply_patch {double(AWKWARD)}",
        "here-string": f"apply_patch <<< {shlex.quote(AWKWARD.rstrip())}",
        "cat": f"cat <<'EOF' | apply_patch\n{AWKWARD}EOF\n",
    },
)
def test_bash_reads_the_same_patch(called: Callable[[str], bytes], script: str) -> None:
    assert patch_of(script.encode()) == ("", called(script))


quoting = st.sampled_from([shlex.quote, double])
awkward = st.text(st.sampled_from("ab'\"\\$`\n\t !#&|;<>()*é"), max_size=30)


@examples(1, HealthCheck.function_scoped_fixture)
@example('\'"$"', double, shlex.quote)
@given(awkward, quoting, quoting)
def test_bash_reads_the_same_patch_for_any_text(
    called: Callable[[str], bytes],
    text: str,
    inner: Callable[[str], str],
    outer: Callable[[str], str],
) -> None:
    patch = f"*** Begin Patch\n{text}\n*** End Patch\n"
    assert patch_of(f"apply_patch {inner(patch)}".encode()) == ("", patch.encode())
    script = f"bash -c {outer(f'apply_patch {inner(patch)}')}"
    assert called(script) == patch.encode()
