"""`git opatch batch`: judge many patches, each against its own base tree."""

from __future__ import annotations

import gc
import sys
import time
from contextlib import AbstractContextManager
from enum import Enum
from typing import IO

from git_opatch.batch.judge import NOT_JUDGED, Extras
from git_opatch.batch.pool import Pool, cores
from git_opatch.batch.run import Engine, Output, Tally, judge_all
from git_opatch.cli.groups import STANDARD_INPUT
from git_opatch.model.errors import InputError, Interrupted, OpatchError, UsageError
from git_opatch.report import batch as wording
from git_opatch.report.terminal import show, shows_progress, write_file


class EngineName(Enum):
    """What judges the tasks."""

    LOCAL = "local"
    RAY = "ray"


def batch(
    tasks: str = STANDARD_INPUT,
    output: str = "",
    jobs: int = 0,
    engine: EngineName = EngineName.LOCAL,
    address: str = "",
    diff: bool = False,
    tree: bool = False,
    html: str = "",
    quiet: bool = False,
    repositories: str = "",
) -> int:
    """Judge many patches, each against its own base tree; change nothing.

    A task has an `id`, a `patch` (or a `patch_file`), and a `repository` with a `base`, or `files`
    with their content; a row of a benchmark, such as SWE-bench, has an `instance_id`, a
    `base_commit`, a `repo` and a `model_patch`. The verdict is that of `git opatch apply` where
    the index is that tree. Each result is a line of JSON, in the order of completion. Exit status:
    0 all were judged, 1 some could not be.
    """
    if html and not output:
        raise UsageError("--html requires --output, the results that it is drawn from")
    gc.enable()
    start, tally = time.monotonic(), Tally({})
    opened_engine = _engine(engine, address, jobs, Extras(diff, tree))
    try:
        with _opened(tasks) as file, Output(output or None) as results, opened_engine as judging:
            tallies = judge_all(file, judging, results, repositories)
            if not quiet and shows_progress():
                tallies = wording.with_counts(tallies)
            for tally in tallies:  # noqa: B007 - the last one is reported
                pass
    except (KeyboardInterrupt, Interrupted):
        done = f"interrupted; {sum(tally.verdicts.values()):,} tasks have a result"
        done += "; to go on, give the same command again" * bool(output)
        raise Interrupted(done) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError) and not output:
            raise
        where = output or "standard output"
        raise InputError(f"cannot write results to `{where}`: {error.strerror}") from None
    failed = tally.verdicts.get(NOT_JUDGED, 0)
    summary = wording.summary(tally.verdicts, tally.before, time.monotonic() - start)
    if html:
        write_file(wording.draw_totals(output, summary), html)
    if failed or not quiet:
        show([*wording.not_judged(tally.not_judged, failed), summary], sys.stderr)
    return OpatchError.exit_status if failed else 0


def _engine(
    name: EngineName, address: str, jobs: int, extras: Extras
) -> AbstractContextManager[Engine]:
    if name is EngineName.RAY:
        from git_opatch.batch.ray_engine import RayEngine

        return RayEngine(jobs, extras, address)
    if address:
        raise UsageError("`--address` is that of a Ray cluster: add `--engine ray`")
    return Pool(jobs or cores(), extras)


def _opened(name: str) -> IO[bytes]:
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise InputError("standard input is closed; name a file of tasks")
        return sys.stdin.buffer
    try:
        return open(name, "rb")
    except OSError as error:
        raise InputError(f"cannot read tasks `{name}`: {error.strerror}") from None
