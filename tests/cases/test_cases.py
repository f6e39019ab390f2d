"""Run every case of the text files in `cases` against files in memory."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mender import corrected_text
from sandbox import Sandbox, Tree
from scenario import Scenario, ScenarioError, place_of, read_cases

from git_opatch import (
    Ambiguous,
    Format,
    Matching,
    Options,
    ParseError,
    Tier,
    parse_patch,
    plan_in_memory,
)
from git_opatch.locate import place
from git_opatch.locate.reading import Sought
from git_opatch.locate.search import seek
from git_opatch.model.patch import Hunk
from git_opatch.model.placement import Likeness
from git_opatch.plan.plan import PlacedHunk, Plan
from git_opatch.report.fields import TABLES
from git_opatch.report.values import FailureValues, Sections

_CASES = Path(__file__).parent
_FILES = {
    str(path.relative_to(_CASES).with_suffix("")): read_cases(path.read_bytes())
    for path in sorted(_CASES.glob("*/**/*.txt"))
}
_EACH = {f"{file}: {name}": case for file, cases in _FILES.items() for name, case in cases.items()}

_OPTIONS = argparse.ArgumentParser(exit_on_error=False)
_OPTIONS.add_argument("--format", type=Format)
_OPTIONS.add_argument("--match", type=Tier, default=Tier.FUZZY)
_OPTIONS.add_argument("--ambiguous", type=Ambiguous, default=Ambiguous.REFUSE)
_OPTIONS.add_argument("--directory", default="")
for flag in ("--reverse", "--overwrite", "--skip-applied"):
    _OPTIONS.add_argument(flag, action="store_true")


@pytest.mark.parametrize("name", _EACH)
def test_case(name: str) -> None:
    """It ends as it says, and no hunk is located more than twice: in the file as it is, and as
    others leave it, or as it was before them."""
    case, (planned, located) = _EACH[name], _planned(name)
    assert _outcome_of(case, planned) == (case.after or case.lines("refused"))
    assert located <= 2
    if "placed" in case.texts and isinstance(planned, Plan):
        assert _placed(planned) == case.lines("placed")


@cache
def _planned(name: str) -> tuple[Plan | ParseError, int]:
    """Plan a case once for all tests; return how often a hunk was located at most, too."""
    count = Counter[int]()

    def counted(hunk: Hunk, *rest: Any) -> Sought:
        count[hunk.number] += 1
        return seek(hunk, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, "seek", counted)
        return _attempt(_EACH[name]), max(count.values(), default=0)


_WRAPPERS: dict[str, Callable[[str], str]] = {
    "prose": "Do this:\n\n{}".format,
    "heredoc": "apply_patch <<'E O F'\n{}E O F\n".format,
    "json": lambda text: json.dumps({"patch": text}),
    "crlf": lambda text: text.replace("\n", "\r\n"),
}
_FORMATS = ("parse/envelope/", "parse/unified/", "parse/search-replace/", "parse/file-changes/")


@pytest.mark.parametrize("wrapper", _WRAPPERS)
def test_a_wrapper_changes_nothing(wrapper: str) -> None:
    """A patch is read in every wrapper as it is without it, if it has no odd bytes at its edges."""
    plain = {
        name: case
        for name, case in _EACH.items()
        if name.startswith(_FORMATS) and case.after and case.texts["given"].isascii()
    }
    differing = []
    for name, case in plain.items():
        text = case.texts["given"].decode().removesuffix("\n") + "\n"
        wrapped = {"given": _WRAPPERS[wrapper](text).encode()}
        if not set(text) & set("\r\x0c") and _outcome(replace(case, texts=wrapped)) != case.after:
            differing.append(name)
    assert len(plain) > 300
    assert differing == []


def test_git_agrees(repo: Sandbox) -> None:
    """`git apply` of all completed diffs makes the same files, `git diff` writes the same bytes.

    Each case is in a directory of its own. Of equal lines git may take others for those changed.
    """
    diffs: list[tuple[str, bytes]] = []
    before: Tree = {}
    after: Tree = {}
    for number, (name, case) in enumerate(_EACH.items()):
        if not case.after or "--directory" in case.head.get("options", ""):
            continue
        inside = {f"{number}/{path}": file for path, file in case.before.items()}
        plan = _plan(replace(case, before=inside), directory=str(number))
        diffs += ((name, diff) for diff in _FILE_DIFF.split(plan.completed.diff)[1:])
        before |= inside
        after |= {f"{number}/{path}": file for path, file in case.after.items()}
    repo.commit({path: content for path, (_, content) in before.items()})
    repo.git("apply", "--index", "--whitespace=nowarn", feed=b"".join(diff for _, diff in diffs))
    assert repo.files() == after
    written = repo.git("diff", "--cached", "--full-index", "--no-renames")
    theirs = {_head(diff): diff for diff in _FILE_DIFF.split(written)[1:]}
    count, others = Counter(_head(diff) for _, diff in diffs), []
    for name, diff in diffs:
        if count[_head(diff)] == 1 and b"\nsimilarity index " not in diff:
            git = theirs[_head(diff)].replace(b'"\t\n', b'"\n')  # a tab, where a name has a space
            assert sorted(diff.split(b"\n")) == sorted(git.split(b"\n"))
            others += [name] if diff != git else []
    assert len(others) < 12
    assert not [name for name in others if name.startswith("complete/")]


_FILE_DIFF = re.compile(rb"(?m)^(?=diff --git )")


def _head(diff: bytes) -> bytes:
    return diff.partition(b"\n")[0]


def test_in_reverse_a_patch_gives_what_was_there() -> None:
    """Or it is refused, but for what the patch does not show: a file that it overwrites, a mode,
    and newlines at the end; and where nothing but the order of its hunks tells two places apart.
    """
    other = set()
    for name, case in _exact_cases():
        back = _outcome(replace(case, head={"options": "--reverse"}, before=case.after))
        if not isinstance(back, list) and _texts(back) != _texts(case.before):
            other.add(name.partition(":")[0])
    assert other <= _OUT_OF_ORDER


def test_a_patch_that_is_sent_again_is_not_applied_again() -> None:
    """But where the lines that it shows are there at another position, too, or it appends twice,
    or swaps names.
    """
    again = {
        name.partition(":")[0]
        for name, case in _exact_cases()
        if not isinstance(_outcome(replace(case, before=case.after)), list)
    }
    assert again <= _TWO_POSITIONS


_OUT_OF_ORDER = {
    "locate/twins/lines-that-occur-elsewhere-are-not-evidence-alone",
    "locate/twins/various",
}
_TWO_POSITIONS = {
    "complete/modes-and-swaps-as-git-writes-them",
    "locate/applied/a-change-that-is-not-applied",
    "locate/evidence/a-hunk-with-enough-context-is-unique",
    "locate/evidence/various",
    "locate/line-endings/line-endings-are-compared-in-a-mixed-file",
    "locate/positions/a-change-that-is-not-applied-is-not-found",
    "locate/tiers/the-strictest-tier-decides",
    "plan/earlier-sections",
    "plan/lines-are-appended-to-a-file",
}


@cache
def _exact_cases() -> list[tuple[str, Scenario]]:
    """Return the cases whose patches show the lines as the files have them, by their names."""
    found = [
        (name, case)
        for name, case in _EACH.items()
        if case.after and "options" not in case.head
        if all(each.placement.exact and not each.placement.notes for each in _placed_in(name))
    ]
    assert len(found) > 1000
    return found


def test_a_hunk_needs_the_class_that_it_is_reported_with() -> None:
    """At a stricter one it is refused; at a looser one nothing changes.

    A hunk that changes nothing is not reported.
    """
    tiers, loose = list(Tier), 0
    for name, case in _EACH.items():
        if not case.after or "options" in case.head or name.startswith("parse/"):
            continue
        plan, _ = _planned(name)
        if not isinstance(plan, Plan) or plan.notes:
            continue
        needed = max((tiers.index(each.placement.tier) for each in plan.placed), default=0)
        for at, tier in enumerate(tiers[:-1]):  # the last one is the default
            outcome = _outcome(replace(case, head={"options": f"--match {tier.value}"}))
            assert isinstance(outcome, list) if at < needed else outcome == case.after, name
        loose += needed > 0
    assert loose > 200


def test_advice_that_is_followed_ends_another_way() -> None:
    """A case in `advice` begins with what refuses it, the one as advised is not refused by that."""
    for name in (name for name in _EACH if name.startswith("advice/")):
        planned, _ = _planned(name)
        failures = planned.failures if isinstance(planned, Plan) else ()
        reasons = {each.name for found in failures for each in (found.fault, found.hint) if each}
        refuses, is_followed = name.partition(": ")[2].split()[0], name.endswith(" as advised")
        assert (refuses in reasons) is not is_followed, name


def _texts(tree: Tree) -> dict[str, bytes]:
    return {path: text.rstrip(b"\r\n") for path, (_, text) in tree.items() if text}


def test_corrected_lines_correct_the_text() -> None:
    """A line that an error corrects is no error any more; of a line in a string it is not said."""
    corrected, known = 0, [case for case in _EACH.values() if "refused" in case.texts]
    for case in known:
        text, failures = case.texts["given"], _malformed(case.texts["given"])
        fixed = any(failure["fix"] for failure in failures)
        for _ in range(4):
            if any(failure["fix"] and not failure["string_line"] for failure in failures):
                text = corrected_text({"failures": failures}, text)
                failures = _malformed(text)
        assert all(failure["string_line"] or not failure["fix"] for failure in failures), text
        corrected += fixed and not failures
    assert corrected > 40


def _malformed(text: bytes) -> list[dict[str, Any]]:
    try:
        parse_patch(text)
    except ParseError as error:
        return [_failure(FailureValues.of_diagnostic(each)) for each in error.diagnostics]
    return []


_SHARED = "what: w\n%%% before a\nx\n%%% case one\n%%% given\ny\n%%% after a\nz\n"
_OWN = "%%% case two\noptions: --reverse\n%%% before b\nx\n%%% given\ny\n%%% refused\nm\n"


def test_cases_are_read_as_they_are_written() -> None:
    one, two = read_cases((_SHARED + _OWN).encode()).values()
    assert (one.before, two.before) == ({"a": ("100644", b"x\n")}, {"b": ("100644", b"x\n")})
    assert (two.head, two.lines("refused")) == ({"options": "--reverse"}, ["m"])
    for wrong in (_SHARED + _SHARED, _OWN.replace("options", "status"), _OWN.replace("given", "g")):
        with pytest.raises(ScenarioError):
            read_cases((_SHARED + wrong).encode())


def _attempt(case: Scenario) -> Plan | ParseError:
    try:
        return _plan(case)
    except ParseError as error:
        return error


def _outcome(case: Scenario) -> Tree | list[str]:
    """Return the files as the patch leaves them, or the reason and the place of each failure."""
    return _outcome_of(case, _attempt(case))


def _outcome_of(case: Scenario, planned: Plan | ParseError) -> Tree | list[str]:
    if isinstance(planned, ParseError):
        failures = [*map(FailureValues.of_diagnostic, planned.diagnostics)]
    else:
        failures = [FailureValues.of(failure, Sections(None)) for failure in planned.failures]
        if not failures:
            return _after(case.before, planned)
    return [place_of(_failure(failure)) for failure in failures]


def _failure(failure: FailureValues) -> dict[str, Any]:
    return TABLES["failure"].values(failure)


def _placed_in(name: str) -> Sequence[PlacedHunk]:
    planned, _ = _planned(name)
    return planned.placed if isinstance(planned, Plan) else ()


_TOLERATED = {
    Likeness.LETTERS,
    Likeness.QUOTES,
    Likeness.WIDTH,
    Likeness.COMMENT,
    Likeness.END,
}
"""In what only a line of context may differ."""


def _placed(plan: Plan) -> list[str]:
    """Return for each hunk how loosely it matched, what decided, and whether it was repaired."""
    return [
        f"hunk {placement.hunk.ordinal}, {placement.tier.value}, {placement.evidence.name.lower()}"
        + ", repaired" * bool(placement.repairs or _TOLERATED.intersection(placement.likeness))
        for _, placement in plan.placed
    ]


def _plan(case: Scenario, directory: str = "") -> Plan:
    asked = _OPTIONS.parse_args(case.head.get("options", "").split())
    options = Options(
        reverse=asked.reverse,
        overwrite=asked.overwrite,
        skip_applied=asked.skip_applied,
        directory=directory or asked.directory,
        matching=Matching(asked.match, asked.ambiguous),
    )
    patch = parse_patch(case.texts["given"], patch_format=asked.format)
    return plan_in_memory(patch, {path: text for path, (_, text) in case.before.items()}, options)


def _after(before: Tree, plan: Plan) -> Tree:
    after, contents = dict(before), plan.completed.contents()
    for change in plan.completed.changes:
        after.pop(change.path, None)
        if change.new:
            after[change.path] = (change.new.mode.value, contents[change.path])
    return after
