"""Mails as `git am` reads them: by `git mailsplit` and `git mailinfo` (D66).

So quoted-printable, base64, attachments, character sets, scissors and authors in the body are
git's affair, and the user's settings of them (`mailinfo.*`) hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from git_opatch.git.output import git_message
from git_opatch.git.runner import GitRunner
from git_opatch.git.scratch import scratch_directory
from git_opatch.model.errors import InputError

_MAILBOX = re.compile(rb"\s*+From \S++ [^\n]{0,60}\d\d:\d\d[^\n]{0,40}\n[!-9;-~]++:")
_HEAD = re.compile(rb"(?>(?:[!-9;-~]++:[^\n]*\n(?>(?:[ \t][^\n]*\n)*))+)(?=\r?\n)")
_AUTHOR, _ABOUT = (
    re.compile(rb"(?im)^" + names + rb":") for names in (rb"From", rb"(?:Subject|Date)")
)
_ENVELOPE = re.compile(rb"(?m)^\*\*\* Begin Patch[ \t]*$")
_MOST = 2_000


class MailText(NamedTuple):
    """A mail, decoded: what a commit needs, and the text of its patch; empty if it has none.

    `author` is `Name <address>`. `line` is the number of the patch's first line in the mailbox, or
    of the mail's, if the patch was encoded, from 1.
    """

    author: str
    date: str
    message: str
    patch: bytes
    line: int


def is_mailbox(data: bytes) -> bool:
    """Return whether `data` is mail from its first line on: a mailbox, or one mail as it was sent.

    That one has nothing but headers, of which one is the author's, up to a blank line.
    """
    if _MAILBOX.match(data):
        return True
    head = _HEAD.match(data)
    return bool(head and _AUTHOR.search(head[0]) and _ABOUT.search(head[0]))


def read_mails(data: bytes, source: str = "") -> Iterator[MailText]:
    r"""Yield the mails of a mailbox, which is called `source`.

    A `\r` that ends every line is of the sending, and any other one of the patch. Raises
    `InputError`, with git's message, for a mail that git cannot read.
    """
    git = GitRunner(os.getcwd())
    keeps_cr = [] if data.count(b"\r\n") == data.count(b"\n") else ["--keep-cr"]
    with scratch_directory() as directory:
        git.ask("mailsplit", *keeps_cr, "-b", "-d4", f"-o{directory}", feed=data)
        names = sorted(name for name in os.listdir(directory) if name.isdecimal())
        if len(names) > _MOST:
            raise InputError(f"{source or 'standard input'}: has {len(names):,} mails; split it")
        line = 1 + data[: len(data) - len(data.lstrip())].count(b"\n")
        for number, name in enumerate(names, 1):
            mail = Path(directory, name).read_bytes()
            files = [f"{directory}/{part}" for part in ("message", "patch")]
            done = git.run("-c", "i18n.commitEncoding=UTF-8", "mailinfo", *files, feed=mail)
            if done.status:
                reason = git_message(done.errors) or "git mailinfo failed"
                raise InputError(f"{source or 'standard input'}: mail {number}: {reason}")
            message, patch = (Path(file).read_bytes() for file in files)
            yield _mail(done.output, message, patch, mail, line)
            line += mail.count(b"\n")


def _mail(info: bytes, message: bytes, patch: bytes, mail: bytes, line: int) -> MailText:
    """Put together what git-mailinfo(1) says of `mail`, which begins at `line`."""
    rows = [row.partition(": ") for row in _text(info).splitlines()]
    values = {key: value for key, _, value in rows}
    if not patch and (begin := _ENVELOPE.search(message)):
        message, patch = message[: begin.start()], message[begin.start() :]
    subject = "\n".join(value for key, _, value in rows if key == "Subject")
    text = f"{subject}\n\n{_text(message)}".strip("\n") + "\n"
    at = mail.find(patch) if patch else -1
    line += mail.count(b"\n", 0, at) if at >= 0 else 0
    author = f"{values.get('Author', '')} <{values.get('Email', '')}>"
    return MailText(author, values.get("Date", ""), text, patch, line)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")
