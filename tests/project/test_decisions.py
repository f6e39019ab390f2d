"""The table of rules: every rule that code cites is in it, and all that a row names is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

_TOP = Path(__file__).parents[2]
_TESTS = _TOP / "tests"
_PAGE = (_TOP / "docs/decisions.md").read_text()
_CITED = re.compile(r"\bD([1-9]\d{0,2})\b")
_MOST_WORDS = 5450


class _Rule(NamedTuple):
    number: str
    module: str
    shown_by: str


def _rules() -> list[_Rule]:
    rows = re.findall(r"(?m)^\| D(\d+) \|(.*)\|$", _PAGE)
    cells = [(number, [cell.strip() for cell in row.split("|")]) for number, row in rows]
    return [_Rule(number, found[1], found[4]) for number, found in cells]


def test_each_rule_has_one_row() -> None:
    numbers = [rule.number for rule in _rules()]
    assert len(numbers) > 100
    assert len(numbers) == len(set(numbers))


def test_each_cited_rule_is_in_the_table() -> None:
    numbers = {rule.number for rule in _rules()}
    pages = [_TOP / "README.md", _TOP / "CONTRIBUTING.md", *_TOP.glob("docs/*.md")]
    sources = [
        p for name in ("git_opatch", "tests", "benchmarks") for p in (_TOP / name).rglob("*.py")
    ]
    unknown = [
        f"{path.relative_to(_TOP)}: D{number}"
        for path in (*pages, *sources)
        for number in _CITED.findall(path.read_text())
        if number not in numbers
    ]
    assert unknown == []


@pytest.mark.parametrize("rule", _rules(), ids=lambda rule: f"D{rule.number}")
def test_what_a_row_names_is_there(rule: _Rule) -> None:
    assert (_TOP / "git_opatch" / rule.module).is_file()
    places = (_TESTS / rule.shown_by, _TESTS / "scenarios" / f"{rule.shown_by}.txt")
    assert any(place.exists() for place in places), rule.shown_by


def test_each_link_to_a_part_of_the_page_leads_there() -> None:
    headings = re.findall(r"(?m)^##+ (.+)$", _PAGE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    pages = [*_TOP.glob("*.md"), *_TOP.glob("docs/*.md"), *_TOP.glob("benchmarks/*.md")]
    links = [
        link for page in pages for link in re.findall(r"decisions\.md#([\w-]+)", page.read_text())
    ]
    assert set(links) <= anchors


def test_the_page_can_be_read() -> None:
    assert len(_PAGE.split()) <= _MOST_WORDS
