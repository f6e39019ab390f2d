"""The README's pictures show what the commands print."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import draw


@pytest.mark.parametrize("name", draw.PICTURES)
def test_each_picture_shows_the_printed_output(name: str, tmp_path: Path) -> None:
    draw.make_repository(tmp_path)
    printed = draw.render(draw.PICTURES[name], tmp_path).export_text()
    picture = (draw.HERE / f"{name}.svg").read_text("utf-8")
    shown = re.findall(r"<text[^>]* y=\"[^>]*>(.*?)</text>", picture)
    assert len(printed) > 100
    assert _letters(html.unescape("".join(shown[1:]))) == _letters(printed)


def _letters(text: str) -> str:
    return "".join(text.replace("\xa0", " ").split())
