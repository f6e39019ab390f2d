"""Say in which other file the lines are that a hunk shows and its file has nowhere.

First those that the patch names are looked at, then the repository, with one call of git grep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from git_opatch.model.blob import Blob
from git_opatch.model.failure import Failure
from git_opatch.model.limits import SHOWN
from git_opatch.model.picture import WORD, Mark, Picture, Row, Shows
from git_opatch.model.sentences import Detail
from git_opatch.model.text import visible

Places = Mapping[bytes, Sequence[str]]
"""Where lines are, without the blanks around them: `path:line`, the first ones."""
_LEAST_WORDS = 2
_MOST_LINES, _AROUND = 40, 4


def with_others(
    failures: Sequence[Failure],
    blobs: Mapping[str, Blob],
    grep: Callable[[Sequence[bytes]], Places] | None = None,
) -> tuple[Failure, ...]:
    """Return the failures with a note on each line that another file has."""
    wanted = [*dict.fromkeys(t for each in failures for t in _nowhere(each))][:_MOST_LINES]
    if not wanted:
        return tuple(failures)
    found: dict[bytes, Sequence[str]] = {}
    for path, blob in blobs.items():
        lines = [] if blob.binary else [*map(bytes.strip, blob.text.lines)]
        there = set(lines)
        for text in wanted:
            if text in there:
                found[text] = [*found.get(text, ()), f"{path}:{lines.index(text) + 1}"]
    rest = [text for text in wanted if text not in found]
    if grep and rest:
        found |= grep(rest)
    return tuple(_with_excerpt(_noted(each, found), blobs) for each in failures)


def _is_lost(row: Row) -> bool:
    """Return whether it is a line of the patch, with words enough, that its file has not."""
    line = row.line if row.mark is Mark.IN_PATCH and not row.at else None
    return line is not None and len(WORD.findall(line.text)) >= _LEAST_WORDS


def _nowhere(failure: Failure) -> Iterator[bytes]:
    if failure.hunk and failure.picture:
        rows = (row for picture in failure.pictures for row in picture.rows if _is_lost(row))
        yield from (row.line.text.strip() for row in rows if row.line)


def _noted(failure: Failure, found: Places) -> Failure:
    def note(row: Row) -> Row:
        places = found.get(row.line.text.strip(), ()) if row.line and _is_lost(row) else ()
        places = [place for place in places if not place.startswith(f"{failure.path}:")]
        said = f"in {', '.join(visible(each) for each in places[:SHOWN])}"
        return row._replace(note=said) if places else row

    pictures = (p._replace(rows=tuple(map(note, p.rows))) for p in failure.pictures)
    return failure._replace(pictures=tuple(pictures))


def _with_excerpt(failure: Failure, blobs: Mapping[str, Blob]) -> Failure:
    """Show the lines of the other file of the patch, in place of an outline of its own."""
    rows = [
        row for picture in failure.pictures for row in picture.rows if row.note.startswith("in ")
    ]
    places = [row.note.removeprefix("in ").split(", ")[0].rpartition(":") for row in rows]
    path = next((path for path, _, _ in places if path in blobs), "")
    numbers = sorted({int(number) for other, _, number in places if other == path})
    if not path or not numbers[1:]:
        return failure
    lines, first = blobs[path].text.lines, max(numbers[0] - _AROUND, 0)
    last = min([at for at in numbers if at - numbers[0] < _MOST_LINES][-1] + _AROUND, len(lines))
    shown = tuple(Row(Mark.AROUND, at, lines[at]) for at in range(first, last))
    excerpt = Picture(Detail.IN_OTHER.fill(path=path), shown, shows=Shows.BLOCK)
    kept = [each for each in failure.pictures if each.title != Detail.OUTLINE.sentence]
    return failure._replace(pictures=(*kept, excerpt))


def grep_output(output: bytes, wanted: Sequence[bytes]) -> Places:
    """Read what `git grep -nzF` prints: for each wanted line its places."""
    found: dict[bytes, list[str]] = {}
    for line in output.split(b"\n"):
        path, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        if text.strip() in wanted:
            place = f"{path.decode('utf-8', 'surrogateescape')}:{number.decode()}"
            found.setdefault(text.strip(), []).append(place)
    return {text: places[:SHOWN] for text, places in found.items()}
