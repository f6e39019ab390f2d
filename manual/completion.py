"""Completion for bash, zsh and fish, as shell text.

Pressing Tab starts no program, but for the ids of hunks, which are read from the patch, the numbers
of patches, of which only those are offered that can be undone, or redone, and commits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commands import Command, Option

_HEADER = "# Completion of `git opatch` for {shell}; written by manual/make.py.\n"
_DIRECTORY = "DIR"
_PATHS = ("PATHSPEC", "PATH=BLOB")
_HUNK = "HUNK"
_RECORD = "N"
_UNLESS_PATHS = "__git_has_doubledash || "
_COMMIT = "COMMIT"
_REFS = "git for-each-ref --format='%(refname:short)' 2>/dev/null"
"""Lists branches and tags."""
_STATES = {
    "undo": "$5 ~ /^(applied|changed)/ ",
    "redo": '$5 == "undone" || $6 ~ /^undone/ ',
    "log": "",
}
"""Which lines of the log are of patches that a command takes; the fifth word begins their state."""
_FISH_HUNKS = (
    "git opatch show --hunks -- "
    "(for word in (commandline -opc); test -f $word; and echo $word; end) 2>/dev/null | cut -f1"
)
"""Lists the ids of the hunks of the patch files on the command line."""


def bash(commands: Sequence[Command]) -> str:
    """Write a function that git's own completion calls."""
    lines = [
        _HEADER.format(shell="bash, called by that of git"),
        "__git_opatch_hunks ()",
        "{",
        "\tlocal word",
        "\tlocal -a files=()",
        '\tfor word in "${words[@]:2}"; do [ -f "$word" ] && files+=("$word"); done',
        "\t[ ${#files[@]} -eq 0 ] ||",
        '\t\tgit opatch show --hunks -- "${files[@]}" 2>/dev/null | cut -f1',
        "}",
        "",
        "_git_opatch ()",
        "{",
        f'\tlocal commands="{_names(commands)}"',
        '\tlocal command="$(__git_find_on_cmdline "$commands")"',
        '\tcase "$command,$prev,$cur" in',
        *(line for command in commands for line in _bash_values(command)),
        '\t,*,-*) __gitcomp "--help --version" ;;',
        '\t,*) __gitcomp "$commands" ;;',
        *(f'\t{command.name},*,-*) __gitcomp "{_long_flags(command)}" ;;' for command in commands),
        *(
            f"\t{command.name},*,*) {_UNLESS_PATHS * _takes_paths(command)}"
            f'__gitcomp "$({_list_records(command)})" ;;'
            for command in commands
            if _takes_record(command)
        ),
        *(
            f"\t{command.name},*,*) {_UNLESS_PATHS}__git_complete_revlist ;;"
            for command in commands
            if _takes_commit(command)
        ),
        "\tesac",
        "}",
        "",
    ]
    return "\n".join(lines)


def _bash_values(command: Command) -> Iterator[str]:
    for option in command.options:
        for flag in option.flags:
            if option.choices:
                values = " ".join(option.choices)
                yield f'\t{command.name},{flag},*) __gitcomp "{values}" ;;'
                yield f'\t{command.name},*,{flag}=*) __gitcomp "{values}" "" "${{cur#*=}}" ;;'
            elif option.metavar == _DIRECTORY:
                yield f"\t{command.name},{flag},*) compopt -o dirnames ;;"
            elif option.metavar == "TREE-ISH":
                yield f"\t{command.name},{flag},*) __git_complete_refs ;;"
            elif option.metavar in _PATHS:
                yield f'\t{command.name},{flag},*) __git_complete_index_file "--cached" ;;'
            elif option.metavar == _HUNK:
                yield f'\t{command.name},{flag},*) __gitcomp "$(__git_opatch_hunks)" ;;'


def _takes_record(command: Command) -> bool:
    return command.arguments.startswith(f"[{_RECORD}]")


def _takes_paths(command: Command) -> bool:
    return " [-- " in command.arguments


def _takes_commit(command: Command) -> bool:
    return command.arguments.startswith(f"[{_COMMIT}")


def _list_records(command: Command) -> str:
    """Spell the command that lists the numbers of the patches that `command` takes."""
    return f"git opatch log 2>/dev/null | awk '{_STATES[command.name]}{{print $1}}'"


def _names(commands: Sequence[Command]) -> str:
    return " ".join(command.name for command in commands)


def _long_flags(command: Command) -> str:
    return " ".join(
        flag for option in command.options for flag in option.flags if flag.startswith("--")
    )


def zsh(commands: Sequence[Command]) -> str:
    """Write a file that zsh finds by its name, for `git opatch` and `git-opatch`."""
    lines = [
        "#compdef git-opatch",
        "#description apply patches as language models write them",
        _HEADER.format(shell="zsh"),
        *(
            line
            for command in commands
            if _takes_record(command)
            for line in (
                f"_git-opatch-{command.name}-records () {{",
                f'  compadd -- ${{(f)"$({_list_records(command)})"}}',
                "}",
            )
        ),
        "_git-opatch-commits () {",
        f'  compadd -- ${{(f)"$({_REFS})"}}',
        "}",
        "_git-opatch-hunks () {",
        "  local -a files",
        "  for word in $words; do [[ -f $word ]] && files+=($word); done",
        '  (( $#files )) && compadd -- ${(f)"$(git opatch show --hunks -- $files 2>/dev/null |'
        ' cut -f1)"}',
        "}",
        "local -a commands",
        "commands=(",
        *(f"  {_zsh_quoted(f'{command.name}:{command.summary}')}" for command in commands),
        ")",
        "local curcontext=$curcontext state line",
        "_arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' \\",
        "  '1:command:->command' '*::argument:->argument' && return",
        "case $state in",
        "command) _describe command commands ;;",
        "argument)",
        "  case $line[1] in",
        *(line for command in commands for line in _zsh_command(command)),
        "  esac ;;",
        "esac",
        "",
    ]
    return "\n".join(lines)


def _zsh_command(command: Command) -> Iterator[str]:
    yield f"  {command.name})"
    words = [
        f"    {_zsh_quoted(_zsh_option(flag, option))}"
        for option in command.options
        for flag in option.flags
    ]
    files = ["    '*:file:_files'"] if command.arguments else []
    if _takes_record(command):
        records = f"    '1:record:_git-opatch-{command.name}-records'"
        files = [records, *(files if _takes_paths(command) else ())]
    if _takes_commit(command):
        files = ["    '*:commit:_git-opatch-commits'"]
    yield "    _arguments -s \\"
    yield " \\\n".join([*words, *files]) + " ;;"


def _zsh_option(flag: str, option: Option) -> str:
    text = re.sub(r"[][:]", r"\\\g<0>", option.help)
    if not option.metavar:
        return f"*{flag}[{text}]"
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    values = "_git-opatch-hunks" if option.metavar == _HUNK else values
    name = "value" if option.choices else option.metavar.lower()
    return f"*{flag}{'=' if flag.startswith('--') else ''}[{text}]:{name}:{values}"


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish(commands: Sequence[Command]) -> str:
    """Write calls of `complete` for `git opatch`."""
    here = "__fish_git_using_command opatch"
    none = f"{here}; and not __fish_seen_subcommand_from {_names(commands)}"
    about = "Apply patches as language models write them"
    lines = [
        _HEADER.format(shell="fish"),
        f"{_fish_when('__fish_git_needs_command')} -f -a opatch -d {_fish_quoted(about)}",
        *(
            f"{_fish_when(none)} -f -a {command.name} -d {_fish_quoted(command.summary)}"
            for command in commands
        ),
        *(
            f"{_fish_when(f'{here}; and __fish_seen_subcommand_from {command.name}')}"
            f"{' -f' * (not _takes_paths(command))}"
            f" -a {_fish_quoted(f'({_list_records(command)})')}"
            for command in commands
            if _takes_record(command)
        ),
        *(
            f"{_fish_when(f'{here}; and __fish_seen_subcommand_from {command.name}')}"
            f" -a {_fish_quoted(f'({_REFS})')}"
            for command in commands
            if _takes_commit(command)
        ),
        *(
            f"{_fish_when(f'{here}; and __fish_seen_subcommand_from {command.name}')}"
            f"{_fish_flags(option)} -d {_fish_quoted(option.help)}"
            for command in commands
            for option in command.options
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
    values = f" -x -a {_fish_quoted(' '.join(option.choices))}" if option.choices else ""
    values = f" -x -a {_fish_quoted(f'({_FISH_HUNKS})')}" if option.metavar == _HUNK else values
    return "".join(words) + (values or " -r" * bool(option.metavar))


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
