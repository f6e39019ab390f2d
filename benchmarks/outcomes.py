"""Plan cases with the `git_opatch` that is first on the path, and print what became of each.

    PYTHONPATH=TREE python benchmarks/outcomes.py CASES

One side of `compare.py`. CASES has a JSON object a line: a `patch`, which is planned in memory for
`files`. Bytes are strings of Latin-1. Only what stays from one revision to the next is used: public
names of the package. A line of the output has the case's `id`, and

`ok`      whether it succeeded
`bytes`   the files that are changed, with their modes and blobs
`reason`  the reasons of a refusal, with path and hunk
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import git_opatch


def main() -> None:
    """Plan the cases of the file that is named."""
    with open(sys.argv[1], encoding="utf-8") as cases:
        for line in cases:
            case = json.loads(line)
            print(json.dumps({"id": case["id"], **_planned(case)}), flush=True)


def _planned(case: dict[str, Any]) -> dict[str, Any]:
    """Plan a patch in memory."""
    files = {path: content.encode("latin-1") for path, content in case["files"].items()}
    try:
        plan = git_opatch.plan_in_memory(case["patch"].encode("latin-1"), files)
    except git_opatch.ParseError as error:
        lines = sorted(each.line for each in error.diagnostics)
        return _outcome(False, [], [f"malformed: line {line}" for line in lines])
    except Exception as error:  # of any kind: it is what this revision makes of the case
        return _outcome(False, [], [f"crashed: {type(error).__name__}"])
    changes = [] if plan.failures else sorted(map(_change, plan.completed.changes))
    return _outcome(not plan.failures, changes, map(_reason, plan.failures))


def _change(change: git_opatch.Change) -> list[str]:
    return [change.path, *((change.new.mode.value, change.new.id) if change.new else ())]


def _reason(failure: git_opatch.Failure) -> str:
    return f"{git_opatch.Reason(failure.reason).value}: {failure.path}, hunk {failure.hunk}"


def _outcome(ok: bool, content: object, reasons: Iterable[str]) -> dict[str, Any]:
    return {"ok": ok, "bytes": content, "reason": sorted(reasons)}


if __name__ == "__main__":
    main()
