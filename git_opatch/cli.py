"""The command line: registers the commands, turns errors into an exit status.

Exit status: 0 done, 1 the patch does not apply, 128 not a repository or no patch,
129 usage, 130 interrupted; as git has them.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.exceptions import TyperException

from git_opatch import __version__
from git_opatch.errors import Interrupted, OpatchError, ParseError, SystemRefusal, UsageError
from git_opatch.text import visible

_BROKEN_PIPE = 141


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> Any:
        return _sparing(super().get_params(ctx))


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> Any:
        return _sparing(list(map(_plain, super().get_params(ctx))))


def _plain(parameter: Any) -> Any:
    """`parameter`, whose help does not say its Python type if it is an argument."""
    if isinstance(parameter, TyperArgument):
        parameter.display_type_rich = lambda **_: ""  # type: ignore[method-assign]
    return parameter


def _sparing(parameters: list[Any]) -> list[Any]:
    """`parameters`, but none of them converts what was not given, or is text already.

    typer imports pydantic to convert its first value, even a default, which takes as long
    as all other imports together.
    """
    for one in parameters:
        one.process_value = partial(_processed, one)
    return parameters


def _processed(parameter: Any, context: typer.Context, value: Any) -> Any:
    form = getattr(parameter, "type_descriptor", None)
    is_text = form is not None and form.annotation in (str, list[str])
    if is_text or (not value and value != ""):
        return value
    return type(parameter).process_value(parameter, context, value)


app = typer.Typer(
    name="git opatch",
    cls=_Group,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"git-opatch {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Apply patches as language models write them: exactly, or not at all.

    Hunks need no line numbers; each is found in the git index, or refused with the reason.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(UsageError.exit_status)


_COMMANDS = {
    "apply": "Apply a patch to the index and the working tree.",
    "check": "Say of each patch, or of a command, whether it would apply.",
    "convert": "Print a patch as a standard unified diff.",
    "show": "Show what a patch would do: where each hunk lands, and the diff.",
    "undo": "Take a patch back that was applied here.",
    "log": "Show what was applied here.",
    "recover": "Put back what an interrupted apply left.",
    "prompt": "Print how to write patches, for a language model.",
    "leftovers": "Say which staged files have marks of patches in them.",
    "agent-hook": "Answer an agent's PreToolUse hook.",
    "demo": "Show the main job in a throw-away repository.",
}
"""The functions of these names, each in the module of its name, with a line of help."""


def register(*words: str) -> None:
    """Let the program know its commands: of a command line, the one that it begins with alone.

    Of one in which no command is, their names are enough.
    """
    called = [name for name in words[:1] if name in _COMMANDS]
    whole = not words or not _COMMANDS.keys().isdisjoint(words)
    for name in called or _COMMANDS:
        command = _command(name) if whole else lambda: None
        app.command(name, cls=_Command, short_help=_COMMANDS[name])(command)


def _command(name: str) -> Any:
    module = name.replace("-", "_")
    return getattr(import_module(f"git_opatch.commands.{module}"), module)


def run() -> int:
    """Run the command that the user asked for; gives the exit status."""
    _open_streams()
    try:
        status = app(prog_name="git opatch", standalone_mode=False) or 0
    except TyperException as error:
        return _fail(_usage_error(error))
    except OpatchError as error:
        return _fail(error)
    except (KeyboardInterrupt, typer.Abort):
        return _fail(Interrupted("interrupted"))
    except BrokenPipeError:
        return _BROKEN_PIPE
    except OSError as error:
        return _fail(SystemRefusal(f"the system refused: {error}"))
    return _fail(Interrupted("interrupted")) if status == Interrupted.exit_status else status


def _usage_error(error: TyperException) -> UsageError:
    message = (
        error.format_message().partition(" (Possible")[0].replace("Value error, ", "").rstrip(".")
    )
    command = getattr(getattr(error, "ctx", None), "command_path", "git opatch")
    return UsageError(f"{message}; see `{command} -h`")


def _open_streams() -> None:
    """Let there be output streams even where the caller closed them, and none that fails."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - open until the end
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(error: OpatchError) -> int:
    """Say what went wrong, on standard error or as a document; gives the exit status."""
    from git_opatch.report.terminal import show

    words = sys.argv[1 : sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    if "--json" in words:
        _answer(error, next((word for word in words if not word.startswith("-")), None))
        if not isinstance(error, SystemRefusal):  # which may be about standard output itself
            return error.exit_status
    message = str(error)
    if isinstance(error, ParseError):
        message = "\nerror: ".join(map(str, error.faults)) + "\nnothing was changed"
    first, *rest = message.splitlines() or [""]
    show([f"error: {visible(first, 2000)}", *(visible(line, 2000) for line in rest)], sys.stderr)
    return error.exit_status


def _answer(error: OpatchError, command: str | None) -> None:
    from git_opatch.report import document
    from git_opatch.report.terminal import write_data

    with suppress(OSError):
        write_data(document.one(command, error.exit_status, document.failed(error)))
