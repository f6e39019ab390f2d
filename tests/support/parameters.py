"""Cases of a parametrized test, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def named(parameters: str, cases: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Return the decorator that runs a test for each value, or tuple of values, under its name."""
    return pytest.mark.parametrize(parameters, list(cases.values()), ids=list(cases))
