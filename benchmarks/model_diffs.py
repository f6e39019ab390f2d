"""Measure how faithfully patch tools apply diffs that language models wrote.

A case is a directory with base/ (the files the diff was written for), patch.txt (the diff) and
source.txt (its first line names the kind of source). Every tool gets every case in a sealed git
repository with base/ committed. The results are

faithful    success was reported, and in each file the lines that went and that came are those of
            the diff; whitespace around a line does not count
unfaithful  success was reported, and something else happened, or nothing at all
refused     failure was reported, and every file is as it was
half        failure was reported, but files were changed

Lines are counted: a change made at the wrong one of several places passes as faithful. A hunk that
is in the diff twice may have been applied once or twice. Paths without a/ and b/ are taken as they
are, and tools that need an option for that get it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import peers
from arguments import names_of, parser_of
from table import counted
from trees import Tree, read_tree, seal, write_tree
from trial import Ran, plan, run_tool

VERDICTS = ("faithful", "unfaithful", "refused", "half")
TOOLS = ["opatch", "mpatch", "git-apply", "git-apply-lenient", "patch"]


@dataclass
class Section:
    """One file of a diff: its names before and after, if any, and its hunks' lines."""

    old: str
    new: str
    hunks: list[list[bytes]] = field(default_factory=list)

    @property
    def minus(self) -> Counter[bytes]:
        """The lines that it removes, without the whitespace around them."""
        return self._changed(b"-")

    @property
    def plus(self) -> Counter[bytes]:
        """The lines that it adds, without the whitespace around them."""
        return self._changed(b"+")

    def _changed(self, sign: bytes) -> Counter[bytes]:
        lines = (line for hunk in self.hunks for line in hunk)
        return Counter(line[1:].strip() for line in lines if line[:1] == sign)

    def without_repeats(self) -> Section:
        """The section with each of its equal hunks once."""
        distinct = {b"\n".join(hunk).rstrip(): hunk for hunk in self.hunks}
        return Section(self.old, self.new, list(distinct.values()))


@dataclass(frozen=True)
class Typed:
    """A diff that a model typed, the files that it was written for, and its kind of source."""

    name: str
    source: str
    patch: bytes
    base: Tree = field(default_factory=dict)
    task: str = ""

    @classmethod
    def load(cls, place: Path) -> Typed:
        """The case in a directory."""
        patch, source = (place / "patch.txt").read_bytes(), (place / "source.txt").read_text()
        return cls(place.name, source, patch, read_tree(place / "base"))

    def store(self, place: Path) -> None:
        """Write the case to a directory."""
        write_tree(place / "base", self.base)
        write_tree(place, {"patch.txt": self.patch, "source.txt": self.source.encode()})


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines of a text without the whitespace around them."""
    lines = [line.strip() for line in data.split(b"\n")]
    return lines[:-1] if lines[-1] == b"" else lines


def header_path(text: bytes) -> str:
    """The path in what follows '--- ' or '+++ '; nothing for /dev/null."""
    text = re.sub(rb"(\t.*|\s+\d{4}-\d\d-\d\d\b.*)$", b"", text).strip()
    return os.fsdecode(b"" if text == b"/dev/null" else re.sub(rb"^[ab]/", b"", text))


def header_names(line: bytes, following: bytes) -> tuple[str, str] | None:
    """The names of the file whose section starts at a line, if one does."""
    if line.startswith(b"--- ") and following.startswith(b"+++ "):
        return header_path(line[4:]), header_path(following[4:])
    match = re.match(rb"\*\*\* (Update|Add|Delete) File: (.+)", line)
    if not match:
        return None
    path = os.fsdecode(match[2].strip())
    return "" if match[1] == b"Add" else path, "" if match[1] == b"Delete" else path


def read_sections(patch: bytes) -> list[Section]:
    """Return the combined changes of each file in a diff; numbers and context are ignored."""
    sections: dict[tuple[str, str], Section] = {}
    section, inside = Section("", ""), False
    for line, following in pairwise([*patch.split(b"\n"), b""]):
        names = header_names(line, following)
        if names:
            section = sections.setdefault(names, Section(*names))
            inside = line.startswith(b"***")
            section.hunks.append([])
        elif line.startswith(b"*** Move to: "):
            section.new = os.fsdecode(line[13:].strip())
        elif line.startswith((b"diff --git ", b"```", b"*** End Patch")):
            inside = False
        elif line.startswith(b"@@"):
            inside = True
            section.hunks.append([])
        elif inside:
            section.hunks[-1].append(line)
    return list(sections.values())


def fewest_deletions(before: list[bytes], after: list[bytes]) -> int:
    """How many lines must at least go to make one text the beginning of the other."""
    with tempfile.TemporaryDirectory() as top:
        for name, lines in (("before", before), ("after", after)):
            Path(top, name).write_bytes(b"".join(line + b"\n" for line in lines))
        command = ["git", "diff", "--no-index", "--text", "--minimal", "--numstat"]
        run = subprocess.run(
            [*command, "before", "after"], cwd=top, env=seal(Path(top)), capture_output=True
        )
    return int(run.stdout.split(b"\t")[1]) if run.stdout else 0


def as_told(section: Section, before: bytes, after: bytes) -> bool:
    """Return whether a file has the changes of its section: lines removed and added, in order."""
    old, new = split_lines(before), split_lines(after)
    went, came = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if went != section.minus - section.plus or came != section.plus - section.minus:
        return False
    return fewest_deletions(old, new) <= section.minus.total()


def section_done(section: Section, base: Tree, result: Tree) -> bool:
    """Return whether the changes of a section were made to its file."""
    names = {section.old, section.new} - {""}
    if not section.new:
        return not names & result.keys()
    changed = [name for name in names if result.get(name) not in (None, base.get(name))]
    if len(changed) != 1:
        return not changed and section.minus == section.plus
    before = next((base[name] for name in (section.old, section.new) if name in base), b"")
    return as_told(section, before, result[changed[0]])


def is_faithful(patch: bytes, base: Tree, result: Tree) -> bool:
    """Return whether a tree has the changes of a diff, and no others."""
    sections = read_sections(patch)
    named = {name for section in sections for name in (section.old, section.new)}
    others = (base.keys() | result.keys()) - named
    if base == result or any(base.get(name) != result.get(name) for name in others):
        return False
    once = [section.without_repeats() for section in sections]
    return any(
        all(section_done(each, base, result) for each in found) for found in (sections, once)
    )


def run(tool: peers.Tool, base: Tree, patch: bytes) -> Ran:
    """Let a tool apply a patch, with or without a/ and b/ in its names."""
    level = "-p1" if re.search(rb"^(---|\+\+\+) [ab]/", patch, re.M) else "-p0"
    return run_tool(tool, base, patch, level)


def measure(typed: Typed, tool: peers.Tool) -> tuple[str, Ran]:
    """Return the verdict on a tool, and what it did; git opatch plans in this process."""
    ran = (plan if tool.stages else run)(tool, typed.base, typed.patch)
    if not ran.success:
        return ("refused" if ran.files == typed.base else "half"), ran
    faithful = is_faithful(typed.patch, typed.base, ran.files)
    return ("faithful" if faithful else "unfaithful"), ran


def read_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="the directory of the cases")
    parser.add_argument("--tools", type=names_of(peers.TOOLS), default=TOOLS, help=",".join(TOOLS))
    parser.add_argument("--only", default="", help="cases whose source mentions this text")
    parser.add_argument("--failures", type=Path, help="where to write what the first tool fails on")
    parser.add_argument("--by-source", action="store_true", help="a table for each kind, too")
    peers.add_options(parser)
    return parser.parse_args()


def main() -> None:
    """Measure the tools and print their results."""
    arguments = read_arguments()
    tables: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    tools = peers.find_tools(arguments.tools, arguments)
    every = map(Typed.load, sorted(arguments.cases.iterdir()))
    for typed in (typed for typed in every if arguments.only in typed.source):
        for tool in tools:
            verdict, ran = measure(typed, tool)
            for title in ("all", typed.source.partition("\n")[0]):
                tables[title][tool.name][verdict] += 1
            if arguments.failures and tool is tools[0] and verdict != "faithful":
                place = arguments.failures / f"{typed.name}-{verdict}"
                typed.store(place)
                write_tree(place / "result", ran.files)
                write_tree(place, {"message.txt": ran.message.encode()})
    for title, counts in tables.items():
        if title == "all" or arguments.by_source:
            rows = {(tool,): count for tool, count in counts.items()}
            print(f"\n{title}\n", *counted(["tool"], VERDICTS, rows), sep="\n")


if __name__ == "__main__":
    main()
