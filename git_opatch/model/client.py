"""The agents that git opatch works for: each applies patches, and asks its user, in its own way.

What differs between them is in a table, or a `match` without a default, where it is needed, so that
a new client is an error of types until each has said what it does.
"""

from __future__ import annotations

from enum import Enum


class Client(Enum):
    """A client of the hook; the value is how the command line calls it."""

    CLAUDE = "claude-code"
    CODEX = "codex"
    OPENCODE = "opencode"

    @property
    def title(self) -> str:
        """The client's own name, for messages."""
        return _TITLES[self]


_TITLES = {Client.CLAUDE: "Claude Code", Client.CODEX: "Codex", Client.OPENCODE: "OpenCode"}
