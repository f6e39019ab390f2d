"""Plan the commits of a patch, and the options of `git commit` for each.

A patch that is not mail is one commit, with the user's options. Each mail of `git format-patch` is
one, with its message, author and date, as git-am(1) makes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from git_opatch.git.commit import CommitCommand
from git_opatch.model.errors import CommitError, UsageError
from git_opatch.model.patch import FilePatch, Mail, Patch
from git_opatch.model.sentences import Notice


class CommitRequest(NamedTuple):
    """The user's options for the commit.

    `editor` is whether git may open an editor if there is no message, `quiet` whether git's output
    is captured instead of shown.
    """

    messages: tuple[str, ...] = ()
    editor: bool = False
    quiet: bool = False


class PlannedCommit(NamedTuple):
    """A commit to make: its changes, and the options of `git commit`."""

    patch: Patch
    command: CommitCommand
    title: str = ""
    """The first line of the message, if a mail has one."""


def plan_commits(
    patch: Patch, commit_options: CommitRequest, *, reverse: bool
) -> list[PlannedCommit]:
    """Split `patch` into its commits; in reverse, it is one.

    Raises `UsageError` for options that do not fit or are missing, and `CommitError` for an empty
    message.
    """
    parts = list(_split_mails(patch._replace(mails=()) if reverse else patch))
    if len(parts) > 1:
        _check_several(parts, commit_options)
    return [_plan_commit(mail, part, commit_options) for mail, part in parts]


def _split_mails(patch: Patch) -> Iterator[tuple[Mail | None, Patch]]:
    """Yield each mail with its sections; sections of a file that is not mail have no mail."""
    mails = {mail.first: mail for mail in patch.mails}
    mail, sections = None, list[FilePatch]()
    for index, section in enumerate(patch.files):
        other_file = mail is not None and bool(sections) and section.source != sections[0].source
        if sections and (index in mails or other_file):
            yield mail, Patch(tuple(sections), is_part=patch.is_part)
            mail, sections = None, []
            patch = patch._replace(digest="")  # that of all mails names no single one
        mail = mails.get(index, mail)
        sections.append(section)
    yield mail, patch._replace(files=tuple(sections), mails=())


def _check_several(parts: list[tuple[Mail | None, Patch]], commit_options: CommitRequest) -> None:
    """Refuse options for one commit, and a part without a message."""
    if commit_options.messages:
        raise UsageError(Notice.ONE_MESSAGE.fill(count=len(parts)))
    for mail, patch in parts:
        if mail is None:
            first = patch.files[0]
            where = f"{first.source}:" if first.source else "line "
            raise UsageError(Notice.NOT_MAIL.fill(where=f"{where}{first.number}"))


def _plan_commit(mail: Mail | None, patch: Patch, commit_options: CommitRequest) -> PlannedCommit:
    title = mail.message.partition("\n")[0] if mail else ""
    author = _author(mail) if mail else {}
    if commit_options.messages:
        paragraphs = commit_options.messages
        if not "".join(paragraphs).strip():
            raise CommitError(Notice.EMPTY_MESSAGE.sentence, 1)
        options = tuple(f"--message={paragraph}" for paragraph in paragraphs)
        return PlannedCommit(patch, CommitCommand(options, None, author), title)
    if mail is not None and mail.message.strip():
        # lines that begin with # are part of the mail's message
        options, utf8 = ("--cleanup=whitespace",), ("-c", "i18n.commitEncoding=UTF-8")
        command = CommitCommand(options, mail.message.encode(), author, utf8)
        return PlannedCommit(patch, command, title)
    if not commit_options.editor:
        raise UsageError(Notice.NO_MESSAGE.sentence)
    return PlannedCommit(patch, CommitCommand((), None, author), title)


def _author(mail: Mail) -> dict[str, str]:
    """Return the author as git am passes it on: options would be parsed more loosely."""
    name, _, address = mail.author.rpartition(" <")
    variables = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address.removesuffix(">"),
        "GIT_AUTHOR_DATE": mail.date,
    }
    return {key: value for key, value in variables.items() if value}
