"""Measure a tool on patches spoiled at random, by transformations from a small grammar.

Each case is a real commit's change of a file, often with a twin of the changed code beside it,
written as a patch and spoiled by one to three transformations of its lines, its hunks or as a
whole. An oracle that knows the file alone says what a careful reader would do: apply it, refuse
it, or either. The same seed draws the same cases.

    python benchmarks/grammar.py REPO... --seed 1 --cases 2000
    python benchmarks/grammar.py REPO... --seed 1 --cases 2000 --show "anchor: absent"
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import peers
import table
from arguments import drawing_parser
from grammar_hunks import HUNKS
from grammar_indents import INDENTS
from grammar_lines import LINES
from grammar_patches import PATCHES
from history import read_history
from model import Case, Commit, FileChange, Format, Header, Verdict
from peers import OWN, Tool
from reading import verdict_of
from scene import Scene, Transform, plain_scene, with_numbers, write_scene
from trial import Drawn, Result, try_all
from twins import with_twin

TRANSFORMS: dict[str, Transform] = {**LINES, **INDENTS, **HUNKS, **PATCHES}

_FIRST = (*("file in Latin-1", "applied", "one hunk applied", "hunk applied in part"),)
_NEXT = ("context left out, marked", "context left out, unmarked", "whole file added")
_ORDER = list(dict.fromkeys([*_FIRST, *_NEXT, *TRANSFORMS]))
"""The order in which transformations are made: those that need an untouched patch come first."""

_PEERS = ["mpatch-numbered", "codex", "git-apply-numbered", "patch-numbered"]
_ATTEMPTS = 60
_SIZES = (1, 1, 1, 2, 2, 3)
_MAX_HUNKS, _MAX_LINES = 5, 3000
_TWINS = 0.4
_HEADS = {
    Format.ENVELOPE: (Header.BARE, Header.BARE, Header.NAMED),
    Format.UNIFIED: (Header.BARE, Header.RIGHT, Header.NAMED, Header.INVENTED),
}

Changes = Sequence[Sequence[tuple[Commit, FileChange]]]
"""The changes of files by the repository that they are from."""


def main() -> None:
    """Draw the cases, try them, and print the tables."""
    options = _options()
    tools = [OWN, *(peers.find_tools(_PEERS, options) if options.peers else ())]
    drawn = partial(draw_text, read_changes(options.repo, options.seed), options.seed)
    results = try_all(drawn, options.cases, tools, options.jobs)
    for tool in tools:
        print(f"\n## {tool.name}\n", *_tables(results, tool.name), sep="\n")
    if options.show:
        for result in results:
            if result.tool == tools[0].name and _is_asked_for(result, options.show):
                print(describe(result))


def _tables(results: Sequence[Result], tool: str) -> Iterator[str]:
    """All cases, and those of one transformation and of several."""
    own = [result for result in results if result.tool == tool]
    yield from table.table("all", own, lambda _: ["all"])
    for title, is_alone in (("alone", True), ("with others", False)):
        some = [result for result in own if (len(_names(result)) == 1) is is_alone]
        yield from ("", *table.table(title, some, _names))


def _names(result: Result) -> list[str]:
    return result.case.kind.split(" + ")


def _options() -> argparse.Namespace:
    parser = drawing_parser(__doc__, 2000)
    add = parser.add_argument
    add("--show", metavar="CLASS", help="print the failing cases of a transformation, or `all`")
    add("--peers", action="store_true", help=f"try these as well: {', '.join(_PEERS)}")
    peers.add_options(parser)
    return parser.parse_args()


def read_changes(repositories: Sequence[Path], seed: str) -> Changes:
    """The changes of files in each repository that a case can be made of."""
    return [
        [
            (commit, change)
            for commit in read_history(path, seed)
            for change in commit.files
            if len(change.old) <= _MAX_LINES
        ]
        for path in repositories
    ]


def draw_text(changes: Changes, seed: str, number: int) -> Drawn | None:
    """Draw case `number`, with what writes its patch for a tool."""
    found = draw(changes, seed, number)
    return found and (found[0], partial(_text, found[1]))


def _text(scene: Scene, tool: Tool) -> str:
    scene = with_numbers(scene) if tool.header is Header.RIGHT else scene
    return write_scene(scene, tool.patch_format or scene.patch_format)


def draw(changes: Changes, seed: str, number: int) -> tuple[Case, Scene] | None:
    """Draw case `number`: the transformations take turns in being its first one."""
    rng = Random(f"{seed}:{number}")
    first = list(TRANSFORMS)[number % len(TRANSFORMS)]
    for _ in range(_ATTEMPTS):
        names = {first, *rng.sample(list(TRANSFORMS), rng.choice(_SIZES) - 1)}
        commit, change = rng.choice(rng.choice(changes))
        scene = _scene(change, sorted(names, key=_ORDER.index), rng)
        if scene and first in scene.names:
            return _drawn(commit, scene, number)
    return None


def _scene(change: FileChange, names: Sequence[str], rng: Random) -> Scene | None:
    """The change, as a patch with those of these transformations that can be made."""
    twin = with_twin(change, rng) if rng.random() < _TWINS else None
    patch_format = rng.choice((Format.ENVELOPE, Format.ENVELOPE, Format.UNIFIED))
    context, head = rng.choice((0, 1, 3, 3)), rng.choice(_HEADS[patch_format])
    scene = plain_scene(twin or change, context, patch_format, head)
    if len(scene.pieces) > _MAX_HUNKS or not all(
        any(text.strip() for text in piece.old) for piece in scene.pieces
    ):
        return None
    for name in names:
        has_head = any(_claims_place(other) for other in scene.names) and _claims_place(name)
        spoiled = None if has_head else TRANSFORMS[name](scene, rng)
        if spoiled:
            scene = replace(spoiled, names=(*scene.names, name))
    return _judged(scene)


def _claims_place(name: str) -> bool:
    """Whether a transformation rewrites what begins a hunk, so that two would undo each other."""
    return name.startswith(("anchor: ", "numbers: "))


def _judged(scene: Scene) -> Scene | None:
    """The scene, with what its hunks say of their positions; None if they say others."""
    for piece in scene.pieces:
        verdict = verdict_of(piece, scene) if piece.is_true else Verdict.APPLY
        if verdict is None:
            return None
        scene = scene.judged(verdict)
    return scene


def _drawn(commit: Commit, scene: Scene, number: int) -> tuple[Case, Scene]:
    path, verdict, kind = scene.change.path, scene.verdict, " + ".join(scene.names)
    expected = None if verdict is Verdict.REFUSE else {path: scene.to_bytes(scene.expected)}
    base = {path: scene.to_bytes(scene.base)}
    return Case(kind, number, str(commit), base, expected, verdict), scene


def _is_asked_for(result: Result, name: str) -> bool:
    return not table.is_good(result) and name in (*_names(result), result.case.kind, "all")


def describe(result: Result) -> str:
    """A failing case in full: the patch, the true change and what came out, with lines around."""
    case = result.case
    ((path, data),) = case.base.items()
    base, wanted = decoded(data).split("\n"), case.expected
    head = f"=== {case.number}: {case.kind}\n{case.source} {path}"
    parts = [head, f"wanted: {case.verdict.name}; outcome: {result.outcome.value}"]
    parts += [result.message, "--- patch", result.patch]
    if wanted is not None:
        parts += ["--- the true change", diff_of(base, decoded(wanted[path]).split("\n"))]
    parts += ["--- what came out", diff_of(base, decoded(result.got.get(path, b"")).split("\n"))]
    return "\n".join(parts)


def decoded(data: bytes) -> str:
    """The text of a file, whatever its bytes."""
    return data.decode(errors="backslashreplace")


def diff_of(old: Sequence[str], new: Sequence[str]) -> str:
    """The differences of two texts, with lines around."""
    return "\n".join(list(difflib.unified_diff(old, new, lineterm="", n=6))[2:])


if __name__ == "__main__":
    main()
