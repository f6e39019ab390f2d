"""The command line: registers the commands, and turns errors into an exit status.

Exit status: 0 done, 1 the patch does not apply, 128 not a repository or not a patch,
129 usage, 130 interrupted; as git has them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from git_opatch import __version__
from git_opatch.cli import process, usage
from git_opatch.cli.options import OPTIONS, TITLES, with_options
from git_opatch.model.errors import BusyError, Interrupted, OpatchError, SystemCallError, UsageError

_BROKEN_PIPE = 141
_OPTIONS = "[OPTION]..."
_GROUPS = {
    "Every day": {
        "apply": "Apply a patch to the index and the working tree.",
        "show": "Show what a patch would do: where each hunk applies, and the diff.",
        "undo": "Undo a patch that was applied here.",
        "redo": "Apply a patch again that was undone.",
        "log": "Show what was applied here, and what became of it.",
    },
    "More": {
        "check": "Report whether each patch, or a command, would apply.",
        "convert": "Complete a patch into a standard unified diff.",
        "create": "Write what changed as a patch, in any format.",
        "leftovers": "List staged files that have markers of patches in them.",
        "install-agent": "Install the hook or plugin of an agent, and a skill, or check it.",
        "recover": "Recover from an interrupted apply.",
        "demo": "Apply and undo a patch in a temporary repository.",
    },
    "Plumbing, for programs": {
        "agent-hook": "Answer an agent's PreToolUse hook.",
        "apply-patch": "Apply a patch as the program apply_patch of agents does.",
        "mcp": "Serve apply, edit, check, undo and more to agents (MCP).",
        "prompt": "Print how to write patches, for a language model.",
        "batch": "Judge many patches, each against its own base tree.",
    },
}
_COMMANDS = {name: short for group in _GROUPS.values() for name, short in group.items()}
"""The names of the commands, each a function in the module of its name, and their short help."""


class _Group(TyperGroup):
    def get_help_option(self, ctx: Any) -> Any:
        """Let `--help` be false by default, and not None, for which typer imports pydantic."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer's
        """List the commands in groups."""
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([*commands.items()], col_max=14)


class _Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take each value as it is written; `options` converts it.

        Typer would import pydantic for the first value, even for a default, which takes as long as
        all other imports together. Every error names the command: the parser leaves it out if a
        value is missing.
        """
        words = usage.read_words(self.name or "", args, self.get_params(ctx))
        try:
            given, surplus, _ = self.make_parser(ctx).parse_args(args=words)
        except TyperException as error:
            if hasattr(error, "ctx"):
                error.ctx = ctx
            raise
        if given.pop("help", False):
            typer.echo(ctx.get_help())
            raise typer.Exit
        if surplus:
            ctx.fail(f"got unexpected extra arguments ({' '.join(surplus)})")
        ctx.params = {
            name: given.get(name) for name in (parameter.name for parameter in self.params)
        }
        return []

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the arguments, then the options by subject."""
        rows: dict[str, list[Any]] = {title: [] for title in ("Arguments", *OPTIONS)}
        parameter: Any
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                named = " ".join(parameter.get_usage_pieces(ctx))
                rows["Arguments"].append((named, parameter.help or ""))
            else:
                title = TITLES.get(parameter.name, "Options")
                rows[title].append(parameter.get_help_record(ctx))
        for title, records in rows.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


app = typer.Typer(
    name="git opatch",
    cls=_Group,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    options_metavar=_OPTIONS,
    subcommand_metavar="COMMAND [ARG]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"git-opatch {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Apply patches as language models write them: exactly, or not at all.

    Hunks need no line numbers; each is located in the git index, or refused with the reason.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(UsageError.exit_status)


def register(words: Sequence[str] | None = None) -> None:
    """Register the commands anew: all of them, or those that a command line of `words` needs.

    If it begins with a command, that one is enough. If no command is in it, it asks for help or
    is wrong, and needs the names of all commands, but no module of them.
    """
    app.registered_commands.clear()
    first = [name for name in (words or ())[:1] if name in _COMMANDS]
    imports = words is None or not _COMMANDS.keys().isdisjoint(words)
    for name in first or _COMMANDS:
        command = _import_command(name) if imports else lambda: None
        app.command(name, cls=_Command, short_help=_COMMANDS[name], options_metavar=_OPTIONS)(
            command
        )


def _import_command(name: str) -> Any:
    function = name.replace("-", "_")
    module = "undo" if name == "redo" else function
    return with_options(getattr(import_module(f"git_opatch.cli.commands.{module}"), function))


def words_of(arguments: Sequence[str]) -> list[str]:
    """Return what is to be run: `help COMMAND` is `COMMAND -h`, as it is for git."""
    words = list(arguments)
    return [*words[1:2], "-h"] if words[:1] == ["help"] else words


def run(words: Sequence[str]) -> int:
    """Run the command that `words` ask for; gives the exit status."""
    BusyError.is_logged = "--json" not in words
    try:
        _open_streams()
        status = app(list(words), prog_name="git opatch", standalone_mode=False) or 0
    except TyperException as error:
        return _fail(usage.usage_error(error))
    except OpatchError as error:
        return _fail(error)
    except (KeyboardInterrupt, typer.Abort):
        return _fail_interrupted()
    except BrokenPipeError:
        return _BROKEN_PIPE
    except OSError as error:
        return _fail(SystemCallError(f"the system refused: {error}"))
    except Exception:
        if process.was_interrupted():
            return _fail_interrupted()
        raise
    return _fail_interrupted() if status == Interrupted.exit_status else status


def _fail_interrupted() -> int:
    """Report an interrupt, and what had been done by then; gives the exit status."""
    process.ignore_interrupts()
    from git_opatch.transaction.lock import interruption

    return _fail(interruption())


def _open_streams() -> None:
    """Open the output streams that the caller closed, and let none fail to encode a character."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - open until the end
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(error: OpatchError) -> int:
    """Report an error, on standard error or as a document; gives the exit status."""
    process.ignore_interrupts()
    from git_opatch.report.reporters import JsonReporter, TextReporter

    words = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    if "--json" in words:
        status = JsonReporter(next((word for word in words if word[:1] != "-"), None)).fail(error)
        if not isinstance(error, SystemCallError):  # which may be about standard output itself
            return status
    return TextReporter().fail(error)
