"""Groups of options that commands share, and what they mean together with `git config opatch.*`.

`options` has a row for each field. Groups are named tuples: to define a dataclass takes five times
as long, and every run would wait for it.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from git_opatch.model.errors import Diagnostic, InputError, ParseError, UsageError
from git_opatch.model.options import (
    Ambiguous,
    Format,
    Matching,
    Options,
    Target,
    ThreeWay,
    Tier,
)
from git_opatch.model.patch import Mail, Patch
from git_opatch.model.policy import Named, Policy, split_expected
from git_opatch.model.selection import Selected, select
from git_opatch.model.settings import Settings, choice, journal_size
from git_opatch.plan.patch_paths import resolve_paths

if TYPE_CHECKING:
    from git_opatch.operations.commit import CommitRequest


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


class PatchOptions(NamedTuple):
    """The patch, how to read and to match it, which parts are meant, and what it may touch."""

    files: list[str] | None = None
    patch_format: Format | None = None
    directory: str = ""
    overwrite: bool = False
    only: list[str] | None = None
    leave_out: list[str] | None = None
    match: Tier | None = None
    ambiguous: Ambiguous | None = None
    three_way: bool = False
    allow: list[str] | None = None
    deny: list[str] | None = None
    expect: list[str] | None = None
    max_files: int | None = None
    root: str | None = None

    def read(self) -> Patch:
        """Read all files as one patch. Raises `InputError` and `ParseError`."""
        return read_patch(self.files or (), self.patch_format)

    def select(self, patch: Patch, options: Options, top: Path | None) -> Selected:
        """Choose the parts of `patch` that are meant. Raises `UsageError`."""
        resolved = resolve_paths(patch, options, top)
        return select(patch, self.only or (), self.leave_out or (), resolved, str(top or ""))

    def resolve(
        self,
        settings: Settings,
        target: Target,
        top: Path | None,
        *,
        by_program: bool,
        in_part: bool = False,
        **others: Any,
    ) -> Options:
        """Resolve the options for a working tree at `top`; `others` are as of `Options`.

        `by_program` is as of `matching`, `in_part` whether a part of the patch may be applied. The
        paths of `expect` are below `directory`, or absolute and below `top`. Raises `UsageError`.
        """
        named = Named(
            self.allow, self.deny, split_expected(self.expect or ()), self.max_files, self.root
        )
        return Options(
            target,
            overwrite=self.overwrite,
            directory=self.directory,
            matching=matching(settings, self.match, self.ambiguous, by_program=by_program),
            three_way=self._three_way(target, carry=others.get("carry", False), in_part=in_part),
            policy=Policy.read(
                settings, named, os.getcwd(), prefix=self.directory, top=str(top or "")
            ),
            **others,
        )

    def _three_way(self, target: Target, *, carry: bool, in_part: bool) -> ThreeWay:
        """Choose what older versions of files are used for. Raises `UsageError`."""
        if not self.three_way:
            return ThreeWay.OFF if carry or in_part else ThreeWay.SUGGEST
        if target is Target.WORKTREE or carry:
            raise UsageError("--3way merges in the index; it excludes --worktree and --carry")
        if in_part:
            raise UsageError("--3way merges whole files; it excludes --partial, --reject and -p")
        return ThreeWay.MERGE


def matching(
    settings: Settings,
    tier: Tier | None = None,
    ambiguous: Ambiguous | None = None,
    *,
    by_program: bool,
) -> Matching:
    """Take what is named, else `opatch.match` and `opatch.ambiguous`, else the defaults.

    `by_program` says that a program reads the result, to which no option is advised. Raises
    `UsageError`, also for a guess in a hook, where nobody checks the result.
    """
    configured = Matching.from_settings(settings)
    ambiguous = ambiguous or configured.ambiguous
    if ambiguous is Ambiguous.NEAREST and "PRE_COMMIT" in os.environ:
        raise UsageError("--ambiguous nearest is not allowed in hooks: nobody checks its guess")
    return Matching(tier or configured.tier, ambiguous, can_choose=not by_program)


class TargetOptions(NamedTuple):
    """What to change."""

    index_and_worktree: bool = False
    cached: bool = False
    worktree: bool = False
    carry: bool = False

    @property
    def named(self) -> Target | None:
        """The target that is named, if there is one. Raises `UsageError` for several."""
        wanted = {
            Target.INDEX: self.index_and_worktree or self.carry,
            Target.CACHED: self.cached,
            Target.WORKTREE: self.worktree,
        }
        named = [target for target, is_named in wanted.items() if is_named]
        if len(named) > 1:
            raise UsageError("--index (and --carry), --cached and --worktree exclude one another")
        return named[0] if named else None

    def resolve(self, settings: Settings) -> Target:
        """Take the target that is named, else that of `opatch.target`, else the index."""
        return self.named or choice("opatch.target", Target.INDEX, settings)


class PlaceOptions(TargetOptions):
    """Where to undo, or to redo."""


class BaseOptions(NamedTuple):
    """Where to locate hunks, for commands that change nothing."""

    base: str = ""
    worktree: bool = False

    def resolve(self) -> Target:
        """Choose what to locate in, if it is not `base`. Raises `UsageError`."""
        if self.base and self.worktree:
            raise UsageError("--base and --worktree exclude one another")
        return Target.WORKTREE if self.worktree else Target.CACHED


class PartialOptions(NamedTuple):
    """What to do with changes that cannot be applied."""

    skip_applied: bool = False
    partial: bool = False
    reject: bool = False

    @property
    def allows_part(self) -> bool:
        """Whether a part of the patch may be applied."""
        return self.partial or self.reject


def options_of_agent(settings: Settings, named: Named = Named(), directory: str = "") -> Options:  # noqa: B008
    """Resolve how the call of an agent is judged, or applied; `directory` as of `Policy.read`."""
    return Options(
        Target.WORKTREE,
        matching=matching(settings, by_program=True),
        journal_size=journal_size(settings),
        policy=Policy.read(settings, named, directory),
    )


class CommitOptions(NamedTuple):
    """Whether to commit the patch, and how."""

    commit: bool = False
    message: list[str] | None = None

    def resolve(
        self, target: Target, partial: PartialOptions, *, json: bool
    ) -> CommitRequest | None:
        """Check the options together; None without `--commit`. Raises `UsageError`."""
        if not self.commit:
            if self.message:
                raise UsageError("-m requires --commit")
            return None
        if target is Target.WORKTREE:
            raise UsageError(
                "--commit commits what is staged, and --worktree stages nothing\n  to apply and "
                "commit: leave out --worktree (or write --index, if opatch.target is worktree)"
            )
        if partial.allows_part:
            raise UsageError("--commit excludes --partial, --reject and -p")
        from git_opatch.operations.commit import CommitRequest

        return CommitRequest(
            tuple(self.message or ()),
            editor=not json
            and sys.stdin is not None
            and sys.stdin.isatty()
            and sys.stderr.isatty(),
            quiet=json,
        )


class PageOptions(NamedTuple):
    """Whether to draw a page, and where it goes."""

    html: bool = False
    output: str = ""
    opens: bool = False

    def is_wanted(self, *, json: bool) -> bool:
        """Whether there is to be a page. Raises `UsageError` for one beside `json`."""
        wanted = self.html or self.opens or bool(self.output)
        if wanted and json:
            raise UsageError("--json excludes --html, --output and --open")
        return wanted
