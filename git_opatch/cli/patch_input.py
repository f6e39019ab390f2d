"""Read patches and commit messages, from files or standard input."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from git_opatch.model.errors import Diagnostic, InputError, ParseError
from git_opatch.model.options import Format
from git_opatch.model.patch import Mail, Patch

STANDARD_INPUT = "-"


def read_patch(files: Sequence[str], patch_format: Format | None = None) -> Patch:
    """Read the patches in `files` as one patch; standard input for none, or for `-`.

    `patch_format` is the only format to read, None any. Raises `InputError` if a file cannot be
    read, `ParseError` with everything that is wrong in any of them.
    """
    patches: list[Patch] = []
    diagnostics: list[Diagnostic] = []
    for name in files or [STANDARD_INPUT]:
        data, source = _read(name), "" if name == STANDARD_INPUT else name
        try:
            patches.append(read_text(data, patch_format, source))
        except ParseError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise ParseError(diagnostics)
    digest = "+".join(patch.digest for patch in patches)
    return Patch.joined(patches, digest)


def read_text(data: bytes, patch_format: Format | None = None, source: str = "") -> Patch:
    """Read a patch, or the patches of mails, each with what its commit needs.

    Raises `ParseError`, and `InputError` for a mail that git cannot read.
    """
    from git_opatch.parse import parse_patch  # undo and log do without

    if b":" not in data[:998].lstrip().partition(b"\n")[0]:  # as the first line of a mail has
        return parse_patch(data, patch_format=patch_format, source=source)
    from git_opatch.git.mail import is_mailbox, read_mails

    patches: list[Patch] = []
    diagnostics: list[Diagnostic] = []
    for mail in read_mails(data, source) if is_mailbox(data) else ():
        text = b"\n" * (mail.line - 1) + mail.patch  # so that messages name the mailbox's lines
        try:
            patch = parse_patch(text, patch_format=patch_format, source=source, wrapped=False)
            patches.append(patch._replace(mails=(Mail(mail.author, mail.date, mail.message),)))
        except ParseError as error:
            diagnostics += error.diagnostics * bool(mail.patch)  # without one, it is a letter
    if diagnostics:
        raise ParseError(diagnostics)
    if not patches:
        return parse_patch(data, patch_format=patch_format, source=source)
    return Patch.joined(patches, hashlib.sha256(data).hexdigest())


def _read(name: str) -> bytes:
    try:
        if name != STANDARD_INPUT:
            return Path(name).read_bytes()
        if sys.stdin is None:
            raise InputError("standard input is closed; name a patch file")
        if sys.stdin.isatty():
            sys.stderr.write("reading a patch from standard input; end it with Ctrl-D\n")
        return sys.stdin.buffer.read()
    except OSError as error:
        applied = f"; `git opatch log -p {name}` shows what was applied" * name.isdecimal()
        raise InputError(f"cannot read patch `{name}`: {error.strerror}{applied}") from None


def read_clipboard() -> bytes:
    """Return the text that was copied last. Raises `InputError` if there is no clipboard."""
    try:
        import pyperclip
    except ImportError:
        raise InputError("--clipboard needs pyperclip: pip install pyperclip") from None
    try:
        return str(pyperclip.paste()).encode("utf-8", "surrogateescape")
    except pyperclip.PyperclipException:
        raise InputError(
            "there is no clipboard here; name a patch file, or pipe the patch"
        ) from None
