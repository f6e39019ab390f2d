"""All or nothing: the lock, the record, git's writing, and how it is undone after a failure."""

from git_opatch.transaction.check import check_diff
from git_opatch.transaction.files import Kept
from git_opatch.transaction.lock import (
    AT_WORK,
    after_commit,
    deferred_signals,
    is_locked,
    locked,
    retry_while_locked,
)
from git_opatch.transaction.perform import run_transaction
from git_opatch.transaction.record import (
    ChangeSet,
    TransactionRecord,
    has_incomplete,
    has_transaction,
    state_dir,
)
from git_opatch.transaction.recover import recover
from git_opatch.transaction.restore import Restored
from git_opatch.transaction.temporary_repository import can_be_written, temporary_repository

__all__ = [
    "AT_WORK",
    "ChangeSet",
    "Kept",
    "Restored",
    "TransactionRecord",
    "after_commit",
    "can_be_written",
    "check_diff",
    "deferred_signals",
    "has_incomplete",
    "has_transaction",
    "is_locked",
    "locked",
    "recover",
    "retry_while_locked",
    "run_transaction",
    "state_dir",
    "temporary_repository",
]
