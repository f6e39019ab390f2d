"""What the model of the clients sends: patches, and edits of a string, as models spoil them.

Both are in JSON beside this file: `cases.json` has patches with the files that they are for, where
`DIR/` stands for the directory of the case; `edits.json` has edits whose old string is not in the
file as it stands, with the result that is meant, written by hand: null if none may be placed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class Case(NamedTuple):
    """A patch, and the files that it is for, below the directory of the case."""

    name: str
    files: dict[str, bytes]
    patch: str

    def in_directory(self, directory: str) -> str:
        """Return the patch with its paths below `directory`."""
        return self.patch.replace("DIR/", f"{directory}/")


class SpoiledEdit(NamedTuple):
    """An old string that is not in the file as it stands, or not once, and what is meant."""

    name: str
    data: bytes
    old: str
    new: str
    wanted: bytes | None
    """The file afterwards; None if nothing may be placed."""
    every: bool


CASES = [
    Case(row["name"], {name: text.encode() for name, text in row["files"].items()}, row["patch"])
    for row in json.loads((_HERE / "cases.json").read_text("utf-8"))
]
EDITS = [
    SpoiledEdit(
        *(row["name"], row["before"].encode(), row["old"], row["new"]),
        *(row["after"] and row["after"].encode(), row.get("every", False)),
    )
    for row in json.loads((_HERE / "edits.json").read_text("utf-8"))
]
PLACED = [edit for edit in EDITS if edit.wanted is not None]
NOT_PLACED = [edit for edit in EDITS if edit.wanted is None]
