"""Pages for a browser: one file each, which loads nothing and needs no script to be read.

The templates, the style and the script are in `page/`. All text of a patch or a file is escaped,
and the page's policy lets nothing run but our own script, by its hash.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
import webbrowser
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from itertools import count, groupby
from pathlib import Path
from string import Template

from git_opatch.model.errors import InputError
from git_opatch.model.picture import Mark, Picture, Row, elide
from git_opatch.model.text import visible
from git_opatch.report.draw import Spans, number_of, sides, title
from git_opatch.report.terminal import write_data, write_file
from git_opatch.report.view import Certainty, FileView, PartView, PatchView

_DATA = Path(__file__).with_name("page")
_CHANGES = {" ": "", "-": " d", "+": " a"}
_KINDS = {
    Mark.TOLERATED: "like",
    Mark.AROUND: "around",
    Mark.DECIDES: "decides",
    Mark.LEFT_OUT: "skipped",
    Mark.OMITTED: "skipped",
    **dict.fromkeys((Mark.OTHER, Mark.IN_PATCH, Mark.IN_FILE), "unlike"),
}
_FEW, _MOST_ROWS = 3, 400
_WIDTH, _LEAST = 1000, 6
"""The width of a map, and of its narrowest mark."""
_BLANKS_AT_END = re.compile(r"[ \t]+$")
_CODE = re.compile(r"`([^`]+)`")


class _Html(str):
    """Text that is HTML already; all other is escaped where it is filled in."""


@cache
def _templates() -> dict[str, Template]:
    text = (_DATA / "parts.html").read_text("utf-8")
    _, *pieces = re.split(r"<!-- part: (\w+) -->\n", text)
    return {
        name: Template(part.rstrip()) for name, part in zip(pieces[::2], pieces[1::2], strict=True)
    }


def _part(template: str, /, **values: object) -> _Html:
    """Fill a template; None and 0 are left empty."""
    filled = {
        name: value if isinstance(value, _Html) else escape(str(value or ""))
        for name, value in values.items()
    }
    return _Html(_templates()[template].substitute(filled))


def _joined(parts: Iterable[str]) -> _Html:
    return _Html("\n".join(parts))


def _text(text: str) -> _Html:
    """Escape a sentence, whose pieces between backquotes are code."""
    return _Html(_CODE.sub(r"<code>\1</code>", escape(text)))


def _optional(template: str, text: str) -> _Html:
    return _part(template, text=_text(text)) if text else _Html()


def deliver(page: bytes, output: str, *, opens: bool) -> None:
    """Write a page to the file `output`, else to standard output, and open it in a browser.

    What is only opened is in a temporary file, which the browser may read later. Raises
    `InputError`.
    """
    if opens and not output:
        file, output = tempfile.mkstemp(".html", "git-opatch-")
        os.close(file)
    if output:
        write_file(page, output)
    else:
        write_data(page)
    if opens and not webbrowser.open(Path(output).absolute().as_uri()):
        raise InputError(f"no browser opened; the page is in `{output}`")


def patch_page(view: PatchView) -> bytes:
    """Draw one patch."""
    drawn = _files(view.files, "h")
    return _page(view.verdict, view.counts, _messages(view), drawn, _part("legend"))


def patches_page(verdict: str, views: Sequence[PatchView]) -> bytes:
    """Draw several patches that were judged alone, the refused first; each row opens its view."""
    views = sorted(views, key=lambda view: [*Certainty].index(view.certainty), reverse=True)
    found = Counter(view.certainty.value for view in views)
    rows = [
        _part(
            "patch",
            certainty=_class(view),
            label=view.certainty.value,
            name=visible(view.name),
            counts=view.counts or view.verdict,
            verdict=_text(view.verdict),
            body=_joined([_messages(view), _files(view.files, f"p{number}-")]),
        )
        for number, view in enumerate(views, 1)
    ]
    counts = ", ".join(f"{found[word]} {word}" for word in found)
    return _page(verdict, counts, *rows, _part("legend"))


def totals_page(verdict: str, totals: Mapping[tuple[str, str], int], tasks: int) -> bytes:
    """Draw how many of the `tasks` of a batch have each verdict and reason, in words."""
    rows = [
        _part(
            "total", verdict=name, reason=reason, count=f"{count:,}", share=f"{count / tasks:.1%}"
        )
        for (name, reason), count in sorted(totals.items(), key=lambda total: -total[1])
    ]
    return _page(verdict, "", _part("totals", rows=_joined(rows)))


def _page(verdict: str, counts: str, *body: _Html) -> bytes:
    """Draw a page around `body`, with its style and script, and a policy that lets these alone."""
    style, script = (_Html((_DATA / name).read_text("utf-8")) for name in ("page.css", "page.js"))
    return _part(
        "page",
        title=verdict,
        command=visible(shlex.join(["git", "opatch", *sys.argv[1:]]), 1000),
        verdict=_text(verdict),
        counts=counts,
        body=_joined(body),
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
    ).encode()


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _messages(view: PatchView) -> _Html:
    return _part("messages", text="\n".join(view.messages)) if view.messages else _Html()


def _files(files: Iterable[FileView], first: str) -> _Html:
    """Draw the files of a patch; the ids of their hunks begin with `first`."""
    numbers = (f"{first}{number}" for number in count(1))
    return _joined(
        _part(
            "file",
            **file._asdict()
            | {
                "size": _lines(file.size) if file.size else "",
                "map": _map(file),
                "failure": _optional("failure", file.failure),
                "advice": _optional("advice", file.advice),
                "parts": _joined(_parts(file, numbers)),
            },
        )
        for file in files
    )


def _parts(file: FileView, numbers: Iterator[str]) -> Iterator[_Html]:
    """Draw the hunks of a file, and how many of its lines are between them."""
    end = 0
    for part in file.parts:
        shown = [row.position + 1 for row in part.pictures[0].rows if row.position is not None]
        if shown and shown[0] > end + 1:
            yield _part("gap", count=_lines(shown[0] - end - 1))
        end = max([end, *shown])
        drawn = [_picture(shown, file.path, part.number) for shown in part.pictures if shown.rows]
        yield _part(
            "hunk",
            **part._asdict()
            | {
                "id": next(numbers),
                "certainty": _class(part),
                "sentence": _text(part.sentence),
                "advice": _optional("advice", part.advice),
                "notes": _joined(_optional("note", note) for note in part.notes),
                "places": _joined(drawn),
            },
        )
    if 0 < end < file.size:
        yield _part("gap", count=_lines(file.size - end))


def _lines(count: int) -> str:
    return f"{count:,} line{'s' * (count != 1)}"


def _class(part: PartView | PatchView) -> str:
    return part.certainty.value.split()[0]


def _map(file: FileView) -> _Html:
    """Draw where in the file its hunks are, on a line as long as the file."""
    found = [
        (part, *own) for part in file.parts for shown in part.pictures if (own := shown.reread)
    ]
    if not found or not file.size:
        return _Html()
    scale = _WIDTH / file.size
    marks = [
        _part(
            "mark",
            certainty=_class(part),
            x=f"{min((first - 1) * scale, _WIDTH - _LEAST):.0f}",
            width=round(max((last - first + 1) * scale, _LEAST)),
            title=f"{part.name}: {part.verdict}, lines {first}-{last}",
        )
        for part, first, last in found
    ]
    lines = ", ".join(str(first) for _, first, _ in found[:20])
    return _part("map", label=f"hunks at {lines} of {file.size}", marks=_joined(marks))


def _picture(picture: Picture, path: str, number: int) -> _Html:
    rows = elide(picture.telling, _MOST_ROWS)
    has_left, has_right = (any(sides(row)[at] for row in rows) for at in (0, 1))
    drawn = []
    for kind, run in groupby(rows, lambda row: row.mark):
        group = [*map(_row, run)]
        folds = kind is Mark.LEFT_OUT and len(group) > _FEW
        text = _joined(group)
        drawn.append(_part("fold", count=_lines(len(group)), rows=text) if folds else text)
    return _part(
        "place",
        sides="both" if has_left and has_right else "left" if has_left else "right",
        patch=f"patch, line {number}" if number else "patch",
        title=_text(title(picture, path)),
        rows=_joined(drawn),
        more="",
        advice=_optional("choice", picture.advice),
    )


def _row(row: Row) -> _Html:
    one, two = sides(row)
    omitted = f"{_lines(row.size)} {row.note}" if row.mark is Mark.OMITTED else ""
    note = omitted or row.note or "add this line" * (row.mark is Mark.DECIDES)
    prefix = row.line.prefix.value if row.line else " "
    return _part(
        "row",
        kind=_KINDS.get(row.mark, "same"),
        change=_CHANGES[prefix],
        number=number_of(row.line) if row.line else "",
        line="" if row.position is None else row.position + 1,
        text=_cell(prefix, one),
        there=_cell(prefix, two),
        note=_part("tag", note=note) if note else "",
    )


def _cell(prefix: str, spans: Spans) -> _Html:
    """Draw a line: what differs is marked, and blanks at its end are shown."""
    if not spans:
        return _Html()
    pieces = [f"<mark>{escape(text)}</mark>" if style else escape(text) for text, style in spans]
    line = _BLANKS_AT_END.sub(r"<b>\g<0></b>", "".join(pieces))
    return _Html(f"<i>{prefix}</i>{line}" if prefix != " " else line or " ")
