"""What tells whether a file was touched since it was looked at."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple


class Stamp(NamedTuple):
    """What changes when a file is written to, replaced, or given another mode."""

    device: int
    inode: int
    mode: int
    size: int
    modified: int
    changed: int
    """When the inode was changed, in nanoseconds: also by a rename and by a link."""

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file that `lstat` found."""
        return cls(
            found.st_dev,
            found.st_ino,
            found.st_mode,
            found.st_size,
            found.st_mtime_ns,
            found.st_ctime_ns,
        )

    def is_same_content(self, other: Stamp) -> bool:
        """Return whether this is the same file, not written to; moved and linked at most."""
        return self[:-1] == other[:-1]  # without `changed`


def is_regular(path: str) -> bool:
    """Return whether a regular file is at `path`, and not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
