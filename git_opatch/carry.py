"""A patch beside changes that are not staged: what becomes of the working tree's files.

The patch was located in the index's version of a file, and in the working tree's. The two places
belong together where git's diff between the versions says so; then the outcomes differ by the
user's changes, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from git_opatch.blob import Blob
from git_opatch.complete import Completed, complete_results
from git_opatch.complete.draft import Content, Result
from git_opatch.complete.edits import Edit, apply_edits
from git_opatch.drift import followed
from git_opatch.errors import Kind
from git_opatch.options import Options
from git_opatch.outcome import Failure, Reason, Refused
from git_opatch.plan import Placed, Plan
from git_opatch.repository import Repository
from git_opatch.text import Text

_ATTRIBUTES = ".gitattributes"


def carry(
    here: Plan, there: Plan, changed: Collection[str], repository: Repository, options: Options
) -> Completed:
    """What is to become of the working tree, where `here` is what becomes of the index.

    `there` is the plan of the same patch for the working tree, `changed` are the files with
    unstaged changes. Raises `Refused` if those could not stay as they are.
    """
    failures = [*_never_carried(here, changed, options)] or [*_not_there(here, there, options)]
    theirs = {_key(two): two for two in there.completed.results if two.content is not None}
    results = []
    for one in here.completed.results if not failures else ():
        if one.old is None or one.old.path not in changed or one.content is None:
            results.append(one)
        elif one.content.copied:
            results.append(Result(None, one.path, Content(one.content.mode, one.content.text)))
        else:
            two = theirs.get(_key(one))
            failures += _contradictions(one, two, here, repository, options)
            results.append(two or one)
    if failures:
        raise Refused([*here.failures, *failures])
    return complete_results(results, repository.algorithm)


def ways_round(options: Options, there: Plan | None = None) -> str:
    """The commands that leave one of the versions alone; `there` as for `carry`."""
    as_they_are = (
        f"to patch the files as they are, without staging: {options.command_with('--worktree')}\n"
    )
    return (as_they_are if there and not there.failures and not options.commit else "") + (
        f"to patch the staged versions alone: {options.command_with('--cached')}"
    )


def _never_carried(here: Plan, changed: Collection[str], options: Options) -> Iterator[Failure]:
    """Files whose unstaged changes would have no place, or be read in another way."""
    for one in here.completed.results:
        if one.content is None and one.old is not None and one.old.path in changed:
            what = "would be deleted, and has changes that are not staged"
            yield Failure(Reason.UNSTAGED, what, one.path, advice=ways_round(options))
    paths = [change.path for change in here.completed.changes]
    for path in paths if len(paths) > 1 else ():
        if path.rpartition("/")[2] == _ATTRIBUTES:
            what = (
                "changes how files are read and written, and some of this patch have changes that "
                "are not staged"
            )
            advice = "apply this part of the patch by itself first"
            yield Failure(Reason.UNSTAGED, what, path, advice=advice)


def _not_there(here: Plan, there: Plan, options: Options) -> Iterator[Failure]:
    """What has a place in the index, and none in the working tree.

    What is there already, in a change that is not staged, cannot be passed over.
    """
    known = {(one.source, one.section, one.hunk) for one in here.failures}
    for one in there.failures:
        if (one.source, one.section, one.hunk) not in known:
            if one.message == "does not match":
                what = "does not match the working tree, only the index: unstaged changes touch it"
                advice = "commit or stash them first; sending the hunk again is no help"
                advice += f"\n{ways_round(options)}"
                yield one._replace(message=what, advice=advice, nearest=None)
                continue
            advice = one.advice or ways_round(options)
            certain = one.reason is not Reason.ALREADY_APPLIED
            what = f"{one.message}, in the working tree"
            yield one._replace(message=what, advice=advice, certain=certain)


def _key(one: Result) -> tuple[str, str | None]:
    """What is the same for both versions of a file."""
    return one.path, one.old.path if one.old else None


class _Contradiction(NamedTuple):
    """What is wrong, and the edit of the index's version that it is wrong with, if it is one."""

    message: str
    edit: Edit | None = None


class _Version(NamedTuple):
    """What a version of a file holds, and what the patch makes of it."""

    old: Blob
    content: Content

    @classmethod
    def of(cls, result: Result | None) -> _Version | None:
        """None for a file that comes or goes."""
        if result is None or result.old is None or result.content is None:
            return None
        return cls(result.old, result.content)


def _contradictions(
    one: Result, two: Result | None, here: Plan, repository: Repository, options: Options
) -> Iterator[Failure]:
    mine, theirs = _Version.of(one), _Version.of(two)
    if mine is not None and theirs is not None:
        found = _contradiction(mine, theirs, repository)
    else:
        found = _Contradiction("does not become in the working tree what it becomes in the index")
    if found is None:
        return
    placed = _placed(found.edit, one, here.placed) if found.edit else None
    hunk = placed.placement.hunk if placed else None
    yield Failure(
        Reason.CONTRADICTED,
        found.message,
        one.path,
        hunk=hunk.ordinal if hunk else 0,
        hunks=len(placed.section.hunks) if placed else 0,
        number=hunk.number if hunk else 0,
        source=placed.section.source if placed else "",
        section=placed.section.number if placed else 0,
        places=(found.edit.start,) if found.edit else (),
        advice=ways_round(options, Plan()),
        kind=Kind.MATCH,
    )


def _placed(edit: Edit, one: Result, placed: Sequence[Placed]) -> Placed | None:
    """The hunk that an edit comes from, where one section alone speaks of the file."""
    path = one.old.path if one.old else one.path
    own = [it for it in placed if path in (it.section.path, it.section.alternate)]
    if any(it.section is not own[0].section for it in own):
        return None
    return next(
        (
            it
            for it in own
            if it.placement.changed[0] <= edit.start and edit.stop <= it.placement.changed[1]
        ),
        None,
    )


def _contradiction(one: _Version, two: _Version, repository: Repository) -> _Contradiction | None:
    """Why the outcomes would differ by more, or by less, than the versions do."""
    modes = {one.old.entry.mode, two.old.entry.mode}
    if len(modes) > 1 and one.content.mode is not one.old.entry.mode:
        return _Contradiction("gets another mode, and has one already that is not staged")
    if not one.content.edits and not two.content.edits:
        return None
    drift = repository.differences(one.old.data, two.old.data)
    mine, theirs = one.content.edits, two.content.edits
    starts = {edit.start for edit in theirs}
    moved: list[Edit] = []
    for edit in mine:
        after = _moved(edit, starts, drift, two.old.text)
        if after is None or after.start not in starts:
            found = theirs[len(moved)] if len(mine) == len(theirs) else None
            return _Contradiction(_elsewhere(edit, after, found), edit)
        moved.append(after)
    if apply_edits(two.old.text, moved) == two.content.text:
        return None
    pairs = zip(mine, moved, theirs, strict=False)
    wrong = (edit for edit, after, found in pairs if after.lines != found.lines)
    what = "would add other lines to the working tree's version than to the staged one"
    return _Contradiction(what, next(wrong, None))


def _moved(
    edit: Edit, starts: Collection[int], drift: Sequence[tuple[range, int]], text: Text
) -> Edit | None:
    """`edit` where its lines went in the working tree's `text`; None if they were touched.

    Where the patch and the user both add lines, either may come first: `starts` say.
    """
    start = followed(edit.start, edit.stop, drift)
    if start is None:
        return None
    added = sum(count for lines, count in drift if lines.start == lines.stop == edit.start)
    if edit.start == edit.stop and start - added in starts:
        start -= added
    stop = start + edit.stop - edit.start
    if start == stop == len(text.lines) and not text.final_newline:
        return None  # the last line lost its newline, and would get it back
    return edit._replace(start=start, stop=stop)


def _elsewhere(edit: Edit, moved: Edit | None, found: Edit | None) -> str:
    there = f" and at line {found.start + 1} of the working tree's" if found else ""
    places = f"stands at line {edit.start + 1} of the staged version{there}"
    if moved is None:
        return f"{places}, where unstaged changes change the same lines"
    return f"{places}; git's diff between the two has it at line {moved.start + 1} there"
