"""What multiplies work is planned in linear time, or refused by its size."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from git_opatch.model.sentences import Fault
from git_opatch.operations.in_memory import plan_in_memory

_TOP, _END = "*** Begin Patch\n", "*** End Patch\n"
_UPDATE = f"{_TOP}*** Update File: f.py\n"
_BODY = "     begin()\n-    run()\n+    ran()\n"


class _Shape(NamedTuple):
    """A patch and its file, for a size; `size` is the one that is measured first."""

    size: int
    make: Callable[[int], tuple[str, str]]


def _lines(count: int) -> list[str]:
    return [f"    total_{at} = fetch(input_{at}, {at % 7})" for at in range(count)]


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _sections(count: int) -> tuple[str, str]:
    lines = _lines(count)
    parts = (f"*** Update File: f.py\n@@\n-{line}\n+{line} # c\n" for line in lines)
    return f"{_TOP}{''.join(parts)}{_END}", _text(lines)


def _edits(count: int) -> tuple[str, str]:
    lines = _lines(count)
    edits = [{"old_string": line, "new_string": f"{line} # c"} for line in lines]
    return json.dumps({"path": "f.py", "edits": edits}), _text(lines)


def _hunks(header: str, lines: str, body: str = _BODY) -> Callable[[int], tuple[str, str]]:
    """Repeat a hunk, and lines of the file; `N` counts."""

    def make(count: int) -> tuple[str, str]:
        hunks = (f"@@ {header}\n{body}".replace("N", str(at)) for at in range(count))
        file = "".join(lines.replace("N", str(at)) for at in range(count))
        return f"{_UPDATE}{''.join(hunks)}{_END}", file

    return make


def _pieces(count: int) -> tuple[str, str]:
    hunk = "@@\n" + " a\n # ...\n" * count + "-c\n+d\n"
    return f"{_UPDATE}{hunk}{_END}", "a\nb\n" * 200 * count + "c\n"


def _braces(count: int) -> tuple[str, str]:
    gap, end = " # ...\n", " }\n"
    hunk = f"@@\n{gap}{end}{gap}   }}\n{gap}{end}{gap}     return 0;\n-  }}\n+  }} # x\n"
    functions = (f"f{at} {{\n  if (a) {{\n    return {at};\n  }}\n}}\n\n" for at in range(count))
    return f"{_UPDATE}{hunk}{_END}", "".join(functions)


def _like_others(count: int) -> tuple[str, str]:
    old = "".join(f"-{line} + 1\n" for line in _lines(count))
    return f"{_UPDATE}@@\n{old}+x\n{_END}", _text(_lines(100 * count))


def _replace_all(old: str, file: str) -> Callable[[int], tuple[str, str]]:
    def make(count: int) -> tuple[str, str]:
        call = {"path": "f.py", "old_string": old * count, "new_string": "b", "replace_all": True}
        return json.dumps(call), f"{file * 2 * count}\n"

    return make


def _marks(count: int) -> tuple[str, str]:
    above, below = "\u0300", "\u0316"
    hunk = f"@@\n-x{(above + below) * count}\n+y\n"
    return f"{_UPDATE}{hunk}{_END}", f"x{(below + above) * count}\n"


def _key(count: int) -> tuple[str, str]:
    hunk = f"*** Update File: f.toml\n@@\n-b = 1\n+{'a.' * count}b = 2\n"
    return f"{_TOP}{hunk}{_END}", "b = 1\n"


_FUNCTION = "def f_N():\n    begin()\n    run()\n\n"
_SHAPES = {
    "sections of a file": _Shape(500, _sections),
    "edits of a file in JSON": _Shape(500, _edits),
    "hunks with an anchor each": _Shape(250, _hunks("def f_N():", _FUNCTION)),
    "hunks with an anchor, nowhere": _Shape(
        250, _hunks("def f_N():", _FUNCTION, _BODY.replace("run", "stop"))
    ),
    "hunks with one anchor": _Shape(250, _hunks("def f_0():", _FUNCTION)),
    "anchors that are prose": _Shape(
        250,
        _hunks(
            "where the count N of f_N and of run is begun",
            _FUNCTION.replace("run", "run_N"),
            _BODY.replace("run", "run_N"),
        ),
    ),
    "anchors that are labels": _Shape(
        250, _hunks("s_N:", "s_N:\n  a: 1\n  b: 1\n", "   a: 1\n-  b: 1\n+  b: 2\n")
    ),
    "replace all of equal letters": _Shape(50_000, _replace_all("a", "a")),
    "replace all of equal lines": _Shape(10_000, _replace_all("a\n", "a\n")),
    "pieces that are everywhere": _Shape(20, _pieces),
    "lines left out between braces": _Shape(1000, _braces),
    "lines like others": _Shape(48, _like_others),
    "marks out of order": _Shape(4000, _marks),
    "a dotted key": _Shape(8000, _key),
}
"""By what is repeated."""


def _plan(name: str, size: int) -> tuple[float, str]:
    """Return the seconds that it takes to plan a patch of that shape, and the first failure."""
    patch, file = _SHAPES[name].make(size)
    path = "f.toml" if "f.toml" in patch else "f.py"
    start = time.process_time()
    failures = plan_in_memory(patch, {path: file.encode()}).failures
    return time.process_time() - start, failures[0].fault.name if failures else "applied"


@pytest.mark.parametrize("name", _SHAPES)
def test_planning_takes_linear_time_or_is_refused(name: str) -> None:
    small = _SHAPES[name].size // 4
    once = max(min(_plan(name, small)[0] for _ in range(2)), 0.01)
    many, result = _plan(name, 8 * small)
    # If the time were quadratic, eight times the patch would take 64 times as long.
    assert many < 30 * once or result == Fault.TOO_MANY_SECTIONS.name


@pytest.mark.parametrize("name", ["sections of a file", "edits of a file in JSON"])
def test_many_sections_of_a_file_are_refused_before_they_are_planned(name: str) -> None:
    assert _plan(name, 1000)[1] == "applied"
    seconds, result = _plan(name, 4000)
    assert result == Fault.TOO_MANY_SECTIONS.name
    assert seconds < 5
