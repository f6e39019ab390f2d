"""The README's pictures show what the commands print."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import draw

_SVG = "{http://www.w3.org/2000/svg}"
_PICTURES = {name: (draw.HERE / f"{name}.svg").read_text("utf-8") for name in draw.NAMES}


def _letters(text: str) -> str:
    return re.sub(r"\[[0-9a-f]{4}\]", "", "".join(text.replace("\xa0", " ").split()))


def _texts(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(f"{_SVG}text"))


@pytest.mark.parametrize("name", draw.PICTURES)
def test_each_picture_shows_the_printed_output(name: str, tmp_path: Path) -> None:
    draw.make_repository(tmp_path)
    printed = "".join(line.plain for line in draw.printed(draw.PICTURES[name], tmp_path))
    assert len(printed) > 100
    shown = "".join(text.text or "" for text in _texts(_PICTURES[name]))
    assert _letters(shown) == _letters(printed)


@pytest.mark.parametrize("name", draw.PAGES)
def test_each_picture_of_a_page_is_as_it_is_drawn_now(name: str, tmp_path: Path) -> None:
    draw.make_repository(tmp_path)
    drawn = draw.draw_page(draw.PAGES[name], tmp_path).svg(f"git opatch: {name}")
    assert _PICTURES[name] == drawn
    assert ("If\xa0this\xa0place\xa0is\xa0meant:" in drawn) is (name == "ambiguous")


@pytest.mark.parametrize("name", draw.NAMES)
def test_nothing_is_clipped_and_no_space_is_lost(name: str) -> None:
    picture = ElementTree.fromstring(_PICTURES[name])
    width = float(picture.attrib["width"])
    texts = _texts(_PICTURES[name])
    assert texts
    for text in texts:
        assert " " not in (text.text or ""), "XML readers collapse spaces"
        assert float(text.attrib["x"]) + float(text.attrib["textLength"]) < width
        assert float(text.attrib["y"]) < float(picture.attrib["height"])
