"""Refusals of patches that are well written, but could mean something else."""

from __future__ import annotations

from collections.abc import Sequence

from git_opatch.model.failure import Failure
from git_opatch.model.sentences import Reason

_DOUBTS = (Reason.UNCLEAR, Reason.CONTRADICTED)


def is_doubted(failures: Sequence[Failure]) -> bool:
    """Tell whether a patch was refused only for what it adds (D34, D38, D240)."""
    return bool(failures) and all(failure.reason in _DOUBTS for failure in failures)
