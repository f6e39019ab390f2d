"""What several scripts take on their command lines."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from pathlib import Path


def parser_of(page: str | None) -> argparse.ArgumentParser:
    """A parser that is described by the first line of a module's docstring."""
    return argparse.ArgumentParser(description=(page or "").partition("\n")[0])


def drawing_parser(page: str | None, cases: int) -> argparse.ArgumentParser:
    """A parser with the repositories, the seed, the number of cases and the processes of a draw."""
    parser = parser_of(page)
    add = parser.add_argument
    add("repo", type=Path, nargs="+", help="a repository, or a git directory, to draw from")
    add("--seed", default="1", help="another seed draws other cases")
    add("--cases", type=int, default=cases, metavar="N", help="cases to draw (%(default)s)")
    add("--jobs", type=int, default=1, help="processes (1)")
    return parser


def names_of(known: Collection[str]) -> Callable[[str], list[str]]:
    """The type of an argument that lists some of these names, with commas between them."""

    def names(text: str) -> list[str]:
        chosen = list(filter(None, text.split(",")))
        if unknown := set(chosen).difference(known):
            raise argparse.ArgumentTypeError(f"no {min(unknown)} among {','.join(known)}")
        return chosen

    return names
