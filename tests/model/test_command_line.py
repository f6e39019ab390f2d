"""Command lines that advice repeats with a change."""

from __future__ import annotations

from git_opatch.model.command_line import CommandLine
from git_opatch.model.options import Options

_COMMAND = CommandLine("git opatch apply", (("--carry",), ("--directory", "a b")), ("-R.patch",))


def test_words_are_quoted_for_a_shell() -> None:
    assert str(_COMMAND) == "git opatch apply --carry --directory 'a b' -R.patch"


def test_an_option_is_inserted_first() -> None:
    assert str(_COMMAND.with_option("-R")).startswith("git opatch apply -R --carry ")


def test_only_the_option_is_dropped() -> None:
    assert str(_COMMAND.without("--carry")) == "git opatch apply --directory 'a b' -R.patch"
    assert _COMMAND.without("-R") == _COMMAND.without("a b") == _COMMAND


def test_another_target_replaces_carry() -> None:
    options = Options(carry=True, command=_COMMAND)
    assert options.command_with("--cached").startswith("git opatch apply --cached --directory")
    assert "--carry" in options.command_with("--skip-applied")


def test_of_a_command_whose_patch_is_piped_only_the_options_are_named() -> None:
    """By itself it would wait for a patch at the terminal."""
    for arguments in ((), ("-",)):
        piped = Options(command=_COMMAND._replace(arguments=arguments))
        assert piped.command_with("--cached", "--skip-applied") == "add --cached --skip-applied"
    undo = Options(command=CommandLine("git opatch undo"))
    assert undo.command_with("--cached") == "git opatch undo --cached"
