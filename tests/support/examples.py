"""The number of examples of each generated test: `--hypothesis-profile many` for more, `fewest` for
runs that are slow."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("few", max_examples=6, deadline=None)
settings.register_profile("fewest", max_examples=3, deadline=None)
settings.register_profile("many", max_examples=12, deadline=None)
settings.load_profile("few")


def examples(times: float = 1, *health: HealthCheck) -> settings:
    """Return settings with `times` the examples of the profile, without the checks of `health`."""
    return settings(
        max_examples=max(int(times * settings().max_examples), 1), suppress_health_check=health
    )
