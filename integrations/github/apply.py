"""The step of `action.yml` that applies the patch; inputs are in the environment as `OPATCH_*`.

It needs Python's own library alone, and runs `git-opatch` from PATH. Inputs reach the command as
words, and never as text of a shell.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_MOST_CHARACTERS = 60_000
"""Of the summary: GitHub shows up to a mebibyte of a step's."""


def main() -> int:
    """Apply the patch, write outputs and summary, and return the exit status of the step."""
    env = os.environ
    words = command(env)
    ran = subprocess.run(words, stdout=subprocess.PIPE, env=_with_author(env), check=False)
    document = Path(env["RUNNER_TEMP"], "git-opatch.json")
    document.write_bytes(ran.stdout)
    if not ran.stdout:  # it did not even start
        return ran.returncode or 1
    answer = json.loads(ran.stdout)
    with open(env["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in outputs(answer, document))
    with open(env["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(summary(answer))
    token = secrets.token_hex()  # until it comes again, the runner obeys no `::command::`
    print(f"::stop-commands::{token}\n{shown(answer)}\n::{token}::")
    return ran.returncode if env["OPATCH_FAIL"] != "false" else 0


def command(env: Mapping[str, str]) -> list[str]:
    """Return the words of the command that the inputs ask for."""
    words = ["git-opatch", "apply", "--json"]
    if env["OPATCH_THREE_WAY"] != "false":
        words.append("--3way")
    if env["OPATCH_MESSAGE"]:
        words += ["--commit", f"--message={env['OPATCH_MESSAGE']}"]
    for option, name in (("--allow", "OPATCH_ALLOW"), ("--deny", "OPATCH_DENY")):
        words += [f"{option}={line}" for line in _lines(env[name])]
    return [*words, "--", *_lines(env["OPATCH_PATCH"])]


def outputs(answer: Mapping[str, Any], document: Path) -> Iterator[str]:
    """Write each output on a line of its own, so that no text of a patch can make another one."""
    yield f"status={answer['status']}"
    yield f"summary={' '.join(answer['summary'].split())}"
    yield f"commits={json.dumps(answer['commits'])}"
    yield f"document={document}"


def summary(answer: Mapping[str, Any]) -> str:
    """Write the summary for the job's page, in Markdown; text of the patch is in a fence."""
    text = shown(answer)[:_MOST_CHARACTERS]
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"### Patch: {answer['status'].replace('_', ' ')}\n\n{fence}text\n{text}\n{fence}\n"


def shown(answer: Mapping[str, Any]) -> str:
    """Write the outcome as lines: the changed files, or why the patch is refused, and notes."""
    letters = (("A", "added"), ("M", "modified"), ("D", "deleted"))
    lines = [f"{letter} {path}" for letter, name in letters for path in answer[name]]
    lines += [f"R {move['from']} -> {move['to']}" for move in answer["moved"]]
    lines += [f"note: {note}" for note in answer["notes"]]
    lines += [failure["rendered"] for failure in answer["failures"]]
    return "\n".join([*lines, answer["summary"]])


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _with_author(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with an author, where git has none."""
    chosen = dict(env)
    for key in ("name", "email"):
        known = subprocess.run(["git", "config", f"user.{key}"], stdout=subprocess.DEVNULL)
        if known.returncode:
            for role in ("AUTHOR", "COMMITTER"):
                chosen.setdefault(f"GIT_{role}_{key.upper()}", env[f"OPATCH_{key.upper()}"])
    return chosen


if __name__ == "__main__":
    sys.exit(main())
