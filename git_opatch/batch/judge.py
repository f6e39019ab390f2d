"""Judge a task: by the plan that `git opatch check` and `apply` make, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from types import SimpleNamespace
from typing import NamedTuple

from git_opatch.batch.task import Task, TaskLine, fields_of, id_of, task_of, valid_id
from git_opatch.git.object_repository import ObjectCache, ObjectRepository
from git_opatch.git.tree import changed_tree
from git_opatch.model.blob import Change, Entry, Mode, blob_id
from git_opatch.model.errors import OpatchError, RepositoryError
from git_opatch.model.options import Options
from git_opatch.model.patch import Patch
from git_opatch.model.text import visible
from git_opatch.operations.apply import plan_patch
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import named_paths, resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.report import document
from git_opatch.report.fields import TABLES
from git_opatch.report.outcome import Outcome

_MAX_CACHED = 96 << 20  # bytes, for all repositories together
_MAX_OPEN = 16
_ALGORITHM = "sha1"
"""Of the ids of files in memory."""
_DIGITS = 16  # 64 bits: a task that was changed has another digest
NOT_JUDGED = "error"
_PATCH_FILE = b'"patch_file"'
"""Such a patch may be large, and is read at its turn; the others are in memory in any case."""
_encode = json.JSONEncoder(separators=(",", ":")).encode


class Extras(NamedTuple):
    """What a result has beside the verdict and its reasons."""

    diff: bool = False
    tree: bool = False

    def digest(self, line: TaskLine) -> str:
        """Return what tells whether a result is of this task as it is now, and as wanted now."""
        text = b"%d %d " % self + (line.text or b"").strip()
        return hashlib.sha256(text).hexdigest()[:_DIGITS]


class TaskResult(NamedTuple):
    """The line of a result, and what is counted of it."""

    number: int
    verdict: str
    line: bytes


class _Read(NamedTuple):
    """A task whose patch was read: as it is given, and with its paths resolved.

    With an `error` it could not be, and the rest is unknown.
    """

    id: str | int | None
    error: OpatchError | None
    task: Task | None = None
    patch: Patch = Patch(())
    resolved: Patch = Patch(())


def _read(line: TaskLine) -> _Read:
    """Read the task on `line`, and its patch. Nothing is asked of a repository."""
    task_id: str | int | None = None
    try:
        fields = fields_of(line)
        task_id = valid_id(fields.get("id"))
        task = task_of(fields)
        patch = parse_patch(task.patch, patch_format=task.patch_format, source=task.source)
        options = task.options
        resolved = resolve_paths(patch, options)
        return _Read(task_id, None, task, patch, resolved)
    except Exception as error:  # the others go on
        return _Read(task_id, _known(error))


def _known(error: Exception) -> OpatchError:
    """Return `error`, or what is said of a fault of our own."""
    if isinstance(error, OpatchError):
        return error
    return OpatchError(f"judging it failed: {type(error).__name__}: {error}")


class Judge:
    """Judges tasks, one after the other; what it read of repositories is kept for the next."""

    def __init__(self, extras: Extras) -> None:
        self._extras = extras
        self._cache = ObjectCache(_MAX_CACHED)
        self._open: OrderedDict[str, ObjectRepository | RepositoryError] = OrderedDict()

    def judge(self, line: TaskLine) -> TaskResult:
        """Judge the task on `line`. What is wrong with it, or with us, is its result."""
        return next(self.judge_all([line]))

    def judge_all(self, lines: Sequence[TaskLine]) -> Iterator[TaskResult]:
        """Judge each task as `judge` does; what they are about is read at once (D360)."""
        read = [None if _PATCH_FILE in (line.text or b"") else _read(line) for line in lines]
        self._read_ahead(task for task in read if task)
        for at, line in enumerate(lines):
            task, read[at] = read[at] or _read(line), None
            try:
                outcome, tree = self._outcome(task)
                yield result_of(line, task.id, outcome, self._extras, tree)
            except Exception as error:  # the others go on
                yield not_judged(line, _known(error), self._extras)

    def _read_ahead(self, tasks: Iterable[_Read]) -> None:
        """Ask each repository once for what all of `tasks` are about in it."""
        wanted: dict[str, dict[str, list[str]]] = {}
        for read in tasks:
            if read.task and read.task.files is None:
                bases = wanted.setdefault(read.task.repository, {})
                bases.setdefault(read.task.options.base or "", []).extend(
                    named_paths(read.resolved)
                )
        for name in islice(wanted, _MAX_OPEN):
            with suppress(OpatchError):  # it is the result of each of them
                self._repository(name).read_ahead(wanted[name])

    def close(self) -> None:
        """End the processes of git."""
        while self._open:
            _close(self._open.popitem()[1])

    def _outcome(self, read: _Read) -> tuple[Outcome, str | None]:
        """Return what came of a task, and the tree that it would make, if that is wanted.

        Raises `OpatchError` if nothing can be judged there.
        """
        _, error, task, patch, resolved = read
        if error or task is None:
            raise error or ValueError("there is no task")
        base = self._repository(task.repository) if task.files is None else task.files
        if isinstance(base, ObjectRepository):
            base.read_ahead({task.options.base or "": named_paths(resolved)})
            base.tree_id(task.options.base or "")
        plan = plan_patch(patch, base, task.options)
        outcome = Outcome(task.options, resolved, whole=patch)
        if plan.failures:
            return outcome._replace(failures=plan.failures), None
        tree = _tree_after(plan, base, task.options) if self._extras.tree else None
        return outcome._replace(plan=plan), tree

    def _repository(self, name: str) -> ObjectRepository:
        """Return the repository at `name`. Raises `RepositoryError` if there is none."""
        opened = self._open.get(name)
        if opened is None:
            try:
                opened = ObjectRepository(name, self._cache)
            except RepositoryError as error:
                opened = RepositoryError(f"repository `{visible(name)}`: {error}")
            self._open[name] = opened
            if len(self._open) > _MAX_OPEN:
                _close(self._open.popitem(last=False)[1])
        self._open.move_to_end(name)
        if isinstance(opened, RepositoryError):
            raise opened
        return opened


def _close(repository: ObjectRepository | RepositoryError) -> None:
    if isinstance(repository, ObjectRepository):
        repository.close()


def _tree_after(plan: Plan, base: ObjectRepository | Mapping[str, bytes], options: Options) -> str:
    """Return the id of the base's tree after `plan`, which is computed and not written."""
    if isinstance(base, ObjectRepository):
        return base.changed_tree(options.base or "", plan.completed.changes)
    before = [
        Change(path, None, Entry(Mode.REGULAR, blob_id(data, _ALGORITHM)))
        for path, data in base.items()
    ]
    after = {change.path: change for change in (*before, *plan.completed.changes)}
    return changed_tree(None, after.values(), _ALGORITHM, lambda _: {})


def not_judged(line: TaskLine, error: OpatchError, extras: Extras) -> TaskResult:
    """Return the result of a task that could not be judged."""
    outcome = Outcome(Options(), Patch(()), error=error)
    return result_of(line, id_of(line), outcome, extras, None)


def result_of(
    task: TaskLine, task_id: str | int | None, outcome: Outcome, extras: Extras, tree: str | None
) -> TaskResult:
    """Render a result as a line of JSON; what a later run reads comes first (`output`)."""
    answer = document.answer_of(outcome)
    if not extras.diff:
        answer = answer._replace(diff=b"")
    verdict = answer.status
    row = SimpleNamespace(
        line=task.number,
        id=task_id,
        digest=extras.digest(task),
        verdict=verdict,
        tree=(tree or "") if extras.tree else None,  # null if there is none
        document=SimpleNamespace(exit_status=outcome.exit_status, answer=answer),
    )
    data = _encode(TABLES["result"].values(row))
    return TaskResult(task.number, verdict.value, data.encode("ascii") + b"\n")
