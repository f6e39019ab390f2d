"""What a file's name tells of its language: how its comments begin.

It must not look at a file's content.

A *kind* is the end of a name in lower case, such as `py`, or `makefile` where there is no dot.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

HASH, SLASHES = b"#", b"//"
BLOCK_COMMENTS: Mapping[bytes, bytes] = {b"/*": b"*/", b"<!--": b"-->"}
"""How a comment of several lines begins and ends."""

_LANGUAGES = (
    (
        (HASH,),
        "py pyi rb rake gemspec sh bash zsh fish ksh yml yaml toml pl pm r jl cmake mk ex exs nix "
        "tf hcl conf cfg ini properties coffee tcl awk ps1 graphql php nim cr bzl makefile "
        "dockerfile rakefile gemfile vagrantfile justfile gitignore gitattributes cmakelists "
        "requirements",
    ),
    (
        (SLASHES, b"/*"),
        "c h cc cpp cxx hh hpp hxx cs java js jsx mjs cjs ts tsx mts cts go rs swift kt kts scala "
        "dart php scss less zig proto groovy gradle vue svelte m mm sol v sv jsonc json5 d",
    ),
    ((b"/*",), "css sql"),
    ((b"--",), "sql lua hs elm adb ads vhd vhdl"),
    ((b";",), "lisp cl clj cljs el scm rkt asm s ini"),
    ((b"%",), "tex sty erl hrl"),
    ((b"<!--",), "html htm xhtml xml svg vue svelte"),
)
"""The marks that begin a comment, by the kinds of files."""
_MAX_REMEMBERED = 1000  # paths


@lru_cache(_MAX_REMEMBERED)
def kind_of(path: str) -> str:
    """Return the kind of the file at `path`; empty if its name is."""
    name = path.lower().rpartition("/")[2]
    stem, _, suffix = name.rpartition(".")
    if not (stem and suffix):
        return name.lstrip(".")
    if suffix == "txt" and "requirements" in stem:
        return "requirements"
    return stem if suffix == "txt" and stem == "cmakelists" else suffix


@cache
def comment_marks(kind: str) -> tuple[bytes, ...]:
    """Return the marks that begin a comment in files of this kind; none if it is not known."""
    return tuple(mark for marks, kinds in _LANGUAGES if kind in kinds.split() for mark in marks)
