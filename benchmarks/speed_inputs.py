"""The inputs of the speed benchmark: files, a patch for them, and the expected result.

A patch is written three times: as an envelope, as a diff with invented line numbers that says
the same, for tools that read no envelope, and as the finished diff, with which git has nothing
left to find. Where nothing may apply there is no finished diff, and git refuses the second one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_INDENT = "    "
_WAYS = ("begin", "fetch", "check", "store", "report")
_INVENTED = 2  # as a line number; 1 would tell git that the file must begin so


@dataclass(frozen=True, slots=True)
class Case:
    """One input: the touched files before and after, and the patch in its three spellings.

    `after` is None where every tool should refuse. The repository has `background` other
    files.
    """

    before: dict[str, bytes]
    after: dict[str, bytes] | None
    envelope: bytes
    invented: bytes
    finished: bytes
    background: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; `make` builds its case."""

    name: str
    title: str
    make: Callable[[], Case]


@dataclass(frozen=True, slots=True)
class _Edited:
    """A file, the lines of it that are changed, and the lines of context round each."""

    path: str
    lines: Sequence[str]
    positions: Sequence[int]
    context: int = 3

    def hunk(self, place: int) -> list[tuple[str, str]]:
        """The prefixes and lines of the hunk that replaces one line by two."""
        old = self.lines[place]
        return [
            *((" ", line) for line in self.lines[place - self.context : place]),
            ("-", old),
            *(("+", line) for line in _new_lines(old)),
            *((" ", line) for line in self.lines[place + 1 : place + 1 + self.context]),
        ]

    def changed(self) -> list[str]:
        """The lines of the file once all hunks are applied."""
        lines, at = list[str](), 0
        for place in self.positions:
            lines += self.lines[at:place]
            lines += _new_lines(self.lines[place])
            at = place + 1
        return [*lines, *self.lines[at:]]


Spelling = Callable[[str, str], str]
"""How the patch spells a line with this mark."""


def _exactly(_: str, line: str) -> str:
    return line


def _case(
    files: Sequence[_Edited],
    spell: Spelling = _exactly,
    *,
    applies: bool = True,
    background: int = 0,
) -> Case:
    invented = "".join(_diff(file, spell, numbered=False) for file in files)
    finished = "".join(_diff(file, _exactly, numbered=True) for file in files)
    return Case(
        {file.path: _joined(file.lines) for file in files},
        {file.path: _joined(file.changed()) for file in files} if applies else None,
        _envelope(files, spell).encode(),
        invented.encode(),
        (finished if applies else invented).encode(),
        background,
    )


def _new_lines(old: str) -> tuple[str, str]:
    return (f"{old} # changed", f"{old} # added")


def _joined(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _envelope(files: Sequence[_Edited], spell: Spelling) -> str:
    text = ["*** Begin Patch\n"]
    for file in files:
        text.append(f"*** Update File: {file.path}\n")
        text += (f"@@\n{_body(file, place, spell)}" for place in file.positions)
    return "".join([*text, "*** End Patch\n"])


def _diff(file: _Edited, spell: Spelling, *, numbered: bool) -> str:
    text = [f"diff --git a/{file.path} b/{file.path}\n--- a/{file.path}\n+++ b/{file.path}\n"]
    size = 2 * file.context + 1
    for shift, place in enumerate(file.positions):
        old = place - file.context + 1 if numbered else _INVENTED
        new = old + shift if numbered else _INVENTED
        text.append(f"@@ -{old},{size} +{new},{size + 1} @@\n{_body(file, place, spell)}")
    return "".join(text)


def _body(file: _Edited, place: int, spell: Spelling) -> str:
    return "".join(f"{prefix}{spell(prefix, line)}\n" for prefix, line in file.hunk(place))


def _source(size: int, first: int = 0) -> list[str]:
    """Lines as of a program: four distinct ones, and an empty one."""
    return [
        f"{_INDENT}total_{at} = {_WAYS[at % 5]}(input_{at}, {at % 7})" if at % 5 < 4 else ""
        for at in range(first, first + size)
    ]


def _spread(size: int, count: int) -> list[int]:
    """Pick `count` positions in a file of `size` lines, never an empty line of `_source`."""
    return [(2 * at + 1) * size // (2 * count) // 5 * 5 + 1 for at in range(count)]


def _small() -> Case:
    return _case([_Edited("src/small.txt", _source(200), [100])])


def _many_files() -> Case:
    return _case(
        [
            _Edited(f"src/{at % 20:02}/file_{at}.txt", _source(100, 1000 * at), [25, 75])
            for at in range(1000)
        ]
    )


def _one_file(size: int, count: int) -> Callable[[], Case]:
    def make() -> Case:
        places = _spread(size, count)
        return _case([_Edited("src/large.txt", _source(size), places)])

    return make


def _dedented() -> Case:
    """Lines of three depths; the patch lacks the indentation that all of them have."""
    size = 100_000
    lines = [f"{_INDENT * (1 + at % 3)}call_{at}({at % 7})" for at in range(size)]
    file = _Edited("src/large.txt", lines, _spread(size, 500))
    return _case([file], lambda _, line: line.removeprefix(_INDENT))


def _equal() -> Case:
    """The context fits nearly everywhere, the removed line nowhere."""
    size = 200_000
    file = _Edited("src/equal.txt", ["same"] * size, [size // 2], 100)
    return _case([file], lambda prefix, line: "other" if prefix == "-" else line, applies=False)


def _same_hunks() -> Case:
    """As many equal hunks as there are places for them."""
    count = 400
    lines = ["begin()", "run()", "end()", ""] * count
    return _case([_Edited("src/same.txt", lines, range(1, 4 * count, 4), 1)])


def _nowhere() -> Case:
    """Hunks with one line, the removed one, that is nowhere in the file."""
    size = 100_000
    file = _Edited("src/large.txt", _source(size), _spread(size, 100))
    return _case([file], lambda prefix, line: line[::-1] if prefix == "-" else line, applies=False)


def _repository() -> Case:
    files = [_Edited(f"src/file_{at}.txt", _source(100, 1000 * at), [50]) for at in range(3)]
    return _case(files, background=200_000)


ROWS = (
    Row("hunk", "one small hunk", _small),
    Row("files", "1,000 files, 2 hunks each", _many_files),
    Row("long", "1,000,000 lines, 20 hunks", _one_file(1_000_000, 20)),
    Row("hunks", "100,000 lines, 1,000 hunks", _one_file(100_000, 1000)),
    Row("dedented", "100,000 lines, 500 dedented hunks", _dedented),
    Row("equal", "200,000 equal lines, a hunk that is nowhere", _equal),
    Row("same", "400 equal hunks on 400 equal places", _same_hunks),
    Row("repository", "200,000 files, a patch of 3", _repository),
    Row("nowhere", "100,000 distinct lines, 100 hunks that are nowhere", _nowhere),
)
"""What is measured, in the order of the table."""
