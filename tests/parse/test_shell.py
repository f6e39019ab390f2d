"""Patches in shell text: which text is a call, what it holds, and which text is not."""

from __future__ import annotations

import os
import shlex
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from sandbox import Sandbox

from git_opatch.model.errors import ParseError
from git_opatch.model.patch import FilePatch, Prefix
from git_opatch.parse import parse_patch
from git_opatch.parse.shell import patch_of

BODY = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n"
DIFF = "--- a/f\n+++ b/f\n@@\n-a\n+b\n"


def read(text: str) -> list[tuple[str, str]]:
    """Return directory and path of each section."""
    return [(file.directory, file.path) for file in parse_patch(text).files]


def numbers(sections: Sequence[FilePatch]) -> list[int]:
    return [line.number for section in sections for hunk in section.hunks for line in hunk.lines]


def errors(text: str) -> list[tuple[int, str]]:
    with pytest.raises(ParseError) as caught:
        parse_patch(text)
    return [(error.line, error.message) for error in caught.value.diagnostics]


def tabbed(text: str) -> str:
    return "".join("\t" + line for line in text.splitlines(keepends=True))


def ansi(text: str) -> str:
    return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def double(text: str) -> str:
    for character in '\\"$`':
        text = text.replace(character, "\\" + character)
    return f'"{text}"'


HEREDOC = f"apply_patch <<'EOF'\n{BODY}EOF\n"
CALLS = {
    "single quotes": (HEREDOC, 1),
    "double quotes": (f'apply_patch <<"PATCH"\n{BODY}PATCH\n', 1),
    "a bare word": (f"apply_patch <<EOF\n{BODY}EOF\n", 1),
    "an escaped word": (f"apply_patch <<\\EOF\n{BODY}EOF\n", 1),
    "blanks round it": (f"  apply_patch  <<  'EOF' \n{BODY}EOF\n", 1),
    "no blank": (f"apply_patch<<'EOF'\n{BODY}EOF\n", 1),
    "a word with a blank": (f"apply_patch <<'E F'\n{BODY}E F\n", 1),
    "tabs": (f"apply_patch <<-EOF\n{tabbed(BODY)}\tEOF\n", 1),
    "tabs for some": (f"apply_patch <<-'EOF'\n\t\t{BODY}\t\t\tEOF\n", 1),
    "no terminator": (f"apply_patch <<'EOF'\n{BODY}", 1),
    "no newline at the end": (f"apply_patch <<'EOF'\n{BODY}EOF", 1),
    "a here-string's word": (f"apply_patch <<<'PATCH'\n{BODY}PATCH\n", 1),
    "a here-string": (f"apply_patch <<< '{BODY}'\n", 0),
    "a here-string in double quotes": (f'apply_patch <<<"{BODY}"\n', 0),
    "an argument": (f"apply_patch '{BODY}'\n", 0),
    "an argument in double quotes": (f'apply_patch "{BODY}"\n', 0),
    "an argument on the next line": (f'apply_patch "\n{BODY}"\n', 1),
    "a wrong spelling": (HEREDOC.replace("_", ""), 1),
    "another one": (HEREDOC.replace("_", "-"), 1),
    "a path": ("./" + HEREDOC, 1),
    "a full path": ("/usr/local/bin/" + HEREDOC, 1),
    "cat": (f"cat <<'EOF' | apply_patch\n{BODY}EOF\n", 1),
    "cat on two lines": (f"cat <<EOF | \\\n  apply_patch\n{BODY}EOF\n", 2),
    "cat, said to read": (f"cat - <<EOF | apply_patch\n{BODY}EOF\n", 1),
    "git apply": (f"git apply --index - <<'EOF'\n{BODY}EOF\n", 1),
    "git opatch apply": (f"git opatch apply <<'EOF'\n{BODY}EOF\n", 1),
    "patch": (f"patch -p1 <<'EOF'\n{BODY}EOF\n", 1),
    "a script": (f"bash -lc '{HEREDOC.replace(chr(39), '')}'\n", 1),
    "a script of sh": (f'sh -c "{HEREDOC}"\n', 1),
    "a script with a path": (f"/bin/zsh -lc {double(HEREDOC)}\n", 1),
    "an argument in a script": (f"bash -lc 'apply_patch \"{BODY}\"'\n", 0),
    "a script that ends with its word": (f'bash -lc "{HEREDOC.rstrip()}"\n', 1),
    "a script on the next line": (f'dash -c "\n{HEREDOC}"\n', 2),
    "a script in a script": (f"bash -lc {shlex.quote(f'bash -c {double(HEREDOC)}')}\n", 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_patch_of_a_call_is_read(name: str) -> None:
    text, before = CALLS[name]
    files = parse_patch("Look:\n\n" + text + "\nDone: it's applied.\n").files
    assert [(file.directory, file.path) for file in files] == [("", "f")]
    assert numbers(files) == [before + 6, before + 7]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_its_patch_a_directory(name: str) -> None:
    text, before = CALLS[name]
    (section,) = parse_patch(f"cd 'my dir'/sub && {text.lstrip()}").files
    assert (section.directory, section.path) == ("my dir/sub", "f")
    assert numbers((section,)) == [before + 4, before + 5]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_may_be_in_a_fence(name: str) -> None:
    text, _ = CALLS[name]
    tail = "" if text.endswith("\n") else "\n"
    assert read(f"Run:\n\n```sh\ncd sub && {text.lstrip()}{tail}```\n\n{BODY}") == [
        ("sub", "f"),
        ("", "f"),
    ]


def test_a_call_may_be_in_an_indented_fence() -> None:
    shown = f"```sh\ncd sub && {HEREDOC}cd /two && apply_patch '{BODY}'\n```\n"
    indented = "".join("   " + line for line in shown.splitlines(keepends=True))
    files = parse_patch("1. Run\n\n" + indented).files
    assert [file.directory for file in files] == ["sub", "/two"]
    assert numbers(files) == [8, 9, 15, 16]


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_of_the_text_are_not_content(ending: str) -> None:
    for text in (HEREDOC, f"apply_patch '{BODY}'\n", f"cd x &&\napply_patch <<-A\n\t{BODY}A\n"):
        (section,) = parse_patch(text.replace("\n", ending)).files
        (hunk,) = section.hunks
        assert [(line.prefix, line.text) for line in hunk.lines] == [
            (Prefix.REMOVED, b"a"),
            (Prefix.ADDED, b"b"),
        ]


@pytest.mark.parametrize(
    ("command", "directory"),
    [
        pytest.param(f"cd a && {HEREDOC}", "a", id="one"),
        pytest.param(f"cd a && cd b/c && {HEREDOC}", "a/b/c", id="two"),
        pytest.param(
            f"cd a && bash -c {double(f'cd b && {HEREDOC}')}", "a/b", id="outer and inner"
        ),
        pytest.param(f"cd a && cd /top && {HEREDOC}", "/top", id="an absolute one"),
        pytest.param(f"cd a &&\n{HEREDOC}", "a", id="two lines"),
        pytest.param(f"cd a \\\n  && \\\n {HEREDOC}", "a", id="escaped newlines"),
        pytest.param(f'cd "a b" && {HEREDOC}', "a b", id="quoted"),
        pytest.param(f"cd a\\ b && {HEREDOC}", "a b", id="escaped"),
        pytest.param(f'cd "app/[slug]" && {HEREDOC}', "app/[slug]", id="brackets in quotes"),
        pytest.param(f"cd / && {HEREDOC}", "/", id="the root"),
        pytest.param(f"cd .. && {HEREDOC}", "..", id="above, which no path may name"),
    ],
)
def test_directories_are_joined(command: str, directory: str) -> None:
    assert read(command) == [(directory, "f")]


def test_a_text_in_quotes_of_bash_is_refused() -> None:
    for text in (f"bash -lc {ansi(HEREDOC)}\n", f"apply_patch {ansi(BODY)}\n{BODY}"):
        assert errors(text)[0][0] == 1


def test_lines_that_a_shell_would_join_are_refused() -> None:
    assert errors('apply_patch "' + BODY.replace("@@\n", "@@\n x \\\ny\n") + '"')[0][0] == 1


def test_a_directory_applies_to_its_call_alone() -> None:
    text = f"cd a && {HEREDOC}{BODY}cd b && {HEREDOC}"
    assert read(text) == [("a", "f"), ("", "f"), ("b", "f")]
    fenced = f"```\ncd a && apply_patch <<EOF\n{BODY}```\n{BODY}```\n{HEREDOC}```\n"
    assert read(fenced) == [("a", "f"), ("", "f"), ("", "f")]


def test_a_body_is_taken_literally() -> None:
    body = BODY.replace("+b", "+$HOME `id` $(id) \\$x \\\\ \\\n+\"quoted\" 'single' <<EOF")
    (section,) = parse_patch(f"apply_patch <<EOF\n{body}EOF\n").files
    (hunk,) = section.hunks
    assert [line.text for line in hunk.postimage] == [
        b"$HOME `id` $(id) \\$x \\\\ \\",
        b"\"quoted\" 'single' <<EOF",
    ]


def test_an_argument_without_expansions_is_what_its_quotes_say() -> None:
    body = BODY.replace("+b", '+say \\"hi\\" \\$x \\`y\\` \\\\ \\n $z `w`')
    (section,) = parse_patch(f'apply_patch "{body}"').files
    assert section.hunks[0].postimage[0].text == b'say "hi" $x `y` \\ \\n $z `w`'


def test_a_heredoc_may_hold_several_patches() -> None:
    assert read(f"cd d && apply_patch <<'EOF'\n{BODY}Then:\n{DIFF}EOF\n") == [("d", "f")] * 2


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            f"bash -c {double('apply_patch ' + double(BODY.replace('@@', '@@ x')))}",
            [4, 5],
            id="twice quoted",
        ),
    ],
)
def test_line_numbers_are_those_of_the_text_as_given(text: str, lines: list[int]) -> None:
    assert numbers(parse_patch(text).files) == lines


def test_errors_have_the_line_numbers_of_the_text_as_given() -> None:
    for text, line in ((HEREDOC, 4), (f"bash -c {double(HEREDOC)}", 4), (f"\n{HEREDOC}", 5)):
        ((number, message),) = errors(text.replace("@@", "@@@"))
        assert (number, "not a hunk header" in message) == (line, True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f"apply_patch <<'EOF'\n{BODY.replace('*** End Patch', '')}EOF\n", id="heredoc"
        ),
        pytest.param(f"apply_patch <<'EOF'\n{BODY.replace('*** End Patch', '')}", id="no word"),
        pytest.param(f"apply_patch '{BODY.replace('*** End Patch', '')}'", id="argument"),
    ],
)
def test_a_truncated_patch_stays_truncated(text: str) -> None:
    assert "has no end" in errors(text)[0][1]


@pytest.mark.parametrize(
    "line",
    [
        "Use apply_patch <<'EOF' for this:",
        "apply_patch can't do that",
        "apply_patch 's arguments are texts",
        'apply_patch "is" the name',
        "apply_patch patch.txt",
        "apply_patch < patch.txt",
        "xapply_patch '",
        "cat <<EOF |\napply_patch",
        "bash -lc 'npm test'",
        "bash script.sh 'apply_patch'",
        "git apply patch.txt",
        "git commit -m 'apply_patch'",
        "cd sub",
        "cd sub && npm test",
        "patch 'em up, apply_patch that",
        "$ apply_patch <<'EOF'",
        "apply_patch <<''",
        "apply_patch",
    ],
)
def test_text_that_is_not_a_call_is_prose(line: str) -> None:
    assert read(f"{line}\n{BODY}EOF\n\nIt's done.\n") == [("", "f")]
    assert read(f"{BODY}{line}\n{BODY}") == [("", "f")] * 2


@pytest.mark.parametrize(
    "command",
    [
        "cd $REPO && apply_patch <<'EOF'",
        'cd "$REPO" && apply_patch <<EOF',
        "cd $(git rev-parse --show-toplevel) && apply_patch <<EOF",
        "cd ~/x && apply_patch <<EOF",
        "cd sub* && apply_patch <<EOF",
        "cd - && apply_patch <<EOF",
        "cd && apply_patch <<EOF",
        "cd a b && apply_patch <<EOF",
        "cd sub; apply_patch <<EOF",
        "cd sub || apply_patch <<EOF",
        "cd sub && apply_patch <<EOF && git add .",
        "cd sub && npm test && apply_patch <<EOF",
        "cd sub && cat <<EOF | apply_patch | tee log",
        "git apply -R <<EOF",
        "git apply --directory=sub <<EOF",
        "git apply -p2 <<EOF",
        "git opatch apply -R <<EOF",
        "git -C sub apply <<EOF",
        "patch -R -p1 <<EOF",
        "patch f <<EOF",
        "apply_patch is a tool, see <<EOF below",
        "apply_patch <<'EOF' && git status",
        "apply_patch <<'EOF'; git status",
        "apply_patch <<'EOF' >log",
        "apply_patch <<'EOF' ***",
        "apply_patch <<EOF <<EOX",
        "cat <<EOF | apply_patch | tee log",
        "apply_patch <<-EOF | tee log",
        "apply_patch -x <<'EOF'",
        "apply_patch -R <<'EOF'",
        "apply_patch --directory sub <<EOF",
        "echo apply_patch <<'EOF'",
        "cat a <<EOF | apply_patch",
        "mkdir -p sub && cd sub && apply_patch <<EOF",
        "pushd sub && apply_patch <<EOF",
        "export X=1 && cd sub && apply_patch <<EOF",
        "sudo git apply -R <<EOF",
        '(cd sub && git apply <<"EOF"',
    ],
)
def test_a_call_with_unsupported_parts_is_refused(command: str) -> None:
    ((number, message),) = errors(f"Hi\n{command}\n{BODY}EOF\n{BODY}")
    assert number == 2
    assert message.startswith(f"`{command}` is not a supported command")


@pytest.mark.parametrize(
    "command",
    [
        "cat <<EOF",
        "cat <<EOF >patch.txt",
        "cat > docs/format.md <<'EOF'",
        "$ tee fix.patch <<EOF",
        "python - <<'EOF'",
        'psql -q <<"EOF" > log',
        "apply_patcher <<'EOF'",
        "FILE=x ./run <<-EOF",
    ],
)
@pytest.mark.parametrize("body", [BODY, f"# Format\n```\n{BODY}```\n", f"x = 1\n{DIFF}"])
def test_a_heredoc_of_another_command_is_not_a_patch(command: str, body: str) -> None:
    ((number, message),) = errors(f"Hi\n{command}\n{body}EOF\n{HEREDOC}")
    assert number == 2
    assert "not a supported command" in message
    assert read(f"{command}\nx = 1\nEOF\n{BODY}") == [("", "f")]


@pytest.mark.parametrize(
    "line",
    [
        "Here `cat > x <<EOF` is what",
        "See cat <<EOF",
        "i << EOF;",
        "std::cout << EOF;",
        "Use <<EOF",
    ],
)
def test_a_heredoc_may_be_in_prose(line: str) -> None:
    assert read(f"{line}\n\n{BODY}") == [("", "f")]


@pytest.mark.parametrize("prompt", ["$ ", "# ", "% ", "  $  "])
def test_a_prompt_is_removed(prompt: str) -> None:
    assert read(f"{prompt}cd sub && {HEREDOC}") == [("sub", "f")]
    assert read(f"{prompt}cd sub\n{prompt}{HEREDOC}") == [("sub", "f")]
    assert read(f"{prompt}apply_patch '{BODY}'") == [("", "f")]
    assert "-R" in errors(f"{prompt}git apply -R <<EOF\n{DIFF}EOF\n")[0][1]


@pytest.mark.parametrize(
    "before",
    [
        "cd sub || exit 1",
        "cd sub\nls",
        "cd sub;",
        "$ pushd sub",
        "mkdir -p sub && cd sub",
        "set -e\ncd sub && ls\n",
        "if true; then cd sub; fi",
    ],
)
def test_a_move_before_a_call_is_not_lost(before: str) -> None:
    for call in (HEREDOC, f"apply_patch '{BODY}'\n"):
        ((_, message),) = errors(f"{before}\n{call}")
        assert "hold for the call" in message
        assert read(f"```sh\n{before}\n```\n```sh\n{call}```\n") == [("", "f")]


def test_a_line_of_an_argument_is_not_a_command() -> None:
    for context in (" cd sub", " # cd sub"):
        body = BODY.replace("-a", f"{context}\n-a")
        (section,) = parse_patch(f"apply_patch '{body}'").files
        assert section.hunks[0].preimage[0].text == context[1:].encode()


@pytest.mark.parametrize("inner", ["greet('x')", "greet('')", "greet('a', 'b')"])
def test_quotes_that_end_the_quoted_text_are_refused(inner: str) -> None:
    for quote in "'\"":
        body = BODY.replace("+b", "+" + inner.replace("'", quote).replace(" ", ""))
        for text in (f"apply_patch {quote}{body}{quote}", f"apply_patch <<< {quote}{body}{quote}"):
            assert [(number, "quotes inside" in reported) for number, reported in errors(text)] == [
                (1, True)
            ]
    for idiom in ("'\\''", "'\"'\"'"):
        body = BODY.replace("+b", "+" + inner.replace("'", idiom))
        (section,) = parse_patch(f"apply_patch '{body}'").files
        assert section.hunks[0].postimage[0].text == inner.encode()


def test_the_word_of_a_heredoc_in_a_script_in_the_same_quotes() -> None:
    assert read(f"bash -lc '{HEREDOC}'\n") == [("", "f")]


def test_the_message_names_the_unknown_word() -> None:
    for command, word in (
        ("git apply -v -R", "-R"),
        ("git -C sub apply", "git -C"),
        ("pushd sub && apply_patch", "pushd sub"),
        ("cd $X && apply_patch", "$X"),
        ("cd sub; apply_patch", ";"),
    ):
        ((_, message),) = errors(f"{command} <<EOF\n{DIFF}EOF\n")
        assert f"`{word}` is not understood" in message
    for command in ("git apply -R", "sudo git apply -R", "apply_patch --reverse"):
        ((_, message),) = errors(f"{command} <<EOF\n{DIFF}EOF\n")
        assert message.endswith("give the flags to `git opatch apply`")


def test_flags_before_an_argument_are_not_lost() -> None:
    for flags in ("-R", "--directory sub", "--directory=sub -R"):
        for body in (BODY, f"\n{BODY}"):
            assert [number for number, _ in errors(f"apply_patch {flags} '{body}'")] == [1]


def test_an_argument_of_a_command_that_does_more_is_refused() -> None:
    for command in (f"apply_patch '{BODY}' && ls", f'bash -c "{HEREDOC}" x', f"cd a; {HEREDOC}"):
        assert [number for number, _ in errors(command + f"\n{BODY}")] == [1]
    assert errors(f"apply_patch {ansi(BODY)} && ls")[0][0] == 1


def test_an_unclosed_quote_is_reported() -> None:
    for command in (
        f'apply_patch "{BODY}',
        f"apply_patch '\n{BODY}",
        f"x\nbash -lc '\n{HEREDOC.replace(chr(39), '')}",
    ):
        ((number, message),) = errors(command)
        assert (number, "not closed" in message) == (command.count("x\n") + 1, True)


def test_text_of_a_command_is_escaped_in_messages() -> None:
    ((_, message),) = errors(f"cd \x1b[31m$x && apply_patch <<EOF\n{BODY}EOF\n")
    assert "\x1b" not in message
    assert "\\x1b[31m" in message


def test_fence_markers_in_a_heredoc_are_content() -> None:
    body = BODY.replace("-a", " ```sh\n-a").replace("+b", "+b\n ```")
    (section,) = parse_patch(f"````\ncd x && apply_patch <<E\n{body}E\n````\n").files
    assert (section.directory, len(section.hunks[0].lines)) == ("x", 4)
    assert read(f"apply_patch <<E\n```\n{BODY}```\nE\n{BODY}") == [("", "f")] * 2


def test_a_heredoc_in_a_fence_may_hold_a_fence() -> None:
    body = BODY.replace("-a", " ```sh\n-a").replace("+b", "+b\n ```")
    fenced = f"```sh\ncd x && apply_patch <<'E'\n{body}E\n```\n"
    (section,) = parse_patch(fenced).files
    assert (section.directory, len(section.hunks[0].lines)) == ("x", 4)
    assert read(f"{fenced}Then:\n\n{fenced}{BODY}") == [("x", "f"), ("x", "f"), ("", "f")]


@pytest.mark.parametrize(
    "below",
    [
        pytest.param("", id="nothing"),
        pytest.param(f"Then:\n{BODY}", id="a patch"),
        pytest.param(f"```\n{HEREDOC}```\n", id="a heredoc with the same word"),
        pytest.param("```\necho\n```\n", id="another fence"),
    ],
)
def test_a_fence_ends_a_heredoc_that_has_no_end(below: str) -> None:
    sections = read(f"```\ncd x && apply_patch <<EOF\n{BODY}```\n{below}")
    assert sections == [("x", "f"), *[("", "f")] * ("Begin" in below)]


def test_a_diff_in_a_heredoc_is_whole() -> None:
    diff = "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-a\n+b\n"
    assert read(f"apply_patch <<E\n{diff}E") == [("", "f")]
    assert read(f"apply_patch '{diff.rstrip()}'") == [("", "f")]
    (_, open_), (_, short) = errors(f"apply_patch <<E\n{diff.rstrip()}")
    assert "add a line `E` after line 6" in open_
    assert "the text ends in the middle" in short


def test_deep_nesting_terminates() -> None:
    command = f"cd a && apply_patch '{BODY}'"
    for _ in range(5):
        command = f"bash -c {shlex.quote(command)}"
    assert read(command) == [("a", "f")]
    heredocs = "".join(f"cd d && apply_patch <<E{at}\n" for at in range(100))
    assert read(heredocs + BODY) == [("/".join("d" * 8), "f")]


@pytest.mark.parametrize(
    "unit",
    [
        "apply_patch <<EOF\n",
        "apply_patch <<E{}\n",
        "apply_patch <<EOF\nEOF\n",
        "cd a && apply_patch <<EOF\n",
        "```\napply_patch <<EOF\n```\n",
        "```\napply_patch <<EOF\n",
        "apply_patch '\n",
        'apply_patch "\n*** Begin\n',
        "apply_patch \\'\"'\n",
        "bash -lc 'cd x\n",
        "cd $x && apply_patch <<A\n***\n",
        "cd a && ",
        "apply_patch && \\\n",
        "please call apply_patch, it's <<EOF\n",
        "/bin/",
    ],
)
@pytest.mark.parametrize("small", [750, pytest.param(3000, marks=pytest.mark.exhaustive)])
def test_reading_takes_linear_time(unit: str, small: int) -> None:
    def took(count: int) -> float:
        text = "".join(unit.replace("{}", str(at)) for at in range(count))
        begun = time.process_time()
        with pytest.raises(ParseError):
            parse_patch(text)
        return time.process_time() - begun

    took(10)
    assert took(4 * small) < 8 * max(took(small), 0.05)


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


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(f"apply_patch <<'EOF'\n{AWKWARD}EOF\n", id="quoted"),
        pytest.param(f'apply_patch <<"EOF"\n{AWKWARD}EOF\n', id="double-quoted"),
        pytest.param(f"apply_patch <<\\EOF\n{AWKWARD}EOF", id="escaped"),
        pytest.param(f"apply_patch <<-'EOF'\n{tabbed(tabbed(AWKWARD))}\t\tEOF\n", id="tabs"),
        pytest.param(f"apply_patch {shlex.quote(AWKWARD)}", id="argument"),
        pytest.param(f"apply_patch {double(AWKWARD)}", id="double-quoted argument"),
        pytest.param(f"apply_patch <<< {shlex.quote(AWKWARD.rstrip())}", id="here-string"),
        pytest.param(f"cat <<'EOF' | apply_patch\n{AWKWARD}EOF\n", id="cat"),
    ],
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


def test_nothing_is_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    body = BODY.replace("+b", f"+$(touch {made})")
    for text in (f"apply_patch <<EOF\n{body}EOF\n", f"bash -c \"apply_patch '{body}'\""):
        assert read(text) == [("", "f")]
    assert "not a supported command" in errors(f"cd $(touch {made}) && {HEREDOC}")[0][1]
    assert not made.exists()


def test_only_a_prompt_at_the_beginning_is_taken_off() -> None:
    call = "cd 'a $ cat b' && apply_patch <<'EOF'\n" + BODY + "EOF\n"
    assert read(call) == read(f"$ {call}") == [("a $ cat b", "f")]
