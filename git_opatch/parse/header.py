"""The header lines of a unified diff: git's extended ones, and the names of the file.

Rules: git's diff format, "Generating patch text with -p"; the prefixes of
`diff.mnemonicPrefix`; paths quoted as `core.quotePath` does.
"""

from __future__ import annotations

import re

from git_opatch.blob import Mode
from git_opatch.parse.cursor import Cursor
from git_opatch.paths import unquote
from git_opatch.text import visible

Names = tuple[bytes | None, bytes | None]
"""The old and the new name; None stands for /dev/null."""

_DEV_NULL = b"/dev/null"
_PREFIXES = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"c/", b"w/"), (b"o/", b"w/"))
_RARE_PREFIXES = ((b"b/", b"a/"), (b"1/", b"2/"), (b"w/", b"i/"))
_EXTENDED = re.compile(
    rb"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|"
    rb"rename to|similarity index|dissimilarity index|index) (.+)",
    re.DOTALL,
)
_MODE_LINES = ("old mode", "new mode", "deleted file mode", "new file mode")
_IDS = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: \d{6})?\s*")
_QUOTED = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


_STAMP = re.compile(
    rb"""\d{4}-\d\d-\d\d [ T] \d\d:\d\d (:\d\d ([.,]\d+)?)?
      ([ ]?(Z|[+-]\d\d:?\d\d))? ([ ][(][\w ]+[)])?
    | [A-Z][a-z]{2} [ ] [A-Z][a-z]{2} [ ]+ \d{1,2} [ ] \d\d:\d\d:\d\d [ ] ([A-Z]{3,5}[ ])? \d{4}
    | [(] (revision[ ]\d+ | working[ ]copy | nonexistent) [)]""",
    re.VERBOSE,
)
"""What `diff -u` (in ISO 8601, or as ctime has it) and Subversion write after a name."""
_LONGEST_STAMP = 60


def parse_names(old: bytes, new: bytes) -> Names | None:
    """The names in `--- old` and `+++ new`, their prefixes taken off."""
    old_name, new_name = _plain(old), _plain(new)
    if not old_name or not new_name or old_name == new_name == _DEV_NULL:
        return None
    return _without_prefixes(old_name, new_name)


def names_at(cursor: Cursor, distance: int = 0) -> Names | None:
    """The names in a `---` and a `+++` line, that many lines on; None if they are not there."""
    old = cursor.ahead(distance)
    if old is None or not old.startswith(b"--- "):
        return None
    new = cursor.ahead(distance + 1)
    if new is None or not new.startswith(b"+++ "):
        return None
    return parse_names(old[4:], new[4:])


def _plain(name: bytes) -> bytes | None:
    """A name without quotes, time stamp or padding; None if it is malformed."""
    if name.startswith(b'"'):
        quoted = _QUOTED.match(name)
        return unquote(quoted[0]) if quoted else None
    # A tab ends a name that has blanks: git writes it so that they can be seen.
    end = name.find(b"\t")
    return _bare(_without_stamp(name.rstrip(b"\r ")) if end < 0 else name[:end])


def _without_stamp(name: bytes) -> bytes:
    """`name` without the time stamp, or what Subversion writes, that blanks tell from it."""
    first = max(len(name) - _LONGEST_STAMP, 0)
    for blank in re.finditer(rb"(?<=[^ ]) +", name[first:]):
        if _STAMP.fullmatch(name, first + blank.end()):
            return name[: first + blank.start()]
    return name


def _bare(name: bytes) -> bytes:
    """`name` without the backticks round it."""
    quoted = len(name) > 2 and name[:1] == name[-1:] == b"`"
    return name[1:-1] if quoted else name


def _without_prefixes(old: bytes, new: bytes) -> Names:
    if old == _DEV_NULL:
        return None, new.removeprefix(b"b/")
    if new == _DEV_NULL:
        return old.removeprefix(b"a/"), None
    for first, second in _PREFIXES:
        if old.startswith(first) and new.startswith(second):
            return old[2:], new[2:]
    for first, second in _RARE_PREFIXES:
        if old.startswith(first) and new.startswith(second) and old[2:] == new[2:]:
            return old[2:], new[2:]
    return old, new


def read_extended(cursor: Cursor) -> dict[str, bytes]:
    """Take a `diff --git` line and the extended header after it, by the lines' names.

    "names" is the rest of the first line; "differ" and "binary" are set for files of
    which git prints no lines. A name comes without its quotes.
    """
    found = {"names": cursor.take()[len(b"diff --git ") :]}
    while not cursor.at_end:
        line = cursor.line.rstrip(b"\r")
        match = _EXTENDED.fullmatch(line)
        if match:
            _note(cursor, found, match[1].decode(), match[2])
        elif line.startswith(b"Binary files ") and line.endswith(b" differ"):
            found["differ"] = line
        elif line == b"GIT binary patch":
            found["binary"] = line
            cursor.skip_until(lambda text: text.startswith(b"diff --git "))
            break
        else:
            break
        cursor.take()
    return found


def _note(cursor: Cursor, found: dict[str, bytes], name: str, value: bytes) -> None:
    if name in _MODE_LINES:
        value = value.strip()
        if value.decode("ascii", "replace") not in {mode.value for mode in Mode}:
            cursor.fault(f"`{visible(value)}` is no mode that git has; a file is 100644")
            return
        if name.endswith(" file mode"):
            found[name.removesuffix(" mode")] = value
            name = "new mode" if name.startswith("new") else "old mode"
    elif name.endswith((" from", " to")):
        value = _plain(value + b"\t") or value
    found[name] = value


def names_of(extended: dict[str, bytes]) -> Names | None:
    """The names in a `diff --git` line, which has both without a clear end.

    Only a line whose names are the same can be read when they hold blanks; git itself
    writes others in `rename` and `copy` lines.
    """
    path = path_of(extended)
    if path is None:
        return None
    return (
        None if "new file" in extended else path,
        None if "deleted file" in extended else path,
    )


def agrees(names: Names, extended: dict[str, bytes]) -> bool:
    """Whether the names in `---` and `+++` can be those of the `diff --git` lines."""
    old, new = names
    path = path_of(extended)
    for name, from_lines in ((old, ("rename from", "copy from")), (new, ("rename to", "copy to"))):
        said = next((extended[line] for line in from_lines if line in extended), path)
        if name is None or said is None or name == said:
            continue
        prefixed = None in names and name[1:2] == b"/" and name[2:] == said
        if not prefixed:
            return False
    return path is not None or _ends_with(extended.get("names", b""), new or old or b"")


def _ends_with(line: bytes, name: bytes) -> bool:
    return b'"' in line or line.rstrip(b"\r ").endswith(name.rstrip(b" "))


def path_of(extended: dict[str, bytes]) -> bytes | None:
    """The one path in a `diff --git` line; None if it has two, or cannot be read."""
    for old, new in _splits(extended.get("names", b"").rstrip(b"\r")):
        names = _without_prefixes(old, new)
        if names[0] == names[1]:
            return names[0]
    return None


def _splits(line: bytes) -> list[tuple[bytes, bytes]]:
    if line.startswith(b'"'):
        quoted = _QUOTED.match(line)
        old = unquote(quoted[0]) if quoted else None
        new = _plain(line[len(quoted[0]) + 1 :]) if quoted else None
        return [(old, new)] if old and new else []
    middle = len(line) // 2
    if line[middle : middle + 1] == b" ":
        return [(line[:middle], line[middle + 1 :])]
    if line.endswith(b'"') and b' "' in line:
        first, _, second = line.partition(b' "')
        new = unquote(b'"' + second)
        return [(first, new)] if new else []
    return []


def mode_of(extended: dict[str, bytes], name: str) -> Mode | None:
    """The mode that the extended header states by that name, if it does."""
    return Mode(extended[name].decode()) if name in extended else None


def blobs_of(extended: dict[str, bytes]) -> tuple[str, str]:
    """The ids in the `index` line, cut off perhaps; empty if there is none."""
    ids = _IDS.fullmatch(extended.get("index", b""))
    return (ids[1].decode(), ids[2].decode()) if ids else ("", "")
