"""Collect diffs that models typed, as cases for model_diffs.

They come from public collections: bare git directories of each, and of the repositories that the
diffs were written for, are expected below --mirrors as OWNER+NAME (or OWNER+NAME/repo). A case has
the files that its diff names as they were at the commit the diff was written for; one whose commit
or files are not to be had is left out, and counted. Diffs that a tool made of a work tree or of
other edits do not belong to it: line numbers, context and prefixes here are what a model typed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arguments import parser_of
from model_diffs import Typed, read_sections
from trees import Tree

CLAUDE = ("bethneyQQ/SWE4CC", "3cfe752")
OLLAMA = ("trickl/llm-patch", "8099f70")
QWEN = ("dibk100/project_IR_sLM_MAS", "a4cc1c2")
TASKS = "data/swe_bench_lite_test.jsonl"
FORKS = {
    "django/django": "apprent1c3/django",
    "scikit-learn/scikit-learn": "emregucerr/scikit-learn",
}
RESULTS = {
    "seen": "claude-sonnet-4-5__SWE-bench_Lite_oracle__test.jsonl",
    "unseen": (
        "retry_standard_api/claude-sonnet-4-5-20250929__SWE-bench_Lite__test__standard_api.jsonl"
    ),
}
"""The results of a run, by whether the model saw the files; below `results/`."""
TRACES = "runs_archive/exp1_baseline_before/"
EXPERIMENTS = ("exp1_B-v2-step1_no_context_200tasks", "exp1_B-v2-step2-1_min_context_200tasks")


def git(directory: Path, *arguments: str) -> bytes | None:
    """What git prints, or None if it fails."""
    run = subprocess.run(["git", "--git-dir", directory, *arguments], capture_output=True)
    return None if run.returncode else run.stdout


def find_mirror(top: Path, name: str) -> Path:
    """The git directory of a repository below the directory of mirrors."""
    place = top / FORKS.get(name, name).replace("/", "+")
    return next(
        (p for p in (place / "repo", place / "repo/.git", place) if (p / "HEAD").is_file()), place
    )


def list_files(directory: Path, commit: str, below: str) -> list[str]:
    """The files of a commit below a folder."""
    listing = git(directory, "ls-tree", "-rz", "--name-only", commit, "--", below) or b""
    return [name for name in listing.decode().split("\0") if name]


def read_results(directory: Path, commit: str) -> Iterator[Typed]:
    """The diffs of Claude, for tasks of SWE-bench."""
    for what, path in RESULTS.items():
        source = f"Claude Sonnet 4.5, SWE-bench, files {what}"
        for line in (git(directory, "show", f"{commit}:results/{path}") or b"").splitlines():
            row = json.loads(line)
            name = f"claude-{what}-{row['instance_id']}"
            yield Typed(name, source, row["model_patch"].encode(), task=row["instance_id"])
    top = "logs/run_evaluation/full_eval/claude-3.5-sonnet"
    for path in list_files(directory, commit, top):
        task, _, leaf = path.removeprefix(top + "/").partition("/")
        if leaf == "patch.diff":
            patch = git(directory, "show", f"{commit}:{path}") or b""
            yield Typed(
                f"sonnet-{task}", "Claude Sonnet 3.5, SWE-bench, files seen", patch, task=task
            )


def read_compiler_fixes(directory: Path, commit: str) -> Iterator[Typed]:
    """The diffs of small models that mend one file which does not compile, which they saw."""
    for path in list_files(directory, commit, "benchmarks/generated"):
        match = re.fullmatch(r"(.+/)([^/]+)/diffs/(?!.*guided)(.+)\.diff", path)
        if not match:
            continue
        suffix = {"python": "py", "typescript": "ts"}.get(
            match[2].split("-")[0], match[2].split("-")[0]
        )
        before = f"before.{suffix}"
        base = git(directory, "show", f"{commit}:{match[1]}{match[2]}/{before}") or b""
        patch = git(directory, "show", f"{commit}:{path}") or b""
        name = f"small-{match[2].replace(':', '-')}-{match[3]}"
        yield Typed(name, f"{match[3]}, a compiler error, file seen", patch, {before: base})


def read_traces(directory: Path, commit: str) -> Iterator[Typed]:
    """The diffs of a small model for tasks of SWE-bench, of whose files it saw none."""
    for experiment in EXPERIMENTS:
        for path in list_files(directory, commit, f"{TRACES}{experiment}/traces"):
            if path.endswith(".patch.diff"):
                task = Path(path).name.split("_trial")[0]
                patch = git(directory, "show", f"{commit}:{path}") or b""
                source = "qwen2.5-coder 7b, SWE-bench, files unseen"
                yield Typed(f"qwen-{experiment.split('_')[1]}-{task}", source, patch, task=task)


def files_at(directory: Path, commit: str, patch: bytes) -> Tree:
    """The files that a diff names, at a commit."""
    names = {name for section in read_sections(patch) for name in (section.old, section.new)}
    found = {name: git(directory, "show", f"{commit}:{name}") for name in names - {""}}
    return {name: data for name, data in found.items() if data is not None}


def is_diff(patch: bytes) -> bool:
    """Whether a text has a header of a file and of a hunk."""
    return all(re.search(pattern, patch, re.M) for pattern in (rb"^--- .*\n\+\+\+ ", rb"^@@"))


def typed_diffs(mirrors: Path) -> Iterator[Typed]:
    """All diffs of the collections."""
    for (name, commit), read in (
        (CLAUDE, read_results),
        (OLLAMA, read_compiler_fixes),
        (QWEN, read_traces),
    ):
        yield from read(find_mirror(mirrors, name), commit)


def read_tasks(mirrors: Path) -> dict[str, dict[str, str]]:
    """The tasks of SWE-bench Lite by their ids: each with its repository and commit."""
    tasks = git(find_mirror(mirrors, QWEN[0]), "show", f"{QWEN[1]}:{TASKS}")
    if tasks is None:
        sys.exit(f"no mirror of {QWEN[0]}")
    return {row["instance_id"]: row for row in map(json.loads, tasks.splitlines())}


def base_of(typed: Typed, tasks: dict[str, dict[str, str]], mirrors: Path) -> Tree:
    """The files that a diff was written for, as far as they are to be had."""
    if typed.base:
        return typed.base
    task = tasks[typed.task]
    return files_at(find_mirror(mirrors, task["repo"]), task["base_commit"], typed.patch)


def main() -> None:
    """Write the cases and print how many there are of each source, and how many were left out."""
    parser = parser_of(__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="the directory of the mirrors")
    parser.add_argument("--into", type=Path, required=True, help="where to write the cases")
    arguments = parser.parse_args()
    tasks, counts = read_tasks(arguments.mirrors), Counter[tuple[str, str]]()
    for typed in typed_diffs(arguments.mirrors):
        base = base_of(typed, tasks, arguments.mirrors) if is_diff(typed.patch) else {}
        what = "kept" if base else "no files" if is_diff(typed.patch) else "no diff"
        counts[typed.source, what] += 1
        if base:
            replace(typed, base=base).store(arguments.into / typed.name)
    for (source, what), count in sorted(counts.items()):
        print(f"{source}: {count} {what}")


if __name__ == "__main__":
    main()
