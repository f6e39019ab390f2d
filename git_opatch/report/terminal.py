"""Lines to the terminal: messages to standard error, data to standard output.

Colour is used on a terminal, if `NO_COLOR` and `color.ui` allow it, and elsewhere if `color.ui` is
`always`, as git has it. rich is imported only then.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TextIO

from git_opatch.model.errors import InputError
from git_opatch.model.text import Text, visible
from git_opatch.report.draw import Shown, Spans, plain
from git_opatch.report.files import DIFF_STYLES

_STYLES = {"error": "bold red", "note": "yellow", "hint": "cyan"}
_NEVER = ("false", "never", "no", "off")


def use_colour(stream: TextIO, settings: Mapping[str, str]) -> bool:
    """Decide whether to colour what goes to `stream`: `always` also does so in a pipe."""
    wanted = settings.get("color.opatch", settings.get("color.ui", "auto")).lower()
    if wanted == "always":
        return True
    plain = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    seen = stream.isatty() or (stream is sys.stdout and _in_pager(settings))
    return seen and not plain and wanted not in _NEVER


class _Pager:
    """Whether standard output goes to a pager that we started for a terminal."""

    runs = False


def set_paging(runs: bool) -> None:
    """Treat standard output as the terminal that its pager is on, or no longer."""
    _Pager.runs = runs


def is_on_terminal() -> bool:
    """Return whether standard output is a terminal, or a pager that we started for one."""
    return sys.stdout.isatty() or _Pager.runs


def is_for_a_person(settings: Mapping[str, str]) -> bool:
    """Return whether standard output is on a terminal, or is to have colours as if it were."""
    return is_on_terminal() or use_colour(sys.stdout, settings)


def _in_pager(settings: Mapping[str, str]) -> bool:
    """Return whether standard output goes through a pager, git's (`git -p`) or ours, and with
    colour."""
    coloured = settings.get("color.pager", "true").lower() not in _NEVER
    return coloured and (_Pager.runs or os.environ.get("GIT_PAGER_IN_USE") in ("1", "true"))


def show(lines: Iterable[Shown], stream: TextIO, settings: Mapping[str, str] | None = None) -> None:
    """Print `lines`, which are fit for a terminal, and may have pieces with styles.

    That nobody reads them is not an error.
    """
    render = _coloured if use_colour(stream, settings or {}) else plain
    try:
        for line in lines:
            stream.write(render(_with_label(line) if isinstance(line, str) else line) + "\n")
        stream.flush()
    except OSError:
        _silence(stream)


def _with_label(line: str) -> Spans:
    """Style the word that a line begins with, such as `error: `."""
    label, colon, rest = line.partition(": ")
    style = _STYLES.get(label, "") if colon else ""
    return [(label + colon, style), (rest, "")]


def _coloured(line: Spans) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    return "".join(
        Style.parse(style).render(plain([*pieces]), color_system=ColorSystem.STANDARD)
        for style, pieces in groupby(line, itemgetter(1))
    )


_IDS = rb"^index ([0-9a-f]{7})[0-9a-f]*\.\.([0-9a-f]{7})[0-9a-f]*"


def show_diff(details: Sequence[str], diff: bytes, settings: Mapping[str, str]) -> None:
    """Print `details` and the diff to standard output, in colour on a terminal.

    There, object ids are abbreviated as git does it. Elsewhere the bytes of the diff are written as
    they are, since a program may read them. Raises `OSError` if that fails.
    """
    if use_colour(sys.stdout, settings):
        head = ([(line, "" if line.startswith(" ") else "bold")] for line in [*details, ""])
        show([*head, *_styled(diff)], sys.stdout, settings)
    else:
        text = "".join(line + "\n" for line in [*details, ""])
        write_data(text.encode(errors="backslashreplace") + diff)


def _styled(diff: bytes) -> Iterator[Spans]:
    """Style the lines of a git diff; a file's header ends where its first hunk begins."""
    in_header = True
    for line in Text.from_bytes(diff).lines:
        in_header = line.startswith(b"diff ") or (in_header and not line.startswith(b"@@ "))
        style = "bold" if in_header else DIFF_STYLES.get(line[:1].decode("latin-1"), "")
        if in_header:
            line = re.sub(_IDS, rb"index \1..\2", line)
        yield [(visible(line, len(line)), style)]


def _silence(stream: TextIO) -> None:
    """Discard what is still buffered for a stream that failed."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_data(data: bytes) -> None:
    """Write `data` to standard output as it is, but escaped on a terminal.

    Raises `OSError` if not all of it can be written.
    """
    if is_on_terminal():
        show((visible(line, len(line)) for line in Text.from_bytes(data).lines), sys.stdout)
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError:
        _silence(sys.stdout)
        raise


def write_file(data: bytes, name: str) -> None:
    """Write `data` to the file `name`. Raises `InputError` if that fails."""
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot write `{name}`: {error.strerror}") from None
