"""Which commits a patch becomes, and what `git commit` is told of each.

A patch without mail is one commit, as the user says. Each mail of `git format-patch` is one, with
its message, author and date; rule: what git-am(1) makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from git_opatch.errors import CommitError, UsageError
from git_opatch.patch import FilePatch, Mail, Patch
from git_opatch.porcelain import Order


class Wish(NamedTuple):
    """What the user says of the commit.

    `file` is what a file has for the message. `editor` says whether one may be asked for if there
    is none, `quiet` whether git's words are kept instead of shown.
    """

    messages: tuple[str, ...] = ()
    trailers: tuple[str, ...] = ()
    author: str = ""
    date: str = ""
    file: bytes | None = None
    editor: bool = False
    quiet: bool = False

    @property
    def is_for_one(self) -> bool:
        """Whether it says what only one commit can have."""
        return bool(self.messages or self.file is not None or self.author or self.date)


class Part(NamedTuple):
    """One commit to be: what it changes, and what `git commit` is told."""

    patch: Patch
    order: Order
    title: str = ""
    """The first line of the message, where a mail has it."""


def parts_of(patch: Patch, wish: Wish, *, reverse: bool) -> list[Part]:
    """The commits that `patch` becomes; a patch that is taken back is one, and no mail.

    Raises `UsageError` for a wish that does not fit, or none where one is needed, and
    `CommitError` for an empty message.
    """
    found = list(_split(replace(patch, mails=()) if reverse else patch))
    if len(found) > 1:
        _refuse_several(found, wish)
    return [_part(mail, one, wish) for mail, one in found]


def _split(patch: Patch) -> Iterator[tuple[Mail | None, Patch]]:
    """The sections of each mail. Those of a file that is no mail belong to none."""
    mails = {mail.first: mail for mail in patch.mails}
    mail, sections = None, list[FilePatch]()
    for at, section in enumerate(patch.files):
        strange = mail is not None and bool(sections) and section.source != sections[0].source
        if sections and (at in mails or strange):
            yield mail, Patch(tuple(sections))
            mail, sections = None, []
        mail = mails.get(at, mail)
        sections.append(section)
    yield mail, replace(patch, files=tuple(sections), mails=())


def _refuse_several(found: list[tuple[Mail | None, Patch]], wish: Wish) -> None:
    if wish.is_for_one:
        raise UsageError(
            f"-m, -F, --author and --date are for one commit, and the patch is {len(found)}, most "
            "of them mails, which say it themselves"
        )
    for mail, patch in found:
        if mail is None:
            first = patch.files[0]
            where = f"{first.source}, line" if first.source else "line"
            raise UsageError(
                f"{where} {first.number}: is no part of a mail, and so without a message; apply "
                "it by itself"
            )


def _part(mail: Mail | None, patch: Patch, wish: Wish) -> Part:
    options = [f"--trailer={one}" for one in wish.trailers]
    options += [f"--author={wish.author}"] if wish.author else []
    options += [f"--date={wish.date}"] if wish.date else []
    title = mail.message.partition("\n")[0] if mail else ""
    author = _author(mail) if mail else {}
    if wish.messages or wish.file is not None:
        _refuse_empty("".join(wish.messages).encode(errors="surrogateescape"), wish.file)
        options += [f"--message={one}" for one in wish.messages]
        return Part(patch, Order(tuple(options), wish.file, author), title)
    if mail is not None and mail.message.strip():
        # lines that begin with # are the mail's own words
        options.append("--cleanup=whitespace")
        utf8 = ("-c", "i18n.commitEncoding=UTF-8")
        return Part(patch, Order(tuple(options), mail.message.encode(), author, utf8), title)
    if not wish.editor:
        raise UsageError("--commit needs a message: -m MSG, or -F FILE")
    return Part(patch, Order(tuple(options), None, author), title)


def _refuse_empty(said: bytes, file: bytes | None) -> None:
    if not said.strip() and not (file or b"").strip():
        raise CommitError("aborting commit due to empty commit message; nothing was changed", 1)


def _author(mail: Mail) -> dict[str, str]:
    """As git am hands it on: not as options, which would be read more loosely."""
    name, _, address = mail.author.rpartition(" <")
    said = {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": address.removesuffix(">"),
        "GIT_AUTHOR_DATE": mail.date,
    }
    return {key: value for key, value in said.items() if value}
