"""The options of `--commit`.

Annotations are evaluated here, because typer reads them when a command is registered.
"""

import sys
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from git_opatch.cli.groups import InputOptions, PartialOptions
from git_opatch.cli.options import value_option
from git_opatch.cli.patch_input import STANDARD_INPUT, read_message
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Target

if TYPE_CHECKING:
    from git_opatch.operations import commit_command


class CommitOptions(NamedTuple):
    """Whether to commit the patch, and how."""

    commit: Annotated[
        bool,
        typer.Option(
            "--commit",
            help="Commit the patch, and nothing else, with `git commit`; the index must equal "
            "HEAD. Each mail of `git format-patch` becomes a commit.",
        ),
    ] = False
    message: Annotated[
        list[str] | None,
        value_option(
            "-m",
            "--message",
            metavar="MSG",
            help="With --commit: use MSG as the commit message. If repeated, the values are "
            "concatenated as separate paragraphs.",
        ),
    ] = None
    message_file: Annotated[
        str,
        value_option(
            "-F",
            "--file",
            metavar="FILE",
            help="With --commit: take the commit message from FILE; `-` is standard input.",
        ),
    ] = ""

    def resolve(
        self, target: Target, inputs: InputOptions, partial: PartialOptions, *, json: bool
    ) -> "commit_command.CommitRequest | None":
        """Check the options together and read the message; None without `--commit`.

        Raises `UsageError`, and `InputError` if the message cannot be read.
        """
        if not self.commit:
            for flag, value in {"-m": self.message, "-F": self.message_file}.items():
                if value:
                    raise UsageError(f"{flag} requires --commit")
            return None
        if target is Target.WORKTREE:
            raise UsageError(
                "--commit commits what is staged, and --worktree stages nothing\n  to apply and "
                "commit: leave out --worktree (or write --index, if opatch.target is worktree)"
            )
        if partial.allows_part:
            raise UsageError("--commit excludes --partial and --reject")
        if self.message and self.message_file:
            raise UsageError("-m and -F exclude one another")
        if self.message_file == STANDARD_INPUT and STANDARD_INPUT in (inputs.files or ["-"]):
            raise UsageError("-F - and the patch are both read from standard input")
        from git_opatch.operations import commit_command

        return commit_command.CommitRequest(
            tuple(self.message or ()),
            file=read_message(self.message_file) if self.message_file else None,
            editor=not json and _is_terminal(),
            quiet=json,
        )


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
