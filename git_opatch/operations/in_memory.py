"""Plan and apply a patch against files that are only in memory: no repository, no git, no disk.

The decisions are those of the command; what needs a repository is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from git_opatch.git.snapshot import Snapshot
from git_opatch.model.blob import Blob, Entry, Mode, blob_id
from git_opatch.model.errors import UsageError
from git_opatch.model.failure import Refused
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.paths import parents
from git_opatch.model.reverse import reverse
from git_opatch.parse import patch_of
from git_opatch.plan.other_files import with_others
from git_opatch.plan.patch_paths import refuse_unsafe, resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.plan.sections import plan_together

_ALGORITHM = "sha1"
_DEFAULTS = Options()


def apply_to_text(
    patch: Patch | str | bytes, files: Mapping[str, str], options: Options = _DEFAULTS
) -> dict[str, str]:
    """Apply `patch` to `files`, the text of each by path; return the files as it leaves them.

    A moved file is at its new path, a deleted one is absent, and those that the patch does not
    name are as they were. Lines end as they do in `files`. Bytes that are not UTF-8 are surrogate
    escapes. With `partial`, hunks that cannot be placed are left out: the `failures` of
    `plan_in_memory` say which. Raises `ParseError`, `Refused` with all failures, `UsageError` as
    `plan_in_memory` does, and `TypeError` if `files` is not a mapping, or a file is not `str`.
    """
    _require_type(files, str, "for bytes: plan_in_memory")
    before = {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()}
    plan = plan_in_memory(patch, before, options)
    if plan.is_refused(options):
        raise Refused(plan.failures, options)
    removed = {change.path for change in plan.completed.changes if change.new is None}
    after = {path: text for path, text in files.items() if path not in removed}
    for path, content in plan.completed.contents().items():
        after[path] = content.decode("utf-8", "surrogateescape")
    return after


def plan_in_memory(
    patch: Patch | str | bytes, files: Mapping[str, bytes], options: Options = _DEFAULTS
) -> Plan:
    """Decide everything about `patch` against `files`, the bytes of each by path.

    Raises `ParseError`; `UsageError` if `options` has what only a repository can answer: a `base`,
    another `target` than the default, pathspecs, `ThreeWay`, `carry`, `commit` or `reject`; and
    `TypeError` if a file is not `bytes`.
    """
    _require_type(files, bytes, "for str: apply_to_text")
    _require_options_for_memory(options)
    ids = {path: blob_id(data, _ALGORITHM) for path, data in files.items()}
    blobs = {path: Blob(path, Entry(Mode.REGULAR, ids[path]), data) for path, data in files.items()}
    return plan_blobs(patch_of(patch), blobs, options, _ALGORITHM)


def _require_type(files: Mapping[str, object], wanted: type, otherwise: str) -> None:
    if not isinstance(files, Mapping):
        raise TypeError(f"files must map paths to contents, not be {type(files).__name__}")
    for path, content in files.items():
        if not isinstance(content, wanted):
            found = type(content).__name__
            raise TypeError(f"files[{path!r}] must be {wanted.__name__}, not {found}; {otherwise}")


def plan_blobs(patch: Patch, blobs: Mapping[str, Blob], options: Options, algorithm: str) -> Plan:
    """Decide everything about `patch` against `blobs`, by path; `algorithm` made their ids."""
    patch = resolve_paths(patch, options)
    if options.reverse:
        patch = reverse(patch)
    if failures := refuse_unsafe(patch, lambda: blobs):
        plan = Plan(failures=tuple(failures))
    else:
        plan = plan_together(patch, _snapshot_of(blobs), options, algorithm)
    return plan.with_failures(with_others(plan.failures, blobs)).attempted(options, "the file")


def _require_options_for_memory(options: Options) -> None:
    names = ("base", "target", "policy", "three_way", "carry", "commit", "reject")
    asked = [name for name in names if getattr(options, name) != getattr(_DEFAULTS, name)]
    if asked:
        raise UsageError(f"in memory there is no repository: leave out {', '.join(asked)}")


def _snapshot_of(blobs: Mapping[str, Blob]) -> Snapshot:
    folders = frozenset(parent for path in blobs for parent in parents(path))
    return Snapshot(blobs, tracked=frozenset(blobs), folders=folders, name="these files")
