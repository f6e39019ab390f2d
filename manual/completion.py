"""Completion for bash, zsh and fish: plain shell text, so that a Tab starts no program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commands import Command, Option

_SAYS = "# Completion of `git opatch` for {shell}; written by manual/make.py.\n"
_DIRECTORY = "DIR"


def bash(commands: Sequence[Command]) -> str:
    """A function that git's own completion calls."""
    lines = [
        _SAYS.format(shell="bash, called by that of git"),
        "_git_opatch ()",
        "{",
        f'\tlocal commands="{_names(commands)}"',
        '\tlocal command="$(__git_find_on_cmdline "$commands")"',
        '\tcase "$command,$prev,$cur" in',
        *(line for one in commands for line in _bash_values(one)),
        '\t,*,-*) __gitcomp "--help --version" ;;',
        '\t,*) __gitcomp "$commands" ;;',
        *(f'\t{one.name},*,-*) __gitcomp "{_long(one)}" ;;' for one in commands),
        "\tesac",
        "}",
        "",
    ]
    return "\n".join(lines)


def _bash_values(command: Command) -> Iterator[str]:
    for option in command.options:
        for flag in option.flags:
            if option.values:
                values = " ".join(option.values)
                yield f'\t{command.name},{flag},*) __gitcomp "{values}" ;;'
                yield f'\t{command.name},*,{flag}=*) __gitcomp "{values}" "" "${{cur#*=}}" ;;'
            elif option.takes == _DIRECTORY:
                yield f"\t{command.name},{flag},*) compopt -o dirnames ;;"
            elif option.takes == "TREE-ISH":
                yield f"\t{command.name},{flag},*) __git_complete_refs ;;"


def _names(commands: Sequence[Command]) -> str:
    return " ".join(one.name for one in commands)


def _long(command: Command) -> str:
    return " ".join(flag for one in command.options for flag in one.flags if flag.startswith("--"))


def zsh(commands: Sequence[Command]) -> str:
    """A file that zsh finds by its name, for `git opatch` and `git-opatch`."""
    lines = [
        "#compdef git-opatch",
        "#description apply patches as language models write them",
        _SAYS.format(shell="zsh"),
        "local -a commands",
        "commands=(",
        *(f"  {_zsh_quoted(one.name + ':' + one.summary)}" for one in commands),
        ")",
        "local curcontext=$curcontext state line",
        "_arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' \\",
        "  '1:command:->command' '*::argument:->argument' && return",
        "case $state in",
        "command) _describe command commands ;;",
        "argument)",
        "  case $line[1] in",
        *(line for one in commands for line in _zsh_command(one)),
        "  esac ;;",
        "esac",
        "",
    ]
    return "\n".join(lines)


def _zsh_command(command: Command) -> Iterator[str]:
    yield f"  {command.name})"
    words = [
        f"    {_zsh_quoted(_zsh_option(flag, one))}"
        for one in command.options
        for flag in one.flags
    ]
    files = ["    '*:file:_files'"] if command.words else []
    yield "    _arguments -s \\"
    yield " \\\n".join([*words, *files]) + " ;;"


def _zsh_option(flag: str, option: Option) -> str:
    text = re.sub(r"[][:]", r"\\\g<0>", option.help)
    if not option.takes:
        return f"*{flag}[{text}]"
    values = f"({' '.join(option.values)})" if option.values else "_files"
    name = "value" if option.values else option.takes.lower()
    return f"*{flag}{'=' if flag.startswith('--') else ''}[{text}]:{name}:{values}"


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish(commands: Sequence[Command]) -> str:
    """Calls of `complete` for `git opatch`."""
    here = "__fish_git_using_command opatch"
    none = f"{here}; and not __fish_seen_subcommand_from {_names(commands)}"
    about = "Apply patches as language models write them"
    lines = [
        _SAYS.format(shell="fish"),
        f"{_fish_when('__fish_git_needs_command')} -f -a opatch -d {_fish_quoted(about)}",
        *(
            f"{_fish_when(none)} -f -a {one.name} -d {_fish_quoted(one.summary)}"
            for one in commands
        ),
        *(
            f"{_fish_when(f'{here}; and __fish_seen_subcommand_from {one.name}')}"
            f"{_fish_flags(option)} -d {_fish_quoted(option.help)}"
            for one in commands
            for option in one.options
        ),
        "",
    ]
    return "\n".join(lines)


def _fish_when(condition: str) -> str:
    return f"complete -c git -n {_fish_quoted(condition)}"


def _fish_flags(option: Option) -> str:
    words = [
        f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags
    ]
    values = f" -x -a {_fish_quoted(' '.join(option.values))}" if option.values else ""
    return "".join(words) + (values or " -r" * bool(option.takes))


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
