"""Write a unified diff without line numbers; modes and renames in git's headers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from git_opatch.create.writers.hunk_lines import write_hunks
from git_opatch.model.blob import Mode
from git_opatch.model.patch import FilePatch, Operation
from git_opatch.model.paths import quote


def write(sections: Sequence[FilePatch]) -> bytes:
    """Write the diff of each section.

    If one has lines that belong below `diff --git`, all have that: else the next would be read as
    part of it.
    """
    git = any(line for section in sections for line in _git_lines(section))
    return b"".join(_header(section, git=git) + write_hunks(section) for section in sections)


def _header(section: FilePatch, *, git: bool) -> bytes:
    old, new = section.old_path, section.new_path
    lines = list(_git_lines(section))
    if git:
        first = f"diff --git {quote(f'a/{old or new}')} {quote(f'b/{new or old}')}"
        lines.insert(0, first)
    if section.hunks:
        lines += [f"--- {_name('a', old)}", f"+++ {_name('b', new)}"]
    return "".join(f"{line}\n" for line in lines).encode()


def _git_lines(section: FilePatch) -> Iterator[str]:
    """Yield what only git's own headers say."""
    old_mode, new_mode = section.old_mode, section.new_mode
    if section.operation is Operation.ADD:
        if new_mode and (new_mode is not Mode.REGULAR or not section.hunks):
            yield f"new file mode {new_mode.value}"
    elif section.operation is Operation.DELETE:
        if old_mode and (old_mode is not Mode.REGULAR or not section.hunks):
            yield f"deleted file mode {old_mode.value}"
    else:
        if old_mode and new_mode:
            yield f"old mode {old_mode.value}"
            yield f"new mode {new_mode.value}"
        if section.operation is Operation.MOVE:
            yield f"rename from {quote(section.old_path or '')}"
            yield f"rename to {quote(section.new_path or '')}"


def _name(side: str, path: str | None) -> str:
    """Return the name in a header, with the tab that ends one with spaces."""
    if path is None:
        return "/dev/null"
    name = quote(f"{side}/{path}")
    return name + ("\t" if " " in name and not name.startswith('"') else "")
