"""Text in columns as SVG that looks the same everywhere.

Each run of text is placed by its column, so that no renderer decides where it begins: leading
spaces are kept, a font with other advances moves nothing along, and no ligatures join characters.
The colours follow the reader's mode; on their own background they are right in either.
"""

from __future__ import annotations

import re
from html import escape

COLUMNS = 80
_WIDTH, _HEIGHT, _MARGIN = 8.4, 19, 16
_LIGHT = {
    "page": "#ffffff", "text": "#1c2128", "dim": "#57606a", "line": "#d0d7de", "soft": "#f0f2f5",
    "red": "#a0111f", "green": "#116329", "yellow": "#7a4d00", "blue": "#0a4f94",
    "cyan": "#0b5f6b", "removed": "#fdebec", "added": "#e6f6ea", "mark": "#ffe38a",
    "decides": "#e2effc", "refused": "#fde8e8",
}  # fmt: skip
_DARK = {
    "page": "#161b22", "text": "#e6eaef", "dim": "#9aa4af", "line": "#3d444d", "soft": "#1d232b",
    "red": "#ff9a94", "green": "#6fdd8b", "yellow": "#f0c365", "blue": "#8cc4ff",
    "cyan": "#76d9e6", "removed": "#3a1a1e", "added": "#12301d", "mark": "#6b4d06",
    "decides": "#12304f", "refused": "#431a1d",
}  # fmt: skip
_FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'


class Canvas:
    """What is drawn, by column and row, both from 0."""

    def __init__(self) -> None:
        self._boxes: list[str] = []
        self._texts: list[str] = []
        self._rows = 0

    def text(self, column: float, row: int, text: str, style: str = "") -> None:
        """Write `text`; `style` has the name of a colour, `bold`, or both."""
        if column + len(text) > COLUMNS:
            raise ValueError(f"wider than {COLUMNS} columns: {text}")
        self._rows = max(self._rows, row + 1)
        for found in re.finditer(r"\S+(?: \S+)*", text):  # runs without wider gaps
            run = found.group()
            names = f' class="{style}"' if style else ""
            x, y = self._at(column + found.start(), row)
            shown = escape(run.replace(" ", "\xa0"), quote=False)
            size = f'textLength="{len(run) * _WIDTH:.1f}"'
            self._texts.append(f'<text x="{x:.1f}" y="{y + 14:.0f}" {size}{names}>{shown}</text>')

    def box(self, column: float, row: float, width: float, height: float, style: str) -> None:
        """Fill a rectangle, or frame it with the style `frame`."""
        self._rows = max(self._rows, round(row + height))
        x, y = self._at(column, row)
        self._boxes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * _WIDTH:.1f}" '
            f'height="{height * _HEIGHT:.1f}" class="{style}"/>'
        )

    @staticmethod
    def _at(column: float, row: float) -> tuple[float, float]:
        return _MARGIN + column * _WIDTH, _MARGIN + row * _HEIGHT

    def svg(self, title: str) -> str:
        """Return the drawing, as high as its content."""
        width = COLUMNS * _WIDTH + 2 * _MARGIN
        height = self._rows * _HEIGHT + 2 * _MARGIN
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_style()}</style>",
            f'<rect x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="8" '
            'class="card"/>',
            *self._boxes,
            *self._texts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"


def _style() -> str:
    text = f"text {{ font: 14px {_FONT}; font-variant-ligatures: none; white-space: pre; }}"
    rules = [text, ".bold { font-weight: 700; }", ".frame { fill: none; stroke-width: 1; }"]
    return "\n".join([*rules, *_colours(_LIGHT), "@media (prefers-color-scheme: dark) {",
                      *_colours(_DARK), "}"])  # fmt: skip


def _colours(palette: dict[str, str]) -> list[str]:
    fills = [f".{name} {{ fill: {colour}; }}" for name, colour in palette.items()]
    card = f".card {{ fill: {palette['page']}; stroke: {palette['line']}; }}"
    return [f"text {{ fill: {palette['text']}; }}", *fills, card,
            f".frame {{ stroke: {palette['line']}; }}"]  # fmt: skip
