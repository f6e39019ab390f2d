"""`apply --commit`: a patch applied, and just that committed, by git's own `git commit`.

    order      which commits are to be, and what git is told of them
    series     several of them: all or none

One commit is made as a user would make it: the patch is applied to index and working tree and
recorded, then `git commit` commits the index. If a hook refuses, the change stays staged.
"""

from __future__ import annotations

from git_opatch import pending
from git_opatch.apply import apply_locked, check_patch
from git_opatch.branch import Head, commits_since, read_head, refuse_unfinished, staged
from git_opatch.commit.order import Part, Wish, parts_of
from git_opatch.commit.series import apply_series, plan_series, write_down
from git_opatch.errors import CommitError, Interrupted
from git_opatch.interrupted import tidy_up
from git_opatch.options import Options
from git_opatch.patch import Patch
from git_opatch.plan import NotCommitted, Plan
from git_opatch.plumbing import said
from git_opatch.porcelain import by_hand, commit, objection
from git_opatch.posthook import run_post_hook
from git_opatch.repository import Repository
from git_opatch.text import visible
from git_opatch.transaction import exclusive, held_signals, home_of


def check_commit(
    patch: Patch, repository: Repository, options: Options, wish: Wish
) -> tuple[Plan, int]:
    """Decide, and touch nothing; gives how many commits there would be, too.

    Raises as `commit_patch` does before it changes anything.
    """
    parts = parts_of(patch, wish, reverse=options.reverse)
    _prepared(parts, repository)
    plan = check_patch(patch, repository, options)
    if len(parts) > 1:
        return plan, len(plan_series(parts, repository, options))
    return plan, int(bool(plan.completed.changes))


def commit_patch(
    patch: Patch, repository: Repository, options: Options, wish: Wish, name: str = ""
) -> Plan:
    """Apply `patch`, called `name` in the journal, and commit it; the plan has the commits.

    Raises as `apply_patch` does, `CommitError` if nothing can be committed here, and
    `NotCommitted` if git would not commit what was applied.
    """
    parts = parts_of(patch, wish, reverse=options.reverse)
    repository.require_worktree()
    home, refused = home_of(repository), None
    with exclusive(home) as lock:
        tidy_up(repository)
        head = _prepared(parts, repository)
        try:
            if len(parts) > 1:
                plan = apply_series(parts, patch, repository, options, lock, name, wish.quiet)
            else:
                plan = _apply_one(parts[0], head, patch, repository, options, lock, name, wish)
        except NotCommitted as error:
            refused, plan = error, error.plan
        except (Interrupted, KeyboardInterrupt):
            if not pending.is_pending(home):
                raise
            found = pending.finish(repository, home) or ["it had been committed by then"]
            raise Interrupted("; ".join(["interrupted", *found])) from None
        finally:
            pending.end(home)
    run_post_hook(plan, repository)
    if refused:
        raise refused
    return plan


def _prepared(parts: list[Part], repository: Repository) -> Head:
    """HEAD, which the index must be equal to, as git revert wants it. Raises `CommitError`."""
    refuse_unfinished(repository)
    head = read_head(repository)
    if others := staged(repository, head):
        if unmerged := repository.unmerged():
            path = visible(unmerged[0])
            raise CommitError(f"`{path}` is unmerged: resolve that first; nothing was changed")
        names = ", ".join(visible(one.path) for one in others[:3])
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        raise CommitError(
            f"other changes are staged, and --commit commits just the patch: {names}{more}\n"
            "commit them, or `git stash`, first; nothing was changed"
        )
    for part in parts:
        if words := objection(repository, part.order):
            raise CommitError(f"git would not commit: {said(words)}\nnothing was changed")
    return head


def _apply_one(
    part: Part,
    head: Head,
    patch: Patch,
    repository: Repository,
    options: Options,
    lock: int,
    name: str,
    wish: Wish,
) -> Plan:
    home = home_of(repository)
    plan = apply_locked(
        patch, repository, options, lock, name, lambda _: pending.begin(home, head, 1)
    )
    if not plan.completed.changes:
        return plan
    if read_head(repository) != head or set(staged(repository, head)) != set(
        plan.completed.changes
    ):
        raise NotCommitted("not committed: somebody changed the index or HEAD meanwhile", plan)
    with held_signals():
        ended = commit(repository, part.order, lock, quiet=wish.quiet)
        made = commits_since(repository, head.id, read_head(repository).id)[:1]
        plan.commits = tuple(commit for commit, _ in made)
        write_down(plan, repository)
    if not made:
        why = said(ended.words)
        again = by_hand(part.order, home / "message")
        what = f"not committed: git commit refused{why and ': '}{why}"
        raise NotCommitted(what, plan, again=again)
    return plan
