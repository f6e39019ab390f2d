"""No text takes longer than its length allows, whatever is repeated in it.

Each character, and each token of each pattern of the package, is repeated alone, in front of a
patch, behind one and inside its lines.
"""

from __future__ import annotations

import pkgutil
import re
import string
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from time import process_time

import pytest

from git_opatch import parse
from git_opatch.model.errors import ParseError
from git_opatch.parse import grammar, parse_patch

_SIZES = 50_000, 200_000
_MOST = 10
"""How many times longer the longer text may take, which has four times as many characters."""
_FLOOR = 0.03
"""Seconds that are not compared."""
_PLACES = {
    "alone": "{}",
    "in front of a marker": "{}*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n",
    "behind a marker": "*** Begin Patch\n*** Update File: f{}x\n@@\n-a\n+b\n*** End Patch\n",
    "behind a header": "--- a/f\n+++ b/f{}x\n@@ -1 +1 @@{}\n-a\n+b\n",
    "below a patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n{}",
    "in a string": '{"path": "f", "old_string": "a", "new_string": "{}"}\n{}',
    "in a command": "cd {}x && apply_patch <<'EOF'\n*** Begin Patch\n{}\n*** End Patch\nEOF\n",
    "in a block": "f{}\n<<<<<<< SEARCH{}\na\n=======\nb\n>>>>>>> REPLACE\n",
    "in a tag": '<FILE_CHANGES>\n<FILE_NEW file_path="f"{}>\n{}</FILE_NEW>\n</FILE_CHANGES>\n',
}


def _patterns() -> Iterator[bytes | str]:
    for module in pkgutil.iter_modules(parse.__path__):
        for value in vars(import_module(f"git_opatch.parse.{module.name}")).values():
            if isinstance(value, re.Pattern):
                yield value.pattern
    yield grammar.BEGINS


def _tokens() -> list[str]:
    """Return what is written in the patterns: words, and runs of signs."""
    found = set[str]()
    for pattern in _patterns():
        text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        plain = re.sub(r"\\[wsdSWDAZbnrtfv]|\(\?[a-z<:=!>P]+|\[\^", " ", text).replace("\\", "")
        found.update(re.findall(r"[A-Za-z_]{2,}|[^\w\s]{2,4}", plain))
    return sorted(found)


TOKENS = [*string.printable, "\u00a0", "\u3000", "a ", " a", "- ", "\n\n", "\n ", "\n+", *_tokens()]


def _seconds(text: str) -> float:
    start = process_time()
    with suppress(ParseError):
        parse_patch(text)
    return process_time() - start


@pytest.mark.one_of(40)
@pytest.mark.parametrize("token", TOKENS)
def test_the_time_grows_with_the_text(token: str) -> None:
    for place, text in _PLACES.items():
        texts = [text.replace("{}", token * (size // len(token))) for size in _SIZES]
        for again in range(3):  # what else the machine does is in one measurement, not in three
            short, long = map(_seconds, texts)
            if long <= max(_MOST * short, _FLOOR):
                break
            assert again < 2, (place, short, long)


def test_many_blanks_are_read_at_once() -> None:
    assert max(_seconds(blank * 300_000) for blank in (" ", "\t", "\r", "\n")) < 0.5
