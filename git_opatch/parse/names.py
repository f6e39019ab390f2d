r"""The names of a file above its hunks, and git's extended header above the names.

    header   := ["diff --git " name " " name extended*] ["--- " name "+++ " name]
    extended := "new file mode " mode | "rename from " name | "index " id ".." id | …

A name may be quoted, as git quotes it, and have a timestamp behind it. `a/` and `b/` in front of
two names, and any first part in which the two alone differ, is not a part of them (D500).
"""

from __future__ import annotations

import re

from git_opatch.model.blob import Mode
from git_opatch.model.paths import unquote
from git_opatch.model.sentences import Malformed
from git_opatch.parse.grammar import DIFF_GIT
from git_opatch.parse.text import Scanner

Names = tuple[bytes | None, bytes | None]
"""The old and the new name; None is /dev/null."""
DEV_NULL = b"/dev/null"
_EXTENDED = re.compile(
    rb"(?s)(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from"
    rb"|rename to|similarity index|dissimilarity index|index) (.+)"
)
_BINARY = re.compile(rb"(?:(?:literal|delta) \d+|[A-Za-z](?:[!-~]{5})+)?\r?")
_DROPPED = re.compile(
    rb"""(?xs) (?<=[^ ])[ ]+ (?: \d{4}-\d\d-\d\d [ T] \d\d:\d\d (:\d\d ([.,]\d+)?)?
          ([ ]?(Z|[+-]\d\d:?\d\d))? ([ ][(][\w ]+[)])?
        | [A-Z][a-z]{2} [ ] [A-Z][a-z]{2} [ ]+ \d{1,2} [ ] \d\d:\d\d:\d\d [ ] ([A-Z]{3,5}[ ])? \d{4}
        | [(] (revision[ ]\d+ | working[ ]copy | nonexistent) [)] ) \Z"""
)
"""What `diff -u` and Subversion write after a name."""
_MAX_DROPPED = 60
_SIDES = re.compile(rb"a/b/|a\\b\\|i/w/|c/[iw]/|o/w/")
_PREFIXED = re.compile(rb"(?s)([^/\s]+/([^/].*)) ([^/\s]+/\2)")
_MAX_NAMES = 8192
QUOTED = re.compile(rb'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+"')


def read_extended(scanner: Scanner) -> dict[str, bytes]:
    """Take a `diff --git` line and the lines of git below it; return the values by line name.

    "names" is the rest of the first line; "differ" and "binary" are files without lines. Empty,
    with nothing taken, if there is no such line.
    """
    if not scanner.line.startswith(DIFF_GIT):
        return {}
    values = {"names": scanner.line[11:].rstrip(b"\r")}
    scanner.at += 1
    while scanner.more:
        line = scanner.line.rstrip(b"\r")
        if match := _EXTENDED.fullmatch(line):
            name, value = match[1].decode(), match[2]
            if "mode" in name:
                value = value.strip()
                if value.decode("ascii", "replace") not in {mode.value for mode in Mode}:
                    scanner.error(Malformed.NOT_A_MODE, text=value)
                    name = ""
                elif "file" in name:
                    values[name.removesuffix(" mode")] = value
                    name = "new mode" if name.startswith("new") else "old mode"
            elif name.endswith((" from", " to")):
                value = parse_name(value + b"\t") or value
            values[name] = value
        elif line.startswith(b"Binary files ") and line.endswith(b" differ"):
            values["differ"] = line
        elif line == b"GIT binary patch":
            values["binary"] = line
            scanner.at += 1
            scanner.skip_until(lambda line: not _BINARY.fullmatch(line))
            break
        else:
            break
        scanner.at += 1
    return values


def modes(extended: dict[str, bytes]) -> tuple[Mode | None, Mode | None]:
    """Return the old and the new mode that the extended header states."""
    stated = (extended.get(name) for name in ("old mode", "new mode"))
    old, new = (Mode(value.decode()) if value else None for value in stated)
    return old, new


def names_agree(names: Names, extended: dict[str, bytes]) -> bool:
    """Return whether the names in `---` and `+++` can be those of the `diff --git` header."""
    line, path = extended["names"], git_path(extended["names"])
    for name, verb in zip(names, ("from", "to"), strict=True):
        stated = extended.get(f"rename {verb}", extended.get(f"copy {verb}", path))
        if name is None or stated in (None, name):
            continue
        if name.partition(b"/")[2] != stated or name not in line:
            return False
    end = (names[1] or names[0] or b"").rstrip(b" ")
    return path is not None or b'"' in line or line.rstrip(b" ").endswith(end)


def git_path(line: bytes) -> bytes | None:
    """Return the single path behind `diff --git`; None if it has two, or is malformed."""
    names = two_names(line)
    return names[0] if names and names[0] == names[1] else None


def two_names(line: bytes) -> Names | None:
    """Parse two names in one line: quoted ones, of the same length, or with other prefixes."""
    middle = len(line) // 2
    if quoted := QUOTED.match(line):
        old, new = unquote(quoted[0]), parse_name(line[quoted.end() + 1 :])
    elif line[middle : middle + 1] == b" " and not line.startswith(b'"'):
        old, new = line[:middle], line[middle + 1 :]
    elif match := _PREFIXED.fullmatch(line[:_MAX_NAMES]):
        old, new = match[1], match[3]
    else:
        return None
    return without_sides(old, new) if old and new else None


def parse_names(old: bytes, new: bytes) -> Names | None:
    """Parse the names in `--- old` and `+++ new`, without their prefixes; None if malformed."""
    first, second = parse_name(old), parse_name(new)
    if not first or not second or first == second == DEV_NULL:
        return None
    return without_sides(first, second)


def names_at(scanner: Scanner, distance: int = 0) -> Names | None:
    """Parse the names in a `---` and a `+++` line, `distance` lines on; None without them."""
    old, new = scanner.peek(distance), scanner.peek(distance + 1)
    is_header = old.startswith(b"--- ") and new.startswith(b"+++ ")
    return parse_names(old[4:], new[4:]) if is_header else None


def parse_name(name: bytes) -> bytes | None:
    """Parse a name: without quotes, timestamp or padding. None if it is malformed."""
    if name.startswith(b'"'):
        quoted = QUOTED.match(name)
        return unquote(quoted[0]) if quoted else None
    name, tab, _ = name.partition(b"\t")
    if not tab:
        name = name.rstrip(b"\r ")
        name = name[:-_MAX_DROPPED] + _DROPPED.sub(b"", name[-_MAX_DROPPED:], count=1)
    return name[1:-1] if len(name) > 2 and name[:1] == name[-1:] == b"`" else name


def without_sides(old: bytes, new: bytes) -> Names:
    """Remove the prefixes of git from two names."""
    if DEV_NULL in (old, new):
        old, new = old.removeprefix(b"a/"), new.removeprefix(b"b/")
        return (None, new) if old == DEV_NULL else (old, None)
    if _SIDES.fullmatch(old[:2] + new[:2]):
        return old[2:], new[2:]
    rest, other = old.partition(b"/")[2], new.partition(b"/")[2]
    if rest == other and old != new and rest[:1] not in b"/":
        return rest, rest  # as `git apply -p1` reads them, whatever the prefixes are
    return old, new
