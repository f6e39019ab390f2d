"""The options of `--commit`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from git_opatch.cli.groups import InputOptions, PartialOptions
from git_opatch.cli.patch_input import STANDARD_INPUT, read_message
from git_opatch.model.errors import UsageError
from git_opatch.model.options import Target

if TYPE_CHECKING:
    from git_opatch.operations import commit_command


class CommitOptions(NamedTuple):
    """Whether to commit the patch, and how."""

    commit: bool = False
    message: list[str] | None = None
    message_file: str = ""

    def resolve(
        self, target: Target, inputs: InputOptions, partial: PartialOptions, *, json: bool
    ) -> commit_command.CommitRequest | None:
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
            editor=not json
            and sys.stdin is not None
            and sys.stdin.isatty()
            and sys.stderr.isatty(),
            quiet=json,
        )
