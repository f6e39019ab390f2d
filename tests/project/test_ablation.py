"""Every switch of the ablation runs, reaches its rule, and leaves the package as it was."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from scenario import read_cases

from ablation import RULES, Sample, off, run_all, run_without
from git_opatch.locate import outline, variants
from git_opatch.model import text as text_module
from model import Verdict
from peers import OWN
from trial import Outcome, Ran, plan

_CASES = Path(__file__).parents[1] / "cases"
_MOST = 12  # cases to run without a rule


def _attempt(base: dict[str, bytes], patch: bytes) -> Outcome:
    ran: Ran = plan(OWN, base, patch)
    return Outcome.EXACT if ran.success else Outcome.REFUSED


@pytest.fixture(scope="module")
def drawn() -> tuple[list[Sample], list[Outcome], dict[str, set[int]]]:
    """Cases of the tests, their outcomes, and which of them call what each rule switches off."""
    files = sorted(
        path for part in ("locate", "complete") for path in _CASES.glob(f"{part}/**/*.txt")
    )
    cases = [case for path in files for case in read_cases(path.read_bytes()).values()]
    samples = [
        Sample("drawn", "case", Verdict.MAY, partial(_attempt, base, case.texts["given"]))
        for case in cases
        for base in [{path: data for path, (_, data) in case.before.items()}]
    ]
    return (samples, *run_all(samples, list(RULES)))


@pytest.mark.parametrize("name", RULES)
def test_a_switch_reaches_its_rule_and_nothing_fails_without_it(
    name: str, drawn: tuple[list[Sample], list[Outcome], dict[str, set[int]]]
) -> None:
    samples, base, calls = drawn
    reached: Sequence[int] = sorted(calls.get(name, range(len(samples))))[:_MOST]
    assert reached
    outcomes = run_without(name, samples, base, {name: set(reached)})
    assert len(outcomes) == len(samples)
    assert [samples[at].attempt() for at in reached] == [base[at] for at in reached]


def test_an_exception_is_not_an_outcome() -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    samples = [
        Sample(
            "drawn",
            "case",
            Verdict.MAY,
            partial(_attempt, {"f": b"a\n"}, b"--- f\n+++ f\n@@\n-b\n+c\n"),
        )
    ]
    with pytest.raises(ZeroDivisionError), off(variants.variants_of, fail)():
        samples[0].attempt()


def test_a_switch_is_off_wherever_the_name_was_imported_and_then_on_again() -> None:
    original = text_module.indentation
    assert vars(outline)["indentation"] is original
    with off(original, None)():
        assert vars(outline)["indentation"] is None
        assert text_module.indentation is None
    assert vars(outline)["indentation"] is original
    assert text_module.indentation is original
