"""The action for GitHub: its steps, run as a runner does, in a shallow clone."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from sandbox import Ran, Sandbox

_TOP = Path(__file__).parents[2]
_ACTION: dict[str, Any] = yaml.safe_load((_TOP / "action.yml").read_text())
_PAGE = (_TOP / "docs/ci.md").read_text()
_LINES = [f"line {number}\n" for number in range(1, 31)]


def _patch(number: int, text: str) -> str:
    context = [f"line {number + by}" for by in (-1, 0, 1)]
    before, old, after = context
    return (
        "*** Begin Patch\n*** Update File: f\n@@\n"
        f" {before}\n-{old}\n+{text}\n {after}\n*** End Patch\n"
    )


_CONTEXT = "".join(f" line {number}\n" for number in range(9, 14))
_FAR = (
    f"*** Begin Patch\n*** Update File: f\n@@\n{_CONTEXT}-line 14\n+line fourteen\n"
    " line 15\n*** End Patch\n"
)
"""Has the old line 9 in its context, and changes line 14."""


@pytest.fixture
def origin(repo: Sandbox) -> Sandbox:
    """Make three commits: the agent knew the first one, whose lines 9 and 20 were changed since."""
    repo.commit({"f": "".join(_LINES)})
    lines = list(_LINES)
    lines[8] = "line nine\n"
    repo.commit({"f": "".join(lines)})
    lines[19] = "line twenty\n"
    repo.commit({"f": "".join(lines)})
    repo.git("config", "uploadpack.allowFilter", "true")
    return repo


@pytest.fixture
def shallow(origin: Sandbox, tmp_path: Path) -> Sandbox:
    """Check out as `actions/checkout` does."""
    clone = Sandbox(tmp_path / "clone")
    origin.git("clone", "--quiet", "--depth=1", f"file://{origin.path}", str(clone.path))
    return clone


class _Runner:
    """Runs the step that applies, with inputs, and reads what it leaves."""

    def __init__(self, repo: Sandbox, directory: Path) -> None:
        self.repo, self.directory = repo, directory
        directory.mkdir()

    def run(self, **inputs: str) -> Ran:
        values = {name: str(each.get("default", "")) for name, each in _ACTION["inputs"].items()}
        values |= {name.replace("_", "-"): value for name, value in inputs.items()}
        step = _ACTION["runs"]["steps"][1]
        env = {name: _filled(text, values) for name, text in step["env"].items()}
        env["RUNNER_TEMP"] = str(self.directory)
        env["GITHUB_ACTION_PATH"] = str(_TOP)
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            (self.directory / name).write_text("")
            env[name] = str(self.directory / name)
        ran = self.repo.program("bash", "-eo", "pipefail", "-c", step["run"], env=env)
        assert "Traceback" not in ran.err, ran.err
        return ran

    def outputs(self) -> dict[str, str]:
        lines = (self.directory / "GITHUB_OUTPUT").read_text().splitlines()
        found = dict(line.split("=", 1) for line in lines)
        assert len(found) == len(lines)
        return found

    def summary(self) -> str:
        return (self.directory / "GITHUB_STEP_SUMMARY").read_text()


def _filled(text: str, values: dict[str, str]) -> str:
    name = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)
    assert name is not None, text
    return values[name[1]]


@pytest.fixture
def runner(shallow: Sandbox, tmp_path: Path) -> _Runner:
    return _Runner(shallow, tmp_path / "runner")


def test_a_patch_is_committed_in_a_shallow_clone(runner: _Runner) -> None:
    repo = runner.repo
    patch = repo.write("../a.patch", _patch(5, "line five"))
    ran = runner.run(patch=str(patch), message="Change a line")
    assert ran.status == 0, ran.err
    head = repo.git("rev-parse", "HEAD").decode().strip()
    outputs = runner.outputs()
    assert outputs["status"] == "applied"
    assert json.loads(outputs["commits"]) == [head]
    assert json.loads(Path(outputs["document"]).read_text())["status"] == "applied"
    assert set(outputs) == set(_ACTION["outputs"])
    assert repo.git("log", "-1", "--format=%s") == b"Change a line\n"
    assert repo.git("status", "--porcelain") == b""
    assert runner.summary().startswith("### Patch: applied\n\n```text\nM f\n")


def test_without_a_message_the_patch_is_staged(runner: _Runner) -> None:
    patch = runner.repo.write("../a.patch", _patch(5, "line five"))
    assert runner.run(patch=str(patch)).status == 0
    assert runner.outputs()["commits"] == "[]"
    assert runner.repo.git("status", "--porcelain") == b"M  f\n"


def test_an_older_patch_is_merged_once_its_version_was_fetched(runner: _Runner) -> None:
    """Nothing is fetched but by the command that the refusal has."""
    repo = runner.repo
    patch = repo.write("../a.patch", _patch(10, "line ten"))  # its context has the old line 9
    before = repo.state()
    ran = runner.run(patch=str(patch), message="m")
    assert ran.status == 1
    assert repo.state() == before
    assert runner.outputs()["status"] == "refused"
    command = "git fetch --deepen=100"
    assert command in runner.summary()
    assert f"run: {command}" in _PAGE
    repo.git(*command.split()[1:])
    ran = runner.run(patch=str(patch), message="m")
    assert (ran.status, runner.outputs()["status"]) == (1, "refused")
    assert "conflict" in runner.summary()  # the lines are neighbours
    far = repo.write("../b.patch", _FAR)
    ran = runner.run(patch=str(far), message="m")
    assert (ran.status, runner.outputs()["status"]) == (0, "applied"), runner.summary()
    assert b"line fourteen\n" in repo.read("f")
    assert b"line nine\n" in repo.read("f")


def test_a_partial_clone_is_told_how_to_fetch(origin: Sandbox, tmp_path: Path) -> None:
    clone = Sandbox(tmp_path / "partial")
    url = f"file://{origin.path}"
    origin.git("clone", "--quiet", "--filter=blob:none", url, str(clone.path))
    clone.write("../b.patch", _FAR)
    ran = clone.opatch("apply", "--3way", "../b.patch")
    assert ran.status == 1
    assert "`git log -p -100 -- PATH`" in ran.err
    clone.git("log", "-p", "-100", "--", "f")
    assert clone.opatch("apply", "--3way", "../b.patch").status == 0
    assert b"line fourteen\n" in clone.read("f")


def test_nothing_is_said_of_fetching_without_a_merge_or_in_a_whole_clone(
    origin: Sandbox, shallow: Sandbox
) -> None:
    patch = _FAR.replace("line 15", "line nowhere").encode()
    for ran in (shallow.opatch("apply", feed=patch), origin.opatch("apply", "--3way", feed=patch)):
        assert (ran.status, "fetch" in ran.err) == (1, False)


def test_a_failure_can_be_left_to_later_steps(runner: _Runner) -> None:
    patch = runner.repo.write("../a.patch", _FAR)
    assert runner.run(patch=str(patch), fail="false").status == 0
    assert runner.outputs()["status"] == "refused"
    assert runner.run(patch="nothing\n").status == 128
    assert runner.outputs()["status"] == "error"


def test_inputs_are_words_and_nothing_else(runner: _Runner) -> None:
    repo = runner.repo
    patch = repo.write("../with space.patch", _patch(5, "line five"))
    message = "$(touch gone) `touch gone` \"; touch gone; '"
    ran = runner.run(patch=f"\n {patch} \n", message=message, deny="--cached\n$(touch gone)\n")
    assert ran.status == 0, ran.err
    assert repo.git("log", "-1", "--format=%B").decode().strip() == message
    assert not (repo.path / "gone").exists()
    assert runner.run(patch=str(patch), message="m", deny="f").status == 1
    assert "denied" in runner.summary()


def test_text_of_a_patch_is_neither_output_nor_command(runner: _Runner) -> None:
    """Nor does it end its fence."""
    repo = runner.repo
    bad = "::error::no\nstatus=applied\n````\n# heading"
    lines = "".join(f" {line}\n" for line in bad.splitlines())
    patch = repo.write(
        "../a.patch", f"*** Begin Patch\n*** Update File: f\n@@\n{lines}+x\n*** End Patch\n"
    )
    ran = runner.run(patch=str(patch))
    assert ran.status == 1
    assert runner.outputs()["status"] == "refused"
    first, *_, last = ran.out.decode().splitlines()
    token = first.removeprefix("::stop-commands::")
    assert (first, last) == (f"::stop-commands::{token}", f"::{token}::")
    assert len(token) >= 32
    lines_of = runner.summary().splitlines()
    assert lines_of[2].startswith("```")
    assert lines_of.count(lines_of[-1]) == 1
    assert lines_of[2] == lines_of[-1] + "text"


def test_the_author_is_the_configured_one_or_the_runner(
    runner: _Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        for key in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{key}")
    repo = runner.repo
    patch = repo.write("../a.patch", _patch(5, "line five"))
    assert runner.run(patch=str(patch), message="m").status == 0
    who = repo.git("log", "-1", "--format=%an <%ae> %cn").decode()
    assert who.startswith("github-actions[bot] <41898282+github-actions[bot]@users.noreply.")
    repo.git("config", "user.name", "Me")
    repo.git("config", "user.email", "me@example.com")
    patch.write_text(_patch(26, "line twenty-six"))
    assert runner.run(patch=str(patch), message="m").status == 0
    assert repo.git("log", "-1", "--format=%an <%ae> %cn") == b"Me <me@example.com> Me\n"


def test_the_page_uses_what_the_action_has() -> None:
    _, example = re.findall(r"(?ms)^```yaml\n(jobs:.*?)^```$", _PAGE)
    steps = yaml.safe_load(example)["jobs"]["patch"]["steps"]
    used = [step for step in steps if str(step.get("uses", "")).startswith("git-opatch/")]
    assert used
    assert {name for step in used for name in step["with"]} <= set(_ACTION["inputs"])
    for name in [*_ACTION["inputs"], *_ACTION["outputs"]]:
        assert f"`{name}`" in _PAGE, name


@pytest.mark.exhaustive
def test_the_first_step_installs_the_program(tmp_path: Path) -> None:
    path = tmp_path / "path"
    env = {
        **os.environ,
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_ACTION_PATH": str(_TOP),
        "GITHUB_PATH": str(path),
    }
    script = _ACTION["runs"]["steps"][0]["run"]
    subprocess.run(["bash", "-eo", "pipefail", "-c", script], env=env, check=True)
    program = Path(path.read_text().strip(), "git-opatch")
    assert subprocess.run([program, "--version"], check=True, capture_output=True).stdout
