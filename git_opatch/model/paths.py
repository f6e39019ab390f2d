"""Paths in patches: git's quoting, and the paths that no patch may name (D51).

A path is a `str` in the file system's encoding with surrogate escapes, relative to the
top of the working tree, with `/` between its parts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from git_opatch.model.sentences import Fault

_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_BYTES = {name: code for code, name in _ESCAPES.items()}
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
_PLAIN_PATHSPEC = re.compile(r"[\w./-]+")
_QUOTED_PART = rb'\\([0-3][0-7]{2}|[abtnvfr"\\])|([^"\\]+)'

# Code points that HFS+ ignores in a name (next_hfs_char in git's utf8.c).
_IGNORED_BY_HFS = dict.fromkeys(
    [0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
_LONGEST_PATH, _LONGEST_NAME = 4000, 255
# Its names on NTFS are those of is_ntfs_dotgitmodules in git's path.c.
_MODULES_FILE = r"\.gitmodules|gitmod~[1-4]|gi7eba~[1-9]"
_NOT_A_NAME = re.compile(
    r"~[\w.-]*/+(.+)|\$(?:[A-Z_][A-Z_0-9]*|\{\w+\})/+(.+)|[a-z][a-z0-9+.-]+:/+(.+)|: +(.+)"
    r"|\[[^\]]*\]\((?:[a-z]+:/+|\./)?(.+)\)|\*{1,2}([^*]+)\*{1,2}|`*([^`]+)`+|`+([^`]+)"
    r"|(.+?) +\((?:(?:a )?new(?: file)?|added|created|modified|updated|deleted|unchanged|original"
    r"|before|after|old|current)\)"
    r"|(.+?)(?::\d+(?:[:-]\d+)*|#L?\d+(?:-L?\d+)?|:(?:before|after|original)| +(?:#|//|<!--).*)"
    r"|(?:.+/)?(?:\.{3}|\u2026)/.+|(?:.*/)?<[\w ./-]+>.*"
)
"""What models write in place of a path, and the path in it."""
_OCTAL = re.compile(r'"?([^"]*(?:\\[23][0-7]{2}){2}[^"]*)"?')
_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/]|$)")


def quote(path: str) -> str:
    """Quote `path` with C escapes where git would; else return it as it is."""
    if _PLAIN.fullmatch(path):
        return path
    return '"' + "".join(map(_quoted_byte, os.fsencode(path))) + '"'


def pathspec(path: str) -> str:
    """Return the pathspec for `path` that means the same in every directory."""
    return f":/{path}" if _PLAIN_PATHSPEC.fullmatch(path) else f":(top,literal){path}"


def _quoted_byte(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def unquote(name: bytes) -> bytes | None:
    """Decode a C-quoted name, given with its quotes; None if malformed."""
    if len(name) < 2 or not (name.startswith(b'"') and name.endswith(b'"')):
        return None
    part_at = re.compile(_QUOTED_PART).match
    out, at, end = bytearray(), 1, len(name) - 1
    while at < end:
        part = part_at(name, at, end)
        if part is None:
            return None
        out += part[2] if part[2] is not None else _unescaped(part[1])
        at = part.end()
    return bytes(out)


def _unescaped(escape: bytes) -> bytes:
    name = escape.decode("ascii")
    return bytes([_BYTES[name] if name in _BYTES else int(name, 8)])


def normalise(path: str, directory: str = "", top: str = "") -> str:
    """Join `directory` and `path`, without empty and `.` parts, and without `..` that can be left
    out (D111).

    A path in the working tree at `top` may be absolute. As in git, no file is looked at: `a/../b`
    is `b`, whatever `a` is. A `..` that leaves the tree, or `.git`, stays and is refused.
    """
    if not directory and _is_plain(path):
        return path
    joined = f"{directory}/{path}" if directory and not path.startswith("/") else path
    parts: list[str] = []
    for part in joined.split("/"):
        if part == ".." and parts and parts[-1] != ".." and not _is_git_directory(parts[-1]):
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    plain = "/".join(parts)
    if not joined.startswith("/"):
        return plain
    inside = top.strip("/") + "/"
    return plain.removeprefix(inside) if top and plain.startswith(inside) else f"/{plain}"


def _is_plain(path: str) -> bool:
    """Return whether a path is relative, and no part of it is empty or begins with a dot."""
    return path[-1:] not in ("/", "") and path[0] not in "./" and not ("//" in path or "/." in path)


def parents(path: str) -> Iterator[str]:
    """The directories above `path`, outermost first."""
    slash = path.find("/")
    while slash > 0:
        yield path[:slash]
        slash = path.find("/", slash + 1)


def why_unsafe(path: str) -> Fault | None:
    """Why no patch may name `path`, or None if it may.

    Refuses what git refuses on any system (verify_path with core.protectNTFS and core.protectHFS
    on), so that a patch that applies here applies everywhere.
    """
    if not path:
        return Fault.EMPTY_PATH
    if "\0" in path:
        return Fault.NUL_IN_PATH
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        return Fault.OUTSIDE
    parts = path.replace("\\", "/").split("/")
    size = len(os.fsencode(path))
    if size > _LONGEST_NAME and (
        size > _LONGEST_PATH or any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts)
    ):
        return Fault.LONG_PATH
    if ".." in parts:
        return Fault.LEAVES
    if "git" in path.translate(_IGNORED_BY_HFS).lower() and any(map(_is_git_directory, parts)):
        return Fault.GIT_DIRECTORY
    return None


def name_meant(path: str) -> str | None:
    """Return the name that is meant by `path`, which is not one as it is; None if it may be one.

    It begins with a home directory, a variable or a scheme, has the marks of Markdown, the number
    of a line or a remark. It is empty where `path` leaves out a part.
    """
    match = _NOT_A_NAME.fullmatch(path)
    return next(filter(None, match.groups()), "").lstrip("/") if match else None


def without_octal(path: bytes) -> bytes:
    r"""Return the name that git quotes as `path`, maybe without the quotes: `\346\226\207`."""
    match = _OCTAL.fullmatch(os.fsdecode(path)) if b"\\" in path else None
    name = unquote(b'"' + os.fsencode(match[1]) + b'"') if match else None
    return name if name and _is_utf8(name) else path


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def portable(path: str) -> str:
    """Return a path as it is kept in a file: its bytes as UTF-8, in whatever locale this runs."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def native(kept: str) -> str:
    """Return the path that is kept as `portable` says. Raises `ValueError` if it is none."""
    return os.fsdecode(kept.encode("utf-8", "surrogateescape"))


def is_attributes_file(path: str) -> bool:
    """Return whether `path` is a `.gitattributes`, which says how files are read and written."""
    return path.rpartition("/")[2] == ".gitattributes"


def is_modules_file(path: str) -> bool:
    """Return whether any system could take `path` for `.gitmodules`, which must not be a link."""
    return re.fullmatch(_MODULES_FILE, _plain(path.rpartition("/")[2])) is not None


def _is_git_directory(part: str) -> bool:
    return _plain(part) in (".git", "git~1")


def _plain(part: str) -> str:
    """`part` without what HFS+ and NTFS ignore."""
    return part.translate(_IGNORED_BY_HFS).split(":")[0].rstrip(" .").lower()


_DOCUMENTS = (".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".rdoc", ".textile")
_DOCUMENT_NAME = (
    "authors|changelog|changes|contributing|contributors|copying|history|install|licen[cs]e|news"
    "|notice|readme|thanks|todo"
)
_READ_BY_PROGRAMS = r"(?:cmakelists|.*requirements.*|constraints.*|robots)\.txt"


def is_document(path: str) -> bool:
    """Return whether the file at `path` is prose, such as `README` or `notes.md`, by its name."""
    name = path.lower().rpartition("/")[2]
    if re.fullmatch(_READ_BY_PROGRAMS, name):
        return False
    return name.endswith(_DOCUMENTS) or re.fullmatch(_DOCUMENT_NAME, name) is not None
