"""Let the client of the official SDK talk to `git opatch mcp`, and measure what a start takes.

    python benchmarks/mcp_sdk.py --sdk PYTHON [--runs N]

PYTHON is the interpreter of an environment with the package `mcp`, version 2 or newer, which is
not one of our dependencies. The first part runs the SDK's client against our server: it connects,
lists the tools, applies a patch, is refused one, and undoes. The second compares processor times,
user and system, from the start of a server until it has answered `initialize`, in turn, the least
of N: ours, and one of the SDK's with a single tool. Exit status 1 if the client gets another answer
than it should.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

_PROGRAM = str(Path(sys.executable).with_name("git-opatch"))
_CLIENT = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

PATCH = "*** Begin Patch\\n*** Update File: f\\n@@\\n-a\\n+b\\n*** End Patch\\n"

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--root", sys.argv[2]])
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        print(json.dumps(["tools", sorted(tool.name for tool in tools)]))
        for name, arguments in (
            ("apply", {"patch": PATCH}), ("apply", {"patch": PATCH.replace("+b", "+c")}),
            ("undo", {}), ("log", {}), ("apply", {"patch": 7}),
        ):
            result = await client.call_tool(name, arguments)
            print(json.dumps([name, result.is_error, result.content[0].text.splitlines()[0]]))

asyncio.run(main())
"""
_SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("one")
@server.tool()
def apply(patch: str) -> str:
    return patch
server.run()
"""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}
_EXPECTED = [
    ["tools", ["apply", "check", "log", "redo", "show", "undo"]],
    ["apply", False],
    ["apply", True],
    ["undo", False],
    ["log", False],
    ["apply", True],
]


def main() -> int:
    """Print what the client got, and the times; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sdk", required=True, metavar="PYTHON")
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="opatch-mcp-") as directory:
        top = Path(directory)
        subprocess.run(["git", "init", "--quiet"], cwd=top, check=True)
        (top / "f").write_text("a\n")
        answers = _talk(chosen.sdk, top)
        for answer in answers:
            print(*answer, sep="\t")
        right = [answer[:2] for answer in answers] == _EXPECTED
        print("the client got what it should" if right else "the client got something else")
        _compare(chosen.sdk, top, chosen.runs)
    return 0 if right else 1


def _talk(sdk: str, top: Path) -> list[list[object]]:
    words = [sdk, "-c", _CLIENT, _PROGRAM, str(top)]
    ran = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def _compare(sdk: str, top: Path, runs: int) -> None:
    servers = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "git opatch mcp": [_PROGRAM, "mcp", "--root", str(top)],
        "a server of the SDK": [sdk, "-c", _SERVER],
    }
    found: dict[str, list[float]] = {}
    for _ in range(runs):
        for name, words in servers.items():
            found.setdefault(name, []).append(_seconds(words))
    least = {name: min(times) for name, times in found.items()}
    for name, seconds in least.items():
        print(f"{name}\t{seconds:.2f} s of processor time")
    ratio = least["a server of the SDK"] / least["git opatch mcp"]
    print(f"the SDK's takes {ratio:.1f} times as long")


def _seconds(words: list[str]) -> float:
    """Measure the processor time of a server that answers `initialize` and then ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    feed = json.dumps(_INITIALIZE).encode() + b"\n"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(words, input=feed, stdout=subprocess.DEVNULL, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())
