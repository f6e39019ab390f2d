"""How a plan is come by: from the text of a patch, or from the journal's record of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from git_opatch import journal
from git_opatch.advice import with_advice
from git_opatch.blob import Change
from git_opatch.errors import JournalError
from git_opatch.former import former_contents
from git_opatch.journal import Record
from git_opatch.options import Options, Past, Target
from git_opatch.patch import Patch
from git_opatch.plan import Plan, make_plan, named_paths, refuse_unsafe
from git_opatch.policy import refuse_by_policy
from git_opatch.repository import Repository
from git_opatch.snapshot import Snapshot, take_snapshot
from git_opatch.transaction import home_of
from git_opatch.transaction.guard import guard_parents


def plan_text(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch whose paths are resolved; back, too, by its record if there is one."""
    if not options.reverse:
        return _plan_forward(patch, repository, options)
    from git_opatch.drift import replaced  # what takes back is imported for that
    from git_opatch.reverse import reverse

    record = journal.find(home_of(repository), patch.digest, named_paths(patch))
    if record is not None:
        with suppress(JournalError):
            plan, snapshot = plan_recorded(record, repository, options)
            back = {Change(one.path, one.new, one.old) for one in record.changes}
            as_applied = set(plan.completed.changes) == back
            if not plan.failures and (as_applied or _beside(options)):
                if not all(section.states_content for section in patch.files):
                    plan.notes.append(f"taken back as it was applied, by record {record.number}")
                return plan, snapshot
    plan, snapshot = _plan_as_is(reverse(patch), repository, options, record)
    if record is not None and not plan.failures:
        failures = replaced(patch, record)
        plan = Plan(failures=failures) if failures else plan
    return plan, snapshot


def _plan_forward(patch: Patch, repository: Repository, options: Options) -> tuple[Plan, Snapshot]:
    """Plan a patch; where it does not apply, the journal may know that it was applied.

    It is not asked where all of it fits: who applies a patch again that fits may mean it.
    """
    plan, snapshot = _plan_as_is(patch, repository, options)
    if not (plan.failures or plan.skipped):
        return plan, snapshot
    from git_opatch.again import done_before, instead, without_done

    record = journal.find(home_of(repository), patch.digest, named_paths(patch))
    covers = record is not None and record.target in (options.target, Target.INDEX)
    done = done_before(patch, record, snapshot, plan) if record and covers else []
    if not done:
        return plan, snapshot
    if not (options.skip_applied or options.partial):
        plan.failures = instead(plan.failures, done)
        return plan, snapshot
    rest = without_done(patch.files, done)
    plan = _plan_as_is(Patch(rest, patch.digest), repository, options)[0] if rest else Plan()
    if options.skip_applied:
        plan.skipped += done
    else:
        plan.failures = [*done, *plan.failures]
    return plan, snapshot


def plan_recorded(
    record: Record, repository: Repository, options: Options
) -> tuple[Plan, Snapshot]:
    """Take back a recorded diff. Raises `JournalError` if it is damaged."""
    from git_opatch.drift import amiss, follow, patch_back

    patch = patch_back(record)

    def fitted(base: Snapshot) -> Patch:
        return follow(patch, record, base, repository, bare=_beside(options))

    plan, snapshot = _plan_as_is(patch, repository, options, record, fitted)
    if not plan.failures:
        plan.failures += amiss(patch, record, snapshot, plan.completed.changes)
        plan.notes.clear()  # that the record says what files held, goes without saying
    plan.undoes = record.number
    return plan, snapshot


def _beside(options: Options) -> bool:
    """Whether this is about files that have changes which are not staged, and stay so."""
    return options.carry and options.target is Target.WORKTREE


def _plan_as_is(
    patch: Patch,
    repository: Repository,
    options: Options,
    record: Record | None = None,
    fitted: Callable[[Snapshot], Patch] | None = None,
) -> tuple[Plan, Snapshot]:
    """`fitted` gives the patch as it is for the files that were found."""
    failures, paths = refuse_unsafe(patch), named_paths(patch)
    if not failures and options.target is not Target.CACHED and options.base is None:
        failures = guard_parents(repository.require_worktree(), paths)
    if failures:
        return Plan(failures=failures), Snapshot({})
    snapshot = take_snapshot(repository, [*paths, *options.policy.expected_paths], options)
    if failures := refuse_by_policy(patch, snapshot, repository, options):
        return Plan(failures=failures), snapshot
    former = former_contents(repository, patch, record)
    patch = fitted(snapshot) if fitted else patch
    plan = make_plan(patch, snapshot, options, repository.algorithm, former)
    if plan.failures and fitted is None and _looks_back(options):
        from git_opatch.travel import travel

        plan = travel(plan, patch, snapshot, repository, options, former)
    plan.failures = with_advice(plan.failures, repository, options)
    return plan, snapshot


def _looks_back(options: Options) -> bool:
    """Whether older versions are asked for; git merges in the index alone."""
    return options.past is not Past.LEAVE and options.target is not Target.WORKTREE
