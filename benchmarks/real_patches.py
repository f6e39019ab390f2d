"""Measure tools on what models sent to their clients: as the client did it, otherwise, or refused.

    python benchmarks/real_patches.py --cases DIR [--tools opatch,mpatch,codex] [--list]

DIR is of `collect_sessions.py`. A client's result is compared but for the blanks at the ends of
lines and the last newline; *but for indentation* is the same words with other blanks. Where the
client refused, what lands may be right: that is to be read. A second table has the tiers and the
evidence by which git opatch places hunks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import peers
from arguments import names_of, parser_of
from git_opatch import ParseError, plan_in_memory
from model import Format
from peers import Tool
from table import counted
from trees import Tree, read_tree, write_tree
from trial import plan, run_tool

HEADER = re.compile(r"(?m)^(\*\*\* (?:(Update|Delete|Add) File|Move to): )(.*\S)")
TOOLS = ["opatch", "mpatch", "codex"]
VERDICTS = ["as the client", "but for indentation", "otherwise", "refused", "lands"]


@dataclass(frozen=True, slots=True)
class Real:
    """A patch, the files it was sent for, and the client's result: None where it refused."""

    source: str
    patch: bytes
    base: Tree
    after: Tree | None

    @classmethod
    def load(cls, place: Path) -> Real:
        """The case in a directory."""
        source, *applied = (place / "source.txt").read_text().split("\n")
        after = read_tree(place / "after") if applied == ["applied"] else None
        return cls(source, (place / "patch.txt").read_bytes(), read_tree(place / "base"), after)

    def store(self, place: Path) -> None:
        """Write the case to a directory."""
        source = self.source + ("\napplied" if self.after is not None else "\nrefused")
        write_tree(place, {"patch.txt": self.patch, "source.txt": source.encode()})
        write_tree(place / "base", self.base)
        write_tree(place / "after", self.after or {})

    def text_for(self, tool: Tool) -> bytes:
        """The patch in the format that a tool reads; nothing if it has none."""
        if self.patch.startswith(b"{"):
            return self.patch if tool.patch_format is None else b""
        if tool.patch_format is not Format.UNIFIED:
            return self.patch
        return "\n".join(_as_diff(self.patch.decode())).encode()

    def judge(self, tool: Tool) -> str:
        """Let a tool apply it, and compare."""
        text = self.text_for(tool)
        ran = (plan if tool.stages else run_tool)(tool, self.base, text)
        if not ran.success:
            return "refused"
        if self.after is None:
            return "lands"
        differ = [
            path
            for path in self.after.keys() | ran.files.keys()
            if _lines(ran.files.get(path)) != _lines(self.after.get(path))
        ]
        if not differ:
            return "as the client"
        words = all(
            ran.files.get(path, b"").split() == self.after.get(path, b"").split() for path in differ
        )
        return "but for indentation" if words else "otherwise"

    def placed(self) -> Iterator[tuple[str, str]]:
        """The tier and the evidence of each hunk that git opatch places."""
        try:
            placed = plan_in_memory(self.patch, dict(self.base)).placed
        except ParseError:
            return
        for _, placement in placed:
            yield placement.tier.value, placement.evidence.value


def _lines(data: bytes | None) -> list[bytes] | None:
    return None if data is None else [line.rstrip() for line in data.rstrip().split(b"\n")]


def _as_diff(patch: str) -> Iterator[str]:
    """An envelope as a diff with invented numbers, for tools that read no other."""
    for line in patch.split("\n"):
        if match := HEADER.match(line):
            kind, path = match[2], match[3]
            yield f"--- {'/dev/null' if kind == 'Add' else 'a/' + path}"
            yield f"+++ {'/dev/null' if kind == 'Delete' else 'b/' + path}"
            yield from ["@@ -0,0 +1 @@"] if kind == "Add" else []
        elif line.startswith("@@"):
            yield f"@@ -1 +1 @@{line[2:]}"
        elif not line.startswith("*** "):
            yield line


def main() -> None:
    """Measure the tools, and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="the directory of the cases")
    parser.add_argument("--tools", type=names_of(peers.TOOLS), default=TOOLS, help=",".join(TOOLS))
    parser.add_argument("--list", action="store_true", help="print what is not as the client's")
    peers.add_options(parser)
    options = parser.parse_args()
    rows: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    ways: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    tools = peers.find_tools(options.tools, options)
    for place in sorted(options.cases.iterdir()):
        case = Real.load(place)
        client, model = case.source.split(", ")
        said = "refused" if case.after is None else "applied"
        for tool in filter(case.text_for, tools):
            verdict = case.judge(tool)
            for name in [model, "all"] if tool.stages else ["all"]:
                rows[tool.name, client, name, said][verdict] += 1
            if options.list and verdict != "as the client":
                print(f"{tool.name}: {place.name}: {said}, {verdict}")
        for tier, way in case.placed():
            ways[client, tier][way] += 1
    titles = ["tool", "client", "model", "client said"]
    evidence = sorted(set().union(*ways.values()))
    print(*counted(titles, VERDICTS, dict(sorted(rows.items()))), "", sep="\n")
    print(*counted(["client", "tier"], evidence, dict(sorted(ways.items()))), sep="\n")


if __name__ == "__main__":
    main()
