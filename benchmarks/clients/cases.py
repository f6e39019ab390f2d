"""Patches as models write them: the files before, and what the model sends.

In each patch `DIR/` stands for the directory of the case.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A patch, and the files that it is for, below the directory of the case."""

    name: str
    files: dict[str, bytes]
    patch: str

    def in_directory(self, directory: str) -> str:
        """Return the patch with its paths below `directory`."""
        return self.patch.replace("DIR/", f"{directory}/")


_PYTHON = b"""\
class Store:
    def get(self, key):
        value = self.items[key]
        return value

    def pop(self, key):
        value = self.items[key]
        return value


def main():
    store = Store()
    print(store.get("a"))
"""


def _envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


def _update(hunks: str, name: str = "f") -> str:
    return _envelope(f"*** Update File: DIR/{name}\n{hunks}")


CASES = (
    Case("one line", {"f": b"a\nb\nc\n"}, _update("@@\n a\n-b\n+B\n c\n")),
    Case("the context decides", {"f": b"a\nx\nb\nx\nc\n"}, _update("@@\n-x\n+y\n c\n")),
    Case(
        "an anchor decides",
        {"f": _PYTHON},
        _update("@@ def pop(self, key):\n-        return value\n+        return str(value)\n"),
    ),
    Case(
        "written without indentation",
        {"f": _PYTHON},
        _update('@@\n store = Store()\n-print(store.get("a"))\n+store.pop("a")\n+print(store)\n'),
    ),
    Case(
        "blanks for tabs",
        {"f": b"if x:\n\tif y:\n\t\treturn 1\n\treturn 2\n"},
        _update("@@\n     if y:\n-        return 1\n+        return 3\n"),
    ),
    Case("a new file", {}, _envelope("*** Add File: DIR/new/f\n+one\n+\n+two\n")),
    Case("a new file that ends blank", {}, _envelope("*** Add File: DIR/f\n+one\n+\n")),
    Case("a deletion", {"f": b"a\n", "g": b"g\n"}, _envelope("*** Delete File: DIR/f\n")),
    Case(
        "a move with a change",
        {"f": b"a\nb\n"},
        _update("*** Move to: DIR/sub/g\n@@\n-a\n+A\n b\n"),
    ),
    Case("a move", {"f": b"a\nb\n"}, _update("*** Move to: DIR/g\n")),
    Case(
        "hunks out of order",
        {"f": b"".join(b"%d\n" % number for number in range(40))},
        _update("@@\n 29\n-30\n+thirty\n@@\n 9\n-10\n+ten\n"),
    ),
    Case("CRLF", {"f": b"a\r\nb\r\nc\r\n"}, _update("@@\n a\n-b\n+B\n+new\n c\n")),
    Case(
        "typographic quotes",
        {"f": "say “hello”\nthen go\n".encode()},
        _update('@@\n say "hello"\n-then go\n+then stay\n'),
    ),
    Case(
        "a diff, not an envelope",
        {"f": b"a\nb\nc\n"},
        "--- a/DIR/f\n+++ b/DIR/f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n",
    ),
    Case(
        "several files",
        {"f": b"a\nb\n", "g": b"1\n2\n3\n"},
        _envelope(
            "*** Update File: DIR/f\n@@\n-a\n+A\n*** Add File: DIR/h\n+h\n"
            "*** Update File: DIR/g\n@@\n 2\n-3\n+three\n*** Update File: DIR/f\n@@\n-b\n+B\n"
        ),
    ),
    Case("no newline at the end", {"f": b"a\nb"}, _update("@@\n-a\n+A\n b\n")),
    Case("stale", {"f": b"a\nb\nc\n"}, _update("@@\n-nowhere\n+y\n c\n")),
    Case("two places", {"f": b"x\na\nx\na\n"}, _update("@@\n-x\n+y\n a\n")),
    Case("applied already", {"f": b"a\nB\nc\nd\n"}, _update("@@\n a\n-b\n+B\n c\n d\n")),
    Case("a file that exists", {"f": b"a\n"}, _envelope("*** Add File: DIR/f\n+other\n")),
)
