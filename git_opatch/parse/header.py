"""The header of a unified diff: git's extended header lines, and the names of the file.

    diff --git a/f b/f
    index 83db48f..bf269f4 100644
    --- a/f
    +++ b/f

Source: git's diff format, "Generating patch text with -p"; the prefixes of `diff.mnemonicPrefix`;
paths quoted as `core.quotePath` does.
"""

from __future__ import annotations

import re

from git_opatch.model.blob import Mode
from git_opatch.model.paths import unquote
from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import DIFF_GIT
from git_opatch.parse.scanner import Scanner

Names = tuple[bytes | None, bytes | None]
"""The old and the new name; None is /dev/null."""

_DEV_NULL = b"/dev/null"
_PREFIXES = (
    (b"a/", b"b/"),
    (b"a\\", b"b\\"),
    (b"i/", b"w/"),
    (b"c/", b"i/"),
    (b"c/", b"w/"),
    (b"o/", b"w/"),
)
_RARE_PREFIXES = ((b"b/", b"a/"), (b"1/", b"2/"), (b"w/", b"i/"))
_BINARY_DATA = rb"(?:(?:literal|delta) \d+|[A-Za-z](?:[!-~]{5})+)?\r?"
"""A line below `GIT binary patch`: what follows, a length and characters of base 85, or none."""
_EXTENDED = (
    rb"(?s)(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|"
    rb"rename to|similarity index|dissimilarity index|index) (.+)"
)
_MODE_LINES = ("old mode", "new mode", "deleted file mode", "new file mode")
_REJECTS = rb"(?s)diff (.+)\t\(rejected hunks\)\s*"
_BLOB_IDS = rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: \d{6})?\s*"
_QUOTED = rb'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+"'


_TIMESTAMP = rb"""(?x)\d{4}-\d\d-\d\d [ T] \d\d:\d\d (:\d\d ([.,]\d+)?)?
      ([ ]?(Z|[+-]\d\d:?\d\d))? ([ ][(][\w ]+[)])?
    | [A-Z][a-z]{2} [ ] [A-Z][a-z]{2} [ ]+ \d{1,2} [ ] \d\d:\d\d:\d\d [ ] ([A-Z]{3,5}[ ])? \d{4}
    | [(] (revision[ ]\d+ | working[ ]copy | nonexistent) [)]"""
"""What `diff -u` (in ISO 8601, or as ctime) and Subversion write after a name."""
_MAX_TIMESTAMP = 60


def parse_names(old: bytes, new: bytes) -> Names | None:
    """Parse the names in `--- old` and `+++ new`, without their prefixes; None if malformed."""
    old_name, new_name = _parse_name(old), _parse_name(new)
    if not old_name or not new_name or old_name == new_name == _DEV_NULL:
        return None
    return _strip_prefixes(old_name, new_name)


def names_at(scanner: Scanner, distance: int = 0) -> Names | None:
    """Parse the names in a `---` and a `+++` line, `distance` lines on; None without them."""
    old = scanner.peek(distance)
    if not old.startswith(b"--- "):
        return None
    new = scanner.peek(distance + 1)
    return parse_names(old[4:], new[4:]) if new.startswith(b"+++ ") else None


def _parse_name(name: bytes) -> bytes | None:
    """Parse a name: without quotes, timestamp or padding. None if it is malformed."""
    if name.startswith(b'"'):
        quoted = re.match(_QUOTED, name)
        return unquote(quoted[0]) if quoted else None
    # Git ends a name with spaces by a tab.
    end = name.find(b"\t")
    name = _strip_timestamp(name.rstrip(b"\r ")) if end < 0 else name[:end]
    return name[1:-1] if len(name) > 2 and name[:1] == name[-1:] == b"`" else name


def _strip_timestamp(name: bytes) -> bytes:
    """Remove a timestamp, or what Subversion writes, that follows the name after a space."""
    first = max(len(name) - _MAX_TIMESTAMP, 0)
    for space in re.finditer(rb"(?<=[^ ]) +", name[first:]):
        if re.fullmatch(_TIMESTAMP, name[first + space.end() :]):
            return name[: first + space.start()]
    return name


def _strip_prefixes(old: bytes, new: bytes) -> Names:
    if old == _DEV_NULL:
        return None, new.removeprefix(b"b/")
    if new == _DEV_NULL:
        return old.removeprefix(b"a/"), None
    prefixes = old[:2], new[:2]
    if prefixes in _PREFIXES or (prefixes in _RARE_PREFIXES and old[2:] == new[2:]):
        return old[2:], new[2:]
    return old, new


def read_extended(scanner: Scanner) -> dict[str, bytes]:
    """Take a `diff --git` line and the extended header below it; return the values by line name.

    "names" is the rest of the first line; "differ" and "binary" are set for files for which git
    prints no lines. Names are unquoted.
    """
    values = {"names": scanner.take()[len(DIFF_GIT) :]}
    while not scanner.at_end:
        line = scanner.line.rstrip(b"\r")
        match = re.fullmatch(_EXTENDED, line)
        if match:
            _store(scanner, values, match[1].decode(), match[2])
        elif line.startswith(b"Binary files ") and line.endswith(b" differ"):
            values["differ"] = line
        elif line == b"GIT binary patch":
            values["binary"] = line
            scanner.take()
            scanner.skip_until(lambda text: not re.fullmatch(_BINARY_DATA, text))
            break
        else:
            break
        scanner.take()
    return values


def _store(scanner: Scanner, values: dict[str, bytes], name: str, value: bytes) -> None:
    if name in _MODE_LINES:
        value = value.strip()
        if value.decode("ascii", "replace") not in {mode.value for mode in Mode}:
            scanner.error(Malformed.NOT_A_MODE, text=value)
            return
        if name.endswith(" file mode"):
            values[name.removesuffix(" mode")] = value
            name = "new mode" if name.startswith("new") else "old mode"
    elif name.endswith((" from", " to")):
        value = _parse_name(value + b"\t") or value
    values[name] = value


def reject_names(line: bytes) -> Names | None:
    r"""Parse the first line of a file of rejected hunks; None if it is not one.

    Git writes `diff a/f b/f\t(rejected hunks)`, and no other header (`apply.c`,
    "write_out_one_reject").
    """
    match = re.fullmatch(_REJECTS, line)
    return _two_names(match[1]) if match else None


def git_names(extended: dict[str, bytes]) -> Names | None:
    """Return the names in a `diff --git` line, which does not separate them clearly.

    With spaces in them they can be read only if both are equal; for others git writes `rename` and
    `copy` lines.
    """
    path = git_path(extended)
    if path is None:
        return None
    return (
        None if "new file" in extended else path,
        None if "deleted file" in extended else path,
    )


def names_agree(names: Names, extended: dict[str, bytes]) -> bool:
    """Return whether the names in `---` and `+++` can be those of the `diff --git` header."""
    old, new = names
    path = git_path(extended)
    for name, from_lines in ((old, ("rename from", "copy from")), (new, ("rename to", "copy to"))):
        expected = next((extended[line] for line in from_lines if line in extended), path)
        if name is None or expected is None or name == expected:
            continue
        prefixed = None in names and name[1:2] == b"/" and name[2:] == expected
        if not prefixed:
            return False
    line, name = extended.get("names", b""), new or old or b""
    return path is not None or b'"' in line or line.rstrip(b"\r ").endswith(name.rstrip(b" "))


def git_path(extended: dict[str, bytes]) -> bytes | None:
    """Return the single path in a `diff --git` line; None if it has two, or is malformed."""
    names = _two_names(extended.get("names", b"").rstrip(b"\r"))
    return names[0] if names and names[0] == names[1] else None


def _two_names(line: bytes) -> Names | None:
    """Parse two names in one line: quoted ones, or ones of the same length."""
    middle = len(line) // 2
    if quoted := re.match(_QUOTED, line):
        old, new = unquote(quoted[0]), _parse_name(line[quoted.end() + 1 :])
        return _strip_prefixes(old, new) if old and new else None
    if line[middle : middle + 1] != b" " or line.startswith(b'"'):
        return None
    return _strip_prefixes(line[:middle], line[middle + 1 :])


def stated_mode(extended: dict[str, bytes], name: str) -> Mode | None:
    """Return the mode in that line of the extended header; None if there is no such line."""
    return Mode(extended[name].decode()) if name in extended else None


def stated_blobs(extended: dict[str, bytes]) -> tuple[str, str]:
    """Return the ids in the `index` line, perhaps abbreviated; empty if there is none."""
    ids = re.fullmatch(_BLOB_IDS, extended.get("index", b""))
    return (ids[1].decode(), ids[2].decode()) if ids else ("", "")
