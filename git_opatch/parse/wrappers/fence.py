"""Markdown fences, which chats and documents put around a patch.

    ```diff
    --- a/f
    ```

Source: CommonMark, "Fenced code blocks": three or more backticks or tildes, indented as far as a
list needs; the closing fence has the same character, at least as often, and is alone on its line;
the lines inside lose as much indentation as the opening fence has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from git_opatch.model.text import visible
from git_opatch.parse.formats import PATCH
from git_opatch.parse.scanner import Scanner

_FENCE = rb"(?s)([ \t]*)(`{3,}|~{3,})(.*)"

# A prefixed line that is neither a list item nor a rule of a document.
HUNK_LINE = rb"\+(?:[^\s+]|\t| {4})|-(?:[^\s-]|\t| {4})"

_OTHER_START = PATCH + rb"|---|diff |From "
"""A line that may begin something else: a patch, a rule of a document, a mail."""


class Fence(NamedTuple):
    """A line that is a fence: its characters, and the text after them."""

    marks: bytes
    info: bytes

    def closes(self, opening: Fence) -> bool:
        """Return whether this closes the fence that `opening` opens."""
        return not self.info and self.marks.startswith(opening.marks)


def fence_in(line: bytes) -> Fence | None:
    """Parse the fence in `line`; None if it is not one."""
    match = re.fullmatch(_FENCE, line)
    return Fence(match[2], match[3].strip()) if match else None


def are_closed(lines: Iterable[bytes]) -> bool:
    """Return whether every fence that opens in `lines` is closed there."""
    opening = None
    for line in lines:
        fence = fence_in(line)
        if fence and opening is None:
            opening = fence
        elif fence and opening and fence.closes(opening):
            opening = None
    return opening is None


def is_fence(scanner: Scanner, line: bytes) -> bool:
    """Return whether `line` closes the fence around the scanner, or, outside of any, is a fence."""
    match = re.fullmatch(_FENCE, line)
    if match is None or not scanner.fence:
        return match is not None
    return match[2].startswith(scanner.fence) and not match[3].strip()


def skip_fence(scanner: Scanner) -> bool:
    """Take a line that opens or closes a fence; False, with nothing taken, if it is not one."""
    line = scanner.lines[scanner.at]
    match = re.fullmatch(_FENCE, line)
    if match is None or (scanner.fence and not is_fence(scanner, line)):
        return False
    scanner.take()
    scanner.fence, scanner.directory_change = b"" if scanner.fence else match[2], None
    indent = match[1] if scanner.fence and _all_indented(scanner, match[1]) else b""
    scanner.dedent = _dedent_by(indent) if indent else None
    return True


def _dedent_by(indent: bytes) -> Callable[[bytes], bytes]:
    return lambda line: line.removeprefix(indent)


def report_lines_below(scanner: Scanner) -> None:
    """Report a hunk line below the fence that closes here, right after a patch.

    Then the fence was content, and the lines below it would be skipped as prose. Prose itself has
    such a line only below a blank one, and never two that replace one another.
    """
    if scanner.at_end or not scanner.fence or not is_fence(scanner, scanner.line):
        return
    is_near = True
    for at in range(scanner.at + 1, scanner.end):
        line = scanner.line_at(at)
        fence = fence_in(line)
        if (fence and fence.info) or re.match(_OTHER_START, line):
            return
        is_near = is_near and bool(line.strip())
        if re.match(HUNK_LINE, line) and (is_near or _is_replaced(scanner, at)):
            scanner.error(
                f"`{visible(line)}` is below the fence that closes at line {scanner.number}, so it "
                "is not in a patch; write a space before that fence if it is context, or a blank "
                "line after it if prose follows",
                scanner.lines.number(at),
            )
            return


def _is_replaced(scanner: Scanner, at: int) -> bool:
    after = scanner.line_at(at + 1) if at + 1 < scanner.end else b""
    return scanner.line_at(at).startswith(b"-") and after.startswith(b"+")


def _all_indented(scanner: Scanner, indent: bytes) -> bool:
    """Return whether every line in the fence that opened is indented at least as the fence is."""
    for at in range(scanner.at, scanner.end) if indent else ():
        line = scanner.lines[at]
        if line.strip() and not line.startswith(indent):
            return False
        if is_fence(scanner, line.removeprefix(indent)):
            break
    return bool(indent)
