"""A mail of `git format-patch`: its patch is below its headers and its message, which are prose.

What else is in it (author, encoding, attachments) `git mailinfo` reads (`git.mail`).
"""

from __future__ import annotations

import re

from git_opatch.model.sentences import Malformed
from git_opatch.parse import grammar, read
from git_opatch.parse.text import Scanner

_MESSAGE_END = re.compile(rb"diff -|Index: |--- \S|---\s*$")
_ENCODED = re.compile(
    rb"(?i)Content-Transfer-Encoding:\s*(quoted-printable|base64)|Content-Type:\s*(multipart/\w+)"
)


def read_mail(scanner: Scanner) -> bool:
    """Take a mail of `git format-patch`, up to the next one; only its patch is read.

    The message ends as for git-mailinfo: at the first line that is `---` or may begin a diff; if
    there is none, where an envelope begins. What is indented below it is quoted (an interdiff).
    """
    if not grammar.begins_mail(scanner):
        return False
    number, first, lines = scanner.number, scanner.at + 1, scanner.lines
    next_mail = (
        at for at in range(first, scanner.end) if grammar.begins_mail(scanner, at - scanner.at)
    )
    scanner.at = end = next(next_mail, scanner.end)
    is_head = re.compile(grammar.MAIL_HEADER.pattern + rb"|[ \t]").match
    body = next((at for at in range(first, end) if not is_head(lines[at])), end)
    encodings = filter(None, map(_ENCODED.match, lines[first:body]))
    if encoded := next(encodings, None):
        scanner.error(Malformed.ENCODED_MAIL, number, encoding=encoded[1] or encoded[2])
        return True
    for is_end in (_MESSAGE_END.match, grammar.is_begin):
        begin = next((at for at in range(body, end) if is_end(lines[at])), end)
        if begin < end:
            part = scanner.moved_to(begin, end)
            part.depth = 0
            read(part)
            break
    return True
