"""Lines to the terminal: messages to standard error, data to standard output.

Colour only where a person looks on, `NO_COLOR` and `color.ui` allowing. rich is imported
for that alone, and only then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TextIO

from git_opatch.text import Text, visible

_STYLES = {"error": "bold red", "note": "yellow", "hint": "cyan"}


def use_colour(stream: TextIO, settings: Mapping[str, str]) -> bool:
    """Whether to colour what goes to `stream`."""
    wanted = settings.get("color.opatch", settings.get("color.ui", "auto")).lower()
    plain = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    return stream.isatty() and not plain and wanted not in ("false", "never", "no", "off")


def show(lines: Iterable[str], stream: TextIO, settings: Mapping[str, str] | None = None) -> None:
    """Print `lines`, which are fit to be seen. Nobody to read them is no error."""
    try:
        _print(lines, stream, settings or {})
        stream.flush()
    except OSError:
        _silence(stream)


def _print(lines: Iterable[str], stream: TextIO, settings: Mapping[str, str]) -> None:
    if not use_colour(stream, settings):
        stream.writelines(line + "\n" for line in lines)
        return
    from rich.console import Console
    from rich.text import Text as Styled

    console = Console(file=stream, soft_wrap=True, highlight=False)
    for line in lines:
        label, colon, rest = line.partition(": ")
        style = _STYLES.get(label) if colon else None
        console.print(Styled.assemble((label + colon, style), rest) if style else Styled(line))


def _silence(stream: TextIO) -> None:
    """Let what is still buffered for a stream that failed go nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_data(data: bytes) -> None:
    """Write `data` to standard output: its very bytes, but escaped on a terminal.

    Raises `OSError` if it cannot be written whole.
    """
    if sys.stdout.isatty():
        show((visible(line, len(line)) for line in Text.from_bytes(data).lines), sys.stdout)
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError:
        _silence(sys.stdout)
        raise
