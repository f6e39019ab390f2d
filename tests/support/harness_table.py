"""The table of harnesses, as a mapping."""

from __future__ import annotations

from git_opatch.parse.roles import TABLE


def harnesses() -> dict[str, dict[str, list[str]]]:
    """Return, for each harness, its names as it writes them, by their roles."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in TABLE.strip().splitlines():
        harness, _, pairs = line.partition(":")
        for pair in pairs.split():
            role, _, name = pair.partition("=")
            found.setdefault(harness, {}).setdefault(role, []).append(name)
    return found
