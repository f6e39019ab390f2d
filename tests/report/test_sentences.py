"""All sentences of refusals, which no other test holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

from git_opatch.model import sentences
from git_opatch.model.failure import Failure
from git_opatch.model.sentences import Fault, Hint, Reason, fill

_SNAPSHOT = Path(__file__).with_name("sentences.txt")


def _sentences() -> Iterator[str]:
    """Yield each sentence of the module, and each advice."""
    for kind in vars(sentences).values():
        if isinstance(kind, type) and issubclass(kind, Enum) and kind not in (Enum, Reason):
            for member in kind:
                yield getattr(member, "sentence")  # noqa: B009
                yield getattr(member, "advice", "")


def test_the_sentences_are_those_of_the_snapshot() -> None:
    assert [*filter(None, dict.fromkeys(_sentences()))] == _SNAPSHOT.read_text().splitlines()


def test_no_other_test_holds_a_sentence() -> None:
    """They name it, by `phrases`; those of the reader hold what it says of each text."""
    pieces = {piece.strip() for text in _sentences() for piece in re.split(r"\{[^}]*\}", text)}
    sentences = [piece for piece in pieces if len(piece.split()) > 6]
    tests = _SNAPSHOT.parents[1]
    others = {*tests.rglob("*.py")} - {*tests.glob("parse/*"), Path(__file__)}
    texts = {path.name: path.read_text() for path in others}
    assert not [(name, held) for name, text in texts.items() for held in sentences if held in text]


@pytest.mark.parametrize("fault", Fault)
def test_advice_is_one_line_that_loosens_no_match(fault: Fault) -> None:
    assert "\n" not in fault.sentence + fault.advice
    assert not re.search(
        r"--(fuzz|match(?! strict)|ambiguous)|proximity|git opatch apply", fault.advice
    )


def test_every_reason_has_a_fault() -> None:
    assert {fault.reason for fault in Fault} == set(Reason)


def test_what_a_sentence_quotes_is_escaped_once_and_cut() -> None:
    failure = Failure(Fault.ANCHOR_MISSING, values={"kind": "anchor", "anchor": b" \x1b[2J{x}\n"})
    assert failure.message == "has the anchor `\\x1b[2J{x}`, which is not in the file"
    assert len(fill("{line}", {"line": b"x" * 500})) == 301


@pytest.mark.parametrize(
    ("fault", "mark"),
    [(Fault.STRING_OFTEN, ":"), (Fault.STRINGS_OVERLAP, ":"), (Fault.NOT_FOUND, "")],
)
def test_a_sentence_that_names_its_subject_follows_a_colon(fault: Fault, mark: str) -> None:
    failure = Failure(fault, hunk=1, hunks=2, values={"times": "2 times"})
    assert failure.sentence == f"hunk 1 of 2{mark} {failure.message}"


_NOT_TYPED = {
    # what nobody can do, or need not
    *("NOT_ALLOWED", "DENIED", "NO_FILES", "OLDER_AMBIGUOUS", "OLDER_DISAGREE", "OLDER_DRIVER"),
    *("OLDER_CONFLICT", "NO_VERSION"),
    # of another repository, a filter, or the hook of an agent, which have tests of their own
    *("SHALLOW", "PARTIAL", "QUOTE_MISSING", "CHANGED_ON_DISK", "FILTERED", "HERE"),
    # of hundreds of sections, and of hunks in another order than they say
    *("TOO_MANY_SECTIONS", "SHOWS_OTHERS"),
}


def test_each_advice_is_typed_as_it_is_given() -> None:
    """In a case or a session of `advice`, whose name begins with what refuses."""
    tests = _SNAPSHOT.parents[1]
    texts = (path.read_text() for path in tests.glob("*/advice/*.txt"))
    heads = (head for text in texts for head in re.findall("(?m)^%%% case (.*)", text))
    typed = {name for head in heads for name in re.findall("[A-Z0-9_]{3,}", head)}
    kinds: dict[str, set[str]] = {}
    for each in (*Fault, *Hint):
        kinds.setdefault(each.advice if isinstance(each, Fault) else each.sentence, set()).add(
            each.name
        )
    del kinds[""]
    assert [names for names in kinds.values() if not names & (typed | _NOT_TYPED)] == []


def test_a_hint_takes_the_place_of_the_advice() -> None:
    failure = Failure(Fault.NOT_FOUND, "a.py").with_hint(Hint.OLDER_VERSION, version="1f2e")
    assert failure.advice == "fits a.py as of 1f2e; `--3way` tries to merge it"
