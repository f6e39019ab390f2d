"""Filters that keep the contracts of real tools, as programs in `filters`."""

from __future__ import annotations

from pathlib import Path

from sandbox import Sandbox

_PROGRAMS = Path(__file__).parent / "filters"


def set_filter(repo: Sandbox, program: str, name: str = "x", *, required: bool = False) -> None:
    """Let the filter `name` of a repository be `program`, in its own way."""
    command = f"'{_PROGRAMS / program}'"
    if program == "process":
        repo.git("config", f"filter.{name}.process", command)
    else:
        repo.git("config", f"filter.{name}.clean", f"{command} clean")
        repo.git("config", f"filter.{name}.smudge", f"{command} smudge")
    if required:
        repo.git("config", f"filter.{name}.required", "true")


def assert_stored(repo: Sandbox) -> None:
    """Assert that the index has what `git add` would store of all files that are tracked."""
    before = repo.git("ls-files", "-s")
    copy = str(repo.path.with_name("index-copy"))
    Path(copy).write_bytes((repo.path / ".git/index").read_bytes())
    ran = repo.run("git", "add", "--renormalize", "-u", ".", env={"GIT_INDEX_FILE": copy})
    assert ran.status == 0, ran.err
    assert repo.run("git", "ls-files", "-s", env={"GIT_INDEX_FILE": copy}).out == before
