"""The tables of the pages that are measured again: each has a command, and each command a table."""

from __future__ import annotations

from pathlib import Path

import pytest

import figures

_TOP = Path(__file__).parents[2]
_FOUND = {
    block[2]: block[0]
    for page in figures.PAGES
    for block in figures.BLOCK.finditer((_TOP / page).read_text())
}


def test_each_table_has_a_command_and_each_command_a_table() -> None:
    assert _FOUND.keys() == figures.TABLES.keys()
    for command in figures.TABLES.values():
        assert (_TOP / "benchmarks" / command.split()[0]).is_file()


def test_every_marker_has_its_end() -> None:
    for page in figures.PAGES:
        text = (_TOP / page).read_text()
        assert text.count("<!-- figures: ") == text.count("<!-- end -->")
        assert len(figures.BLOCK.findall(text)) == text.count("<!-- end -->")


def test_a_table_is_written_into_each_page_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = "before\n<!-- figures: {} -->\nold\n<!-- end -->\nafter\n"
    for page in figures.PAGES:
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text(block.format("one") + block.format("two"))
    monkeypatch.setattr(figures, "_TOP", tmp_path)
    figures.write("two", "| 1 |\n")
    new = block.format("two").replace("old\n", "\n| 1 |\n\n")
    for page in figures.PAGES:
        assert (tmp_path / page).read_text() == block.format("one") + new
