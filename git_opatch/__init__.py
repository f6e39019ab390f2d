"""Apply patches as language models write them: exactly, or not at all.

What programs import: each command's work as a function with a typed result; `docs/api.md` has an
example of each. What a user, a model or a repository can do wrong raises an `OpatchError`, of the
kind and with the exit status that the command would have. A name is imported when it is first
asked for, so that `import git_opatch` costs nothing.
"""

# Without an import, so that the command can catch an interrupt that much earlier (D122).
TYPE_CHECKING = False

if TYPE_CHECKING:
    from git_opatch.agent.apply_patch_call import (
        Action,
        FileChange,
        Invocation,
        detect,
        verify,
    )
    from git_opatch.complete import (
        Completed,
        FileSummary,
    )
    from git_opatch.create import (
        CreatedPatch,
        NotExpressibleError,
    )
    from git_opatch.create.from_repository import (
        create_patch,
    )
    from git_opatch.git.repository import (
        Repository,
    )
    from git_opatch.journal import (
        Record,
        RecordAction,
    )
    from git_opatch.model.blob import (
        Change,
        Entry,
        Mode,
    )
    from git_opatch.model.errors import (
        BusyError,
        CommitError,
        Diagnostic,
        FixIt,
        ImplicitInvocation,
        InputError,
        Interrupted,
        JournalError,
        Kind,
        NotAppliedError,
        OpatchError,
        ParseError,
        RepositoryError,
        SystemCallError,
        TransactionError,
        UndoneError,
        UsageError,
    )
    from git_opatch.model.failure import (
        Failure,
        Refused,
    )
    from git_opatch.model.options import (
        Ambiguous,
        Format,
        Matching,
        Options,
        Target,
        ThreeWay,
        Tier,
    )
    from git_opatch.model.patch import (
        Anchor,
        Cell,
        FilePatch,
        Hunk,
        Line,
        Mail,
        Operation,
        Patch,
        Prefix,
        Quote,
        Replacement,
    )
    from git_opatch.model.picture import Picture
    from git_opatch.model.placement import (
        Evidence,
        Likeness,
        Placement,
    )
    from git_opatch.model.policy import (
        MaxFiles,
        PathRule,
        Policy,
    )
    from git_opatch.model.sentences import (
        Fault,
        Malformed,
        Reason,
    )
    from git_opatch.operations.apply import (
        apply_patch,
        check_patch,
        plan_patch,
    )
    from git_opatch.operations.in_memory import (
        apply_to_text,
        plan_in_memory,
    )
    from git_opatch.operations.log import (
        record_of,
        records_of,
    )
    from git_opatch.operations.recover import (
        Recovery,
        recover_interrupted,
    )
    from git_opatch.operations.undo import (
        redo_patch,
        undo_patch,
    )
    from git_opatch.parse import (
        is_patch,
        parse_patch,
    )
    from git_opatch.plan.plan import (
        PlacedHunk,
        Plan,
    )
    from git_opatch.report.refusal import (
        refusal_text,
    )

__version__ = "1.0.0"

_MODULE_OF = {
    "Action": "agent.apply_patch_call",
    "Ambiguous": "model.options",
    "Anchor": "model.patch",
    "BusyError": "model.errors",
    "Cell": "model.patch",
    "Change": "model.blob",
    "Picture": "model.picture",
    "CommitError": "model.errors",
    "Completed": "complete",
    "CreatedPatch": "create",
    "Diagnostic": "model.errors",
    "Entry": "model.blob",
    "Evidence": "model.placement",
    "Failure": "model.failure",
    "Fault": "model.sentences",
    "FileChange": "agent.apply_patch_call",
    "FilePatch": "model.patch",
    "FileSummary": "complete",
    "FixIt": "model.errors",
    "Format": "model.options",
    "Hunk": "model.patch",
    "ImplicitInvocation": "model.errors",
    "InputError": "model.errors",
    "Interrupted": "model.errors",
    "Invocation": "agent.apply_patch_call",
    "JournalError": "model.errors",
    "Kind": "model.errors",
    "Likeness": "model.placement",
    "Line": "model.patch",
    "Mail": "model.patch",
    "Malformed": "model.sentences",
    "Matching": "model.options",
    "Mode": "model.blob",
    "NotAppliedError": "model.errors",
    "NotExpressibleError": "create",
    "OpatchError": "model.errors",
    "Operation": "model.patch",
    "Options": "model.options",
    "ParseError": "model.errors",
    "Patch": "model.patch",
    "MaxFiles": "model.policy",
    "PathRule": "model.policy",
    "PlacedHunk": "plan.plan",
    "Placement": "model.placement",
    "Plan": "plan.plan",
    "Policy": "model.policy",
    "Prefix": "model.patch",
    "Quote": "model.patch",
    "Reason": "model.sentences",
    "Record": "journal",
    "RecordAction": "journal",
    "Recovery": "operations.recover",
    "Refused": "model.failure",
    "Replacement": "model.patch",
    "Repository": "git.repository",
    "RepositoryError": "model.errors",
    "SystemCallError": "model.errors",
    "Target": "model.options",
    "ThreeWay": "model.options",
    "Tier": "model.options",
    "TransactionError": "model.errors",
    "UndoneError": "model.errors",
    "UsageError": "model.errors",
    "apply_patch": "operations.apply",
    "apply_to_text": "operations.in_memory",
    "check_patch": "operations.apply",
    "create_patch": "create.from_repository",
    "detect": "agent.apply_patch_call",
    "is_patch": "parse",
    "parse_patch": "parse",
    "plan_in_memory": "operations.in_memory",
    "plan_patch": "operations.apply",
    "record_of": "operations.log",
    "records_of": "operations.log",
    "recover_interrupted": "operations.recover",
    "redo_patch": "operations.undo",
    "refusal_text": "report.refusal",
    "undo_patch": "operations.undo",
    "verify": "agent.apply_patch_call",
}

__all__ = [
    "Action",
    "Ambiguous",
    "Anchor",
    "BusyError",
    "Cell",
    "Change",
    "CommitError",
    "Completed",
    "CreatedPatch",
    "Diagnostic",
    "Entry",
    "Evidence",
    "Failure",
    "Fault",
    "FileChange",
    "FilePatch",
    "FileSummary",
    "FixIt",
    "Format",
    "Hunk",
    "ImplicitInvocation",
    "InputError",
    "Interrupted",
    "Invocation",
    "JournalError",
    "Kind",
    "Likeness",
    "Line",
    "Mail",
    "Malformed",
    "Matching",
    "MaxFiles",
    "Mode",
    "NotAppliedError",
    "NotExpressibleError",
    "OpatchError",
    "Operation",
    "Options",
    "ParseError",
    "Patch",
    "PathRule",
    "Picture",
    "PlacedHunk",
    "Placement",
    "Plan",
    "Policy",
    "Prefix",
    "Quote",
    "Reason",
    "Record",
    "RecordAction",
    "Recovery",
    "Refused",
    "Replacement",
    "Repository",
    "RepositoryError",
    "SystemCallError",
    "Target",
    "ThreeWay",
    "Tier",
    "TransactionError",
    "UndoneError",
    "UsageError",
    "apply_patch",
    "apply_to_text",
    "check_patch",
    "create_patch",
    "detect",
    "is_patch",
    "parse_patch",
    "plan_in_memory",
    "plan_patch",
    "record_of",
    "records_of",
    "recover_interrupted",
    "redo_patch",
    "refusal_text",
    "undo_patch",
    "verify",
]


def __getattr__(name: str) -> object:
    """Import a public name from the module that defines it."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names also before they are imported."""
    return sorted({*globals(), *__all__})
