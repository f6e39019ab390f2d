"""The tiers: how a line is brought to its normal form before it is compared.

Each tier is a function on top of the one before, so that what matches at one matches at
every later one. Rules: the matching strategy, "Tiered Matching Logic".
"""

from __future__ import annotations

from collections.abc import Callable

from git_opatch.patch import Tier

Normalise = Callable[[bytes], bytes]


def strict(line: bytes) -> bytes:
    """The line itself, character for character."""
    return line


TIERS: dict[Tier, Normalise] = {Tier.STRICT: strict}
"""The tiers, strictest first."""
