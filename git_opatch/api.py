"""What programs import: each command's work as a function with a typed result.

docs/api.md has an example of each. Whatever a user, a model or a repository can do wrong is an
`OpatchError`, of the kind and with the exit status that the command would have.
"""

from git_opatch.action import Action, FileChange, verify
from git_opatch.apply import Refused, apply_patch, check_patch, plan_patch, undo_patch
from git_opatch.errors import (
    BusyError,
    Fault,
    ImplicitInvocation,
    JournalError,
    Kind,
    OpatchError,
    ParseError,
    RepositoryError,
    TransactionError,
)
from git_opatch.interrupted import finish_interrupted
from git_opatch.invocation import Invocation, detect
from git_opatch.journal import Record, entries, get
from git_opatch.options import Ambiguous, Dialect, Matching, Options, Target, Tier
from git_opatch.outcome import Failure, Nearest, Placement, Reason
from git_opatch.parse import is_patch, parse_patch
from git_opatch.patch import FilePatch, Hunk, Operation, Patch
from git_opatch.plan import Placed, Plan
from git_opatch.repository import Repository
from git_opatch.transaction import home_of


def record_of(repository: Repository, number: int | None = None) -> Record:
    """The journal's record with this number, or the newest.

    Raises `JournalError` if there is none, or if it cannot be read.
    """
    return get(home_of(repository), number)


def records_of(repository: Repository) -> list[Record]:
    """The journal's records that can be read, newest first."""
    found = (one for _, one in entries(home_of(repository)))
    return [one for one in found if isinstance(one, Record)]


__all__ = [
    "Action",
    "Ambiguous",
    "BusyError",
    "Dialect",
    "Failure",
    "Fault",
    "FileChange",
    "FilePatch",
    "Hunk",
    "ImplicitInvocation",
    "Invocation",
    "JournalError",
    "Kind",
    "Matching",
    "Nearest",
    "OpatchError",
    "Operation",
    "Options",
    "ParseError",
    "Patch",
    "Placed",
    "Placement",
    "Plan",
    "Reason",
    "Record",
    "Refused",
    "Repository",
    "RepositoryError",
    "Target",
    "Tier",
    "TransactionError",
    "apply_patch",
    "check_patch",
    "detect",
    "finish_interrupted",
    "is_patch",
    "parse_patch",
    "plan_patch",
    "record_of",
    "records_of",
    "undo_patch",
    "verify",
]
