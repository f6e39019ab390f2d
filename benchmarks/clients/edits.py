"""Edits as models spoil them, and those that must not be placed, for all tools that edit.

The result of each is written by hand: what the model meant.
"""

from __future__ import annotations

from typing import NamedTuple


class SpoiledEdit(NamedTuple):
    """An old string that is not in the file as it stands, or not once, and what is meant."""

    name: str
    data: bytes
    old: str
    new: str
    wanted: bytes | None
    """The file afterwards; None if nothing may be placed."""
    every: bool = False


_STORE = b"""\
class Store:
    def get(self, key):
        value = self.items[key]
        return value

    def pop(self, key):
        value = self.items.pop(key)
        if value is None:
            raise KeyError(key)
        return value
"""
_GO = b"""\
func main() {
\tstore := NewStore()
\tif store == nil {
\t\tlog.Fatal("no store")
\t}

\tstore.Run()
}
"""
_TEXT = "The “old” way is slow — and wrong.\nUse the new way.\n".encode()
_POP = "        value = self.items.pop(key)\n        if value is None:"


def _meant(name: str, data: bytes, old: str, new: str, before: str, after: str) -> SpoiledEdit:
    """Return an edit that is to replace `before`, which is in the file once, by `after`."""
    text = data.decode()
    assert text.count(before) == 1, name
    return SpoiledEdit(name, data, old, new, text.replace(before, after).encode())


PLACED = (
    _meant(
        "blanks at the end of a line", _STORE,
        "    def pop(self, key):  \n", "    def pop(self, name):\n",
        "def pop(self, key)", "def pop(self, name)",
    ),
    _meant(
        "blanks for tabs", _GO,
        "    if store == nil {\n        log.Fatal(\"no store\")",
        "    if store == nil {\n        log.Fatal(\"no store here\")",
        "no store", "no store here",
    ),
    _meant(
        "tabs for blanks", _STORE,
        "\t\tif value is None:\n\t\t\traise KeyError(key)",
        "\t\tif value is None:\n\t\t\traise LookupError(key)",
        "raise KeyError", "raise LookupError",
    ),
    _meant(
        "without indentation", _STORE,
        "value = self.items.pop(key)\nif value is None:",
        "value = self.items.pop(key, None)\nif value is None:",
        "pop(key)", "pop(key, None)",
    ),
    _meant(
        "one level too deep", _STORE,
        "            value = self.items.pop(key)\n            if value is None:",
        "            value = self.items.pop(key)\n            if not value:",
        "if value is None:", "if not value:",
    ),
    _meant(
        "two blanks for one", _STORE,
        "value  =  self.items.pop(key)", "value = self.items.pop(key, 0)",
        "pop(key)", "pop(key, 0)",
    ),
    _meant(
        "one blank for two", b"a = 1\nb  =  2\nc = 3\n",
        "b = 2\nc = 3", "b = 4\nc = 3", "b  =  2", "b = 4",
    ),
    _meant(
        "plain quotes for typographic ones", _TEXT,
        'The "old" way is slow - and wrong.\nUse the new way.',
        'The "old" way is slow - and wrong.\nUse the new way, now.',
        "new way.", "new way, now.",
    ),
    _meant(
        "typographic quotes for plain ones", b'print("hello")\nprint("world")\n',
        "print(“hello”)\nprint(\"world\")", "print(“hello”)\nprint(\"all\")",
        "world", "all",
    ),
    SpoiledEdit(
        "all of several, with dollar signs", b"a = cost\nb = cost\n", "cost", "$$cost",
        b"a = $$cost\nb = $$cost\n", every=True,
    ),
    _meant(
        "a space that does not break", "a\u00a0= 1\nb = 2\n".encode(),
        "a = 1\nb = 2", "a = 1\nb = 3", "b = 2", "b = 3",
    ),
    _meant(
        "numbers of lines with a colon", _STORE,
        "7:         value = self.items.pop(key)\n8:         if value is None:",
        "7:         value = self.items.pop(key)\n8:         if not value:",
        "if value is None:", "if not value:",
    ),
    _meant(
        "numbers of lines as `cat -n` writes them", _STORE,
        "     7\t        value = self.items.pop(key)\n     8\t        if value is None:",
        "     7\t        value = self.items.pop(key)\n     8\t        if not value:",
        "if value is None:", "if not value:",
    ),
    _meant(
        "a blank line too many", _STORE,
        "        value = self.items.pop(key)\n\n        if value is None:",
        "        value = self.items.pop(key)\n\n        if not value:",
        "if value is None:", "if not value:",
    ),
    _meant(
        "a blank line too few", _GO,
        "\t}\n\tstore.Run()", "\t}\n\tstore.RunAll()", "store.Run()", "store.RunAll()",
    ),
    _meant(
        "CRLF, and blanks for tabs", _GO.replace(b"\n", b"\r\n"),
        "    if store == nil {\n        log.Fatal(\"no store\")",
        "    if store == nil {\n        log.Fatal(\"none\")",
        "no store", "none",
    ),
    _meant(
        "a byte-order mark, and blanks at the end", b"\xef\xbb\xbf" + _GO,
        "func main() {  \n\tstore := NewStore()", "func main() {\n\tstore := Open()",
        "NewStore()", "Open()",
    ),
    _meant(
        "the escapes of HTML", b"if a < b && c:\n    d()\n    e()\n",
        "if a &lt; b &amp;&amp; c:\n    d()", "if a &lt; b &amp;&amp; c:\n    f()", "d()", "f()",
    ),
    _meant(
        "letters with their accent apart", "name = 'caf\u00e9'\nprice = 1\n".encode(),
        "name = 'cafe\u0301'\nprice = 1", "name = 'cafe\u0301'\nprice = 2",
        "price = 1", "price = 2",
    ),
    _meant(
        "blanks at the end of the file's line", b"def f():   \n    return 1\n",
        "def f():\n    return 1", "def f():\n    return 2", "return 1", "return 2",
    ),
)  # fmt: skip
"""Each has one place."""

_TWINS = b"def a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n"
NOT_PLACED = (
    SpoiledEdit("two places", _TWINS, "    x = 1\n", "    x = 2\n", None),
    SpoiledEdit("two places, and tabs", _TWINS, "\tx = 1\n\treturn x", "\tx = 2\n\treturn x", None),
    SpoiledEdit("two places, and no indentation", _TWINS, "return x", "return x + 1", None),
    SpoiledEdit("stale", _STORE, "    def put(self, key):", "    def put(self, name):", None),
    SpoiledEdit(
        "stale in one word", _STORE,
        "        value = self.entries.pop(key)\n        if value is None:",
        "        value = self.entries.pop(key)\n        if not value:", None,
    ),
    SpoiledEdit(
        "its first and last line alone", _STORE,
        "    def pop(self, key):\n        entry = self.find(key)\n        self.drop(entry)\n"
        "        return value", "    def pop(self, key):\n        return None", None,
    ),
    SpoiledEdit("made already", _STORE, "    def take(self, key):", "    def pop(self, key):",
                None),
    SpoiledEdit(
        "made already, in two lines", _GO,
        "\tstore := Open()\n\tif store == nil {",
        "\tstore := NewStore()\n\tif store == nil {", None,
    ),
    SpoiledEdit("another case of letters", _STORE, "class store:", "class Shop:", None),
    SpoiledEdit(
        "lines left out", _STORE,
        "    def get(self, key):\n        return value",
        "    def get(self, key):\n        return 0", None,
    ),
)  # fmt: skip
"""None has one place that is certain."""
EDITS = (*PLACED, *NOT_PLACED)
