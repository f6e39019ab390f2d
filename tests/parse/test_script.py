"""Calls in shell scripts: the directory of a script, and text that a command prints."""

from __future__ import annotations

import pytest
from test_shell import BODY, DIFF, HEREDOC, double, errors, read

ARGUMENT = f"apply_patch '{BODY}'\n"


@pytest.mark.parametrize(
    ("script", "directories"),
    [
        pytest.param(f"cd sub\n{HEREDOC}{HEREDOC}", ["sub", "sub"], id="two heredocs"),
        pytest.param(f"cd sub\n{ARGUMENT}{ARGUMENT}", ["sub", "sub"], id="two arguments"),
        pytest.param(f"cd sub\n{HEREDOC}\n# more\n{HEREDOC}", ["sub", "sub"], id="a comment"),
        pytest.param(f"$ cd sub\n$ {HEREDOC}$ {HEREDOC}", ["sub", "sub"], id="prompts"),
        pytest.param(f"cd sub\n{HEREDOC * 3}", ["sub"] * 3, id="three"),
        pytest.param(
            f"```sh\ncd sub\n{HEREDOC}npm test\n{HEREDOC}```\n", ["sub", "sub"], id="a command"
        ),
        pytest.param(f"cd sub\n{HEREDOC}cd ../b\n{HEREDOC}", ["sub", "b"], id="up, and down"),
        pytest.param(f"cd sub\n{HEREDOC}cd /b\n{HEREDOC * 2}", ["sub", "/b", "/b"], id="absolute"),
        pytest.param(
            f"bash -c {double(f'cd sub{chr(10)}{HEREDOC * 2}')}\n{HEREDOC}",
            ["sub", "sub", ""],
            id="a script of its own",
        ),
        pytest.param(
            f"```\ncd sub\n{HEREDOC}```\nThen:\n```\n{HEREDOC}```\n", ["sub", ""], id="two fences"
        ),
        pytest.param(f"```\ncd sub\n{HEREDOC}```\n{HEREDOC}", ["sub", ""], id="after the fence"),
        pytest.param(f"cd sub && {HEREDOC}Then:\n\n{HEREDOC}", ["sub", ""], id="calls in prose"),
        pytest.param(f"cd a && {HEREDOC}{BODY}cd b && {HEREDOC}", ["a", "", "b"], id="a patch"),
        pytest.param(f"cd a && {HEREDOC}cd /b && {HEREDOC}", ["a", "/b"], id="to the root"),
    ],
)
def test_a_change_of_directory_applies_to_its_script(script: str, directories: list[str]) -> None:
    assert [directory for directory, _ in read(script)] == directories


@pytest.mark.parametrize(
    ("script", "number"),
    [
        pytest.param(f"cd sub && {HEREDOC}{HEREDOC}", 9, id="of the call alone, or of the script"),
        pytest.param(f"cd sub && {HEREDOC}\ncd b && {HEREDOC}", 10, id="beside it, or in it"),
        pytest.param(f"cd sub\n{HEREDOC}cd b\n{HEREDOC}", 10, id="two lines of their own"),
        pytest.param(f"cd sub\n{HEREDOC}Then:\n{HEREDOC}", 11, id="a script, or prose"),
        pytest.param(f"```\ncd sub && {HEREDOC}ls\n{HEREDOC}```\n", 11, id="a command between"),
        pytest.param(f"```\ncd a && {HEREDOC}cd b && {HEREDOC}```\n", 10, id="one fence"),
        pytest.param(f"cd a && {HEREDOC}cd /b && {HEREDOC}{HEREDOC}", 17, id="after the second"),
    ],
)
def test_an_unclear_directory_is_refused(script: str, number: int) -> None:
    ((found, message),) = errors(script)
    assert (found, "may start at the top or in" in message) == (number, True)


PRINTED = [
    "echo {} | apply_patch",
    "echo {} |\n  applypatch",
    "printf '%s' {} | apply_patch",
    "printf '%s\\n' {} | git apply --index",
    'printf "%s\\n" {} | patch -p1',
    "printf %s {} | ./apply_patch",
]


@pytest.mark.parametrize(
    "command",
    [
        *PRINTED,
        "echo {} | apply_patch -R",
        "echo {} | apply_patch --reverse",
        "echo {} | git apply -R",
        "echo {} | git -C sub apply",
        "echo {} | patch -p2",
        "echo -e {} | apply_patch",
        "echo -n {} | apply_patch",
        "printf {} | apply_patch",
        "printf '%s' {} | apply_patch --directory sub",
        "printf '%b' {} | apply_patch",
        "echo {} | (cd sub && git apply)",
        "echo {} | sudo apply_patch",
        "echo {} | apply_patch | tee log",
        "echo {} > fix.patch",
        "echo {} && apply_patch -R",
        "echo {}",
        "cd $X && echo {} | apply_patch",
    ],
)
@pytest.mark.parametrize("body", [BODY, f"\n{BODY}", DIFF])
def test_a_patch_printed_by_a_command_is_refused(command: str, body: str) -> None:
    for word in (f"'{body}'", double(body)):
        ((number, message),) = errors(f"Hi\n{command.format(word)}\n{BODY}")
        assert (number, "not a supported command" in message) == (2, True)


@pytest.mark.parametrize(
    "line",
    [
        "echo 'it",
        "echo 'hi' | apply_patch",
        "echo '*** Begin Patch' is how it starts",
        'printf "%s" "$x"',
        "Echo '*** Begin Patch",
    ],
)
def test_a_print_without_a_patch_is_prose(line: str) -> None:
    assert read(f"{line}\n\n{BODY}") == [("", "f")]


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("cat <<'EOF' | apply_patch -R", "`-R`"),
        ("cat <<EOF | git apply --reverse", "`--reverse`"),
        ("apply_patch <<EOF -R", ""),
        ("cat <<EOF | patch -R -p1", "`-R`"),
        ("cat <<EOF|patch -p0", ""),
        ("<<EOF apply_patch -R", ""),
        ("apply_patch -R <<< 'EOF'", "`-R`"),
    ],
)
def test_flags_of_a_call_are_not_lost(command: str, word: str) -> None:
    for body in (BODY, DIFF):
        ((number, message),) = errors(f"Hi\n{command}\n{body}EOF\n")
        assert number == 2
        assert word in message
        assert message.endswith("give the flags to `git opatch apply`")


def test_a_directory_of_a_pipe_is_not_lost() -> None:
    assert [number for number, _ in errors(f"cat <<E | cd sub && apply_patch\n{BODY}E\n")] == [1]
