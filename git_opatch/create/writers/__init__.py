"""Write the sections of a patch in a format: a module for each, the inverse of its parser.

    write(sections) -> bytes        the whole patch

What a format cannot say is left out: `limits` says so before, and the proof finds out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from git_opatch.model.options import Format
from git_opatch.model.patch import FilePatch

Writer = Callable[[Sequence[FilePatch]], bytes]

_MODULES = {Format.OPERATIONS: "json_operations"}


def writer_of(patch_format: Format) -> Writer:
    """Import the writer of a format."""
    name = _MODULES.get(patch_format, patch_format.value.replace("-", "_"))
    write: Writer = import_module(f"{__name__}.{name}").write
    return write
