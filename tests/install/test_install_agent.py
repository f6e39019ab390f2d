"""`git opatch install-agent`: the configuration of a client, with our part and without it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from phrases import opening
from sandbox import Ran, Sandbox
from writers import envelope

from git_opatch.model.sentences import Fault

_PROGRAM = Path(sys.executable).with_name("git-opatch")
_TOP = Path(__file__).parents[2]
_START = [sys.executable, "-P", "-c", "from git_opatch.__main__ import main; main()"]
_COMMAND = shlex.join([*_START, "agent-hook"])
_CLIENTS = ("claude-code", "codex", "opencode")
_STALE = envelope(b"*** Update File: f\n@@\n-nowhere\n+b\n").decode()
_GOOD = envelope(b"*** Update File: f\n@@\n-a\n+b\n").decode()
_FILES = {
    "claude-code": [".claude/settings.local.json", ".claude/skills/git-opatch/SKILL.md"],
    "codex": [".codex/hooks.json", ".agents/skills/git-opatch/SKILL.md"],
    "opencode": [".opencode/plugins/git-opatch.js", ".opencode/skills/git-opatch/SKILL.md"],
}
_OF_USER = {
    "claude-code": [".claude/settings.json", ".claude/skills/git-opatch/SKILL.md"],
    "codex": [".codex/hooks.json", ".agents/skills/git-opatch/SKILL.md"],
    "opencode": [
        ".config/opencode/plugins/git-opatch.js",
        ".config/opencode/skills/git-opatch/SKILL.md",
    ],
}


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"f": "a\n"})
    return repo


def _install(repo: Sandbox, client: str, *options: str) -> Ran:
    """Run it with this Python, whose path is written."""
    return repo.direct("git-opatch", "install-agent", client, *options)


def _changed(repo: Sandbox) -> list[str]:
    return sorted(set(repo.files()) - {"f"})


def _command(repo: Sandbox, name: str) -> str:
    (group,) = json.loads(repo.read(name))["hooks"]["PreToolUse"]
    (handler,) = group["hooks"]
    assert handler["type"] == "command"
    return str(handler["command"])


@pytest.mark.parametrize("client", _CLIENTS)
def test_it_is_installed_and_removed(base: Sandbox, client: str) -> None:
    before = base.files()
    ran = _install(base, client, "--yes")
    assert (ran.status, _changed(base)) == (0, sorted(_FILES[client]))
    shown = ran.out.decode()
    assert shown.index("for this project:\n") < shown.index(f"  {base.path / _FILES[client][0]}\n")
    assert shown.index("    a skill: ") < shown.index(f"+++ {base.path / _FILES[client][0]}\n")
    after = base.files()
    ran = _install(base, client, "--yes")
    assert (ran.status, ran.out, ran.err) == (0, b"already installed\n", "")
    assert base.files() == after
    ran = _install(base, client, "--remove", "--yes")
    assert (ran.status, base.files()) == (0, before)
    assert sorted(os.listdir(base.path)) == [".git", "f"]
    ran = _install(base, client, "--remove")
    assert (ran.status, ran.out) == (0, b"nothing to remove\n")


@pytest.mark.parametrize("client", _CLIENTS)
def test_it_is_installed_for_the_user(base: Sandbox, sealed: Path, client: str) -> None:
    assert _install(base, client, "--user", "--yes").status == 0
    assert _changed(base) == []
    files = sorted(path for path in sealed.rglob("*") if path.is_file())
    assert files == sorted(sealed / name for name in _OF_USER[client])
    assert _install(base, client, "--user", "--remove", "--yes").status == 0
    assert not list(sealed.iterdir()) or list(sealed.iterdir()) == [sealed / ".config"]


def test_directories_that_the_user_chose_are_used(base: Sandbox, tmp_path: Path) -> None:
    env = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "cl"),
        "CODEX_HOME": str(tmp_path / "co"),
        "XDG_CONFIG_HOME": str(tmp_path / "xdg"),
    }
    for client in _CLIENTS:
        words = ("git-opatch", "install-agent", client, "--user", "--yes")
        assert base.direct(*words, env=env).status == 0
    for name in ("cl/settings.json", "co/hooks.json", "xdg/opencode/plugins/git-opatch.js"):
        assert (tmp_path / name).is_file()


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_command_judges_a_patch(base: Sandbox, client: str) -> None:
    """It is run as the client does, by a shell, and needs no PATH."""
    assert _install(base, client, "--yes").status == 0
    command = _command(base, _FILES[client][0])
    assert command == _COMMAND
    script = f"apply_patch <<'EOF'\n{_STALE}EOF\n"
    event = {
        "hook_event_name": "PreToolUse",
        "cwd": str(base.path),
        "tool_name": "Bash",
        "tool_input": {"command": script},
    }
    ran = base.program("sh", "-c", command, feed=json.dumps(event).encode())
    assert json.loads(ran.out)["hookSpecificOutput"]["permissionDecision"] == "deny"


_EVENT = {"hook_event_name": "PreToolUse", "cwd": ".", "tool_name": "Bash"}
# As pip 23 and pip 26 write them.
_LAUNCHERS = (
    "import re\nimport sys\nfrom git_opatch.__main__ import main\n"
    "if __name__ == '__main__':\n"
    "    sys.argv[0] = re.sub(r'(.exe)?$', '', sys.argv[0])\n    sys.exit(main())\n",
    "import sys\nfrom git_opatch.__main__ import main\nif __name__ == '__main__':\n"
    "    sys.argv[0] = sys.argv[0].removesuffix('.exe')\n    sys.exit(main())\n",
)


@pytest.mark.parametrize("launcher", _LAUNCHERS)
def test_the_command_imports_nothing_for_most_events(
    base: Sandbox, launcher: str, tmp_path: Path
) -> None:
    """Whatever the program imports that an installer wrote (D305)."""
    program = tmp_path / "git-opatch"
    program.write_text(f"#!{sys.executable}\n{launcher}")
    program.chmod(0o755)
    assert base.program(str(program), "install-agent", "claude-code", "--yes").status == 0
    event = json.dumps({**_EVENT, "tool_input": {"command": "ls"}}).encode()
    imports = {"PYTHONPROFILEIMPORTTIME": "1"}
    python = base.program(sys.executable, "-P", "-c", "import io", env=imports).err
    ran = base.program(
        "sh", "-c", _command(base, _FILES["claude-code"][0]), feed=event, env=imports
    )
    assert (ran.status, ran.out) == (0, b"")
    names = [{line.split("|")[-1].strip() for line in err.split("\n")} for err in (python, ran.err)]
    assert names[1] - names[0] == {
        "git_opatch",
        "git_opatch.agent",
        "git_opatch.agent.program",
        "git_opatch.__main__",
    }


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1), ("", 1), ("yes", 0)])
def test_it_asks_at_the_terminal(base: Sandbox, answer: str, status: int) -> None:
    ours, theirs = os.openpty()
    os.write(ours, answer.encode() + b"\n")
    words = [str(_PROGRAM), "install-agent", "claude-code"]
    ran = subprocess.run(words, cwd=base.path, stdin=theirs, capture_output=True, text=True)
    os.close(theirs)
    os.close(ours)
    assert "Write this? [y/N]" in ran.stderr
    assert ran.returncode == status
    assert bool(_changed(base)) == (status == 0)


_SETTINGS = [
    '{"permissions": {"allow": ["Bash(ls:*)"]}}',
    '{\n    "model": "opus",\n    "hooks": {\n        "Stop": []\n    }\n}\n',
    '{"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": []}]}, "é": 1.5}',
    '{\n\t"hooks": {"PreToolUse": [{"hooks": [{"command": "mine agent-hook"}]}]}\n}',
    '{\r\n  "a": 1\r\n}\r\n',
]  # fmt: skip


@pytest.mark.parametrize("text", _SETTINGS)
def test_what_is_in_the_file_stays(base: Sandbox, text: str) -> None:
    name = _FILES["claude-code"][0]
    base.write(name, text)
    assert _install(base, "claude-code", "--yes").status == 0
    old, new = json.loads(text), json.loads(base.read(name))
    ours = new["hooks"]["PreToolUse"].pop()
    assert ours["hooks"][0]["command"] == _COMMAND
    old.setdefault("hooks", {}).setdefault("PreToolUse", [])
    assert new == old
    assert _install(base, "claude-code", "--yes").out == b"already installed\n"
    assert _install(base, "claude-code", "--remove", "--yes").status == 0
    after = base.read(name).decode()
    assert list(json.loads(after).items()) == list(json.loads(text).items())
    assert ("\r\n" in after, "\n\t" in after) == ("\r\n" in text, "\n\t" in text)
    if text.count("\n") > 2:
        assert after == text


def test_a_former_path_is_updated_and_its_options_are_kept(base: Sandbox) -> None:
    name = _FILES["codex"][0]
    hooks: dict[str, Any] = {"type": "command", "command": "git opatch agent-hook --deny '.g h/'"}
    mine = {"type": "command", "command": "mine"}
    both = {"matcher": "Bash", "hooks": [mine, hooks]}
    base.write(name, json.dumps({"hooks": {"PreToolUse": [both]}}))
    assert _install(base, "codex", "--yes").status == 0
    (group,) = json.loads(base.read(name))["hooks"]["PreToolUse"]
    assert group["matcher"] == "Bash"
    assert group["hooks"][0] == mine
    assert group["hooks"][1]["command"] == f"{_COMMAND} --deny '.g h/'"
    assert _install(base, "codex", "--remove", "--yes").status == 0
    (group,) = json.loads(base.read(name))["hooks"]["PreToolUse"]
    assert group == {"matcher": "Bash", "hooks": [mine]}


_TOML = """\
# mine
model = "gpt-5"  # the best

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "say done"

[projects."/x"]
trust_level = "trusted"
"""


def test_hooks_in_toml_are_extended_and_comments_stay(base: Sandbox) -> None:
    base.write(".codex/config.toml", _TOML)
    assert _install(base, "codex", "--yes").status == 0
    assert not (base.path / ".codex/hooks.json").exists()
    text = base.read(".codex/config.toml").decode()
    assert text.startswith(_TOML)
    (group,) = tomllib.loads(text)["hooks"]["PreToolUse"]
    assert group["matcher"] == "apply_patch|Bash"
    assert group["hooks"] == [{"type": "command", "command": _COMMAND}]
    assert _install(base, "codex", "--yes").out == b"already installed\n"
    changed = text.replace(_COMMAND, "/former/git-opatch agent-hook --deny x")
    base.write(".codex/config.toml", changed)
    assert _install(base, "codex", "--yes").status == 0
    assert f"{_COMMAND} --deny x" in base.read(".codex/config.toml").decode()
    assert _install(base, "codex", "--remove", "--yes").status == 0
    assert base.read(".codex/config.toml").decode() == _TOML


def test_a_configuration_without_hooks_is_left_alone(base: Sandbox) -> None:
    """What Codex records of its trust is no hook."""
    text = '# mine\nmodel = "x"\n[hooks.state."k"]\ntrusted_hash = "sha256:0"\n'
    base.write(".codex/config.toml", text)
    assert _install(base, "codex", "--yes").status == 0
    assert (base.path / ".codex/hooks.json").exists()
    assert base.read(".codex/config.toml").decode() == text


@pytest.mark.parametrize(
    ("client", "name", "text", "message"),
    [
        ("claude-code", ".claude/settings.local.json", "{", "is not JSON"),
        ("claude-code", ".claude/settings.local.json", "// x\n{}", "is not JSON"),
        ("claude-code", ".claude/settings.local.json", "[]", "is not an object"),
        ("claude-code", ".claude/settings.local.json", '{"a": 1, "a": 2}', "two members"),
        ("claude-code", ".claude/settings.local.json", '{"hooks": []}', "another structure"),
        ("codex", ".codex/hooks.json", '{"hooks": {"PreToolUse": {}}}', "another structure"),
        ("claude-code", ".claude/settings.local.json", b"\xff", "is not text in UTF-8"),
        ("claude-code", ".claude/skills/git-opatch/SKILL.md", "mine", "is not a file of git"),
        ("codex", ".codex/hooks.json", '{"hooks": null}', "another structure"),
        ("codex", ".codex/config.toml", "x = ", "is not TOML"),
        ("codex", ".codex/config.toml", "hooks = {Stop = []}\n", "none can be appended"),
        ("opencode", ".opencode/plugins/git-opatch.js", "mine", "is not a file of git"),
    ],
)  # fmt: skip
def test_what_cannot_be_extended_is_left_alone(
    base: Sandbox, client: str, name: str, text: str | bytes, message: str
) -> None:
    base.write(name, text)
    before = base.files()
    ran = _install(base, client, "--yes")
    assert ran.status == 128
    assert message in ran.err
    assert str(base.path / name) in ran.err
    assert base.files() == before


def test_a_link_to_the_file_is_followed(base: Sandbox, tmp_path: Path) -> None:
    real = tmp_path / "settings"
    real.write_text("{}\n")
    link = base.path / ".claude/settings.local.json"
    link.parent.mkdir()
    link.symlink_to(real)
    real.chmod(0o600)
    assert _install(base, "claude-code", "--yes").status == 0
    assert link.is_symlink()
    assert "agent-hook" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600


def test_outside_of_a_repository_it_is_refused(tmp_path: Path) -> None:
    assert Sandbox(tmp_path).opatch("install-agent", "claude-code", "--yes").status == 128


def test_the_skill_teaches_the_format(base: Sandbox) -> None:
    assert _install(base, "claude-code", "--yes").status == 0
    text = base.read(".claude/skills/git-opatch/SKILL.md").decode()
    assert text.startswith("---\nname: git-opatch\ndescription: ")
    assert base.opatch("prompt").out.decode() in text
    assert f"{_PROGRAM} apply-patch <<'PATCH'" in text
    line = text.partition("## After an edit has failed\n")[2].partition("```sh\n")[2]
    base.write("src/greet.py", "def  greet(name):\n\tpass\n")
    ran = base.program("sh", "-c", line.partition("```")[0])
    assert (ran.status, base.read("src/greet.py")) == (0, b"def greet(name, mark):\n\tpass\n")
    assert "@" not in text.replace("@@", "")


def test_the_plugin_in_the_repository_is_the_one_that_is_installed() -> None:
    shown = _TOP / "integrations/opencode/git-opatch.js"
    assert shown.resolve() == _TOP / "git_opatch/install/opencode.js"


_HARNESS = """
const { GitOpatch } = await import(process.argv[2])
const hooks = await GitOpatch({ directory: process.argv[3] })
const said = []
for (const [callID, [tool, args]] of JSON.parse(process.argv[4]).entries()) {
  const output = { args }
  try {
    await hooks["tool.execute.before"]({ tool, callID }, output)
    said.push({ args: output.args })
  } catch (error) {
    said.push({ error: error.message })
  }
  const part = { type: "tool", callID, state: { status: "completed" } }
  await hooks.event({ event: { type: "message.part.updated", properties: { part } } })
}
console.log(JSON.stringify(said))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_the_plugin_judges_calls(base: Sandbox, tmp_path: Path) -> None:
    assert _install(base, "opencode", "--yes").status == 0
    plugin = tmp_path / "plugin.mjs"
    plugin.write_text(base.read(".opencode/plugins/git-opatch.js").decode())
    harness = tmp_path / "harness.mjs"
    harness.write_text(_HARNESS)

    def call(*calls: tuple[str, dict[str, str]]) -> list[dict[str, Any]]:
        words = ["node", *map(str, (harness, plugin, base.path)), json.dumps(calls)]
        ran = subprocess.run(words, capture_output=True, text=True, check=True)
        found: list[dict[str, Any]] = json.loads(ran.stdout)
        return found

    patch, listing = ("apply_patch", {"patchText": _GOOD}), ("bash", {"command": "ls"})
    stale, good, bash, read = call(
        ("apply_patch", {"patchText": _STALE}), patch, listing, ("read", {"filePath": "f"})
    )
    assert stale["error"].startswith(f"error: f: hunk 1 of 1 {opening(Fault.NOT_FOUND.sentence)}")
    assert "error" not in good
    assert bash == {"args": {"command": "ls"}}
    assert read == {"args": {"filePath": "f"}}
    base.write("f", "def  a():\n\treturn 1\n\nx\nx\n")
    own = ("edit", {"filePath": "f", "oldString": "return 1", "newString": "return 2"})
    twice = ("edit", {"filePath": "f", "oldString": "x", "newString": "y"})
    edit, many = call(
        ("edit", {"filePath": "f", "oldString": "def a():\n", "newString": "def b():\n"}), twice
    )
    assert edit["args"]["oldString"].startswith("def  a():\n\treturn 1\n")
    assert edit["args"]["newString"].startswith("def b():\n\treturn 1\n")
    assert "occurs 2 times" in many["error"]
    base.git("config", "opatch.deny", "f")
    for denied in call(own, ("write", {"filePath": "f", "content": ""})):
        assert Fault.DENIED.sentence in denied["error"]
    base.git("config", "--unset", "opatch.deny")
    plugin.write_text(plugin.read_text().replace(sys.executable, "/nowhere/python"))
    unjudged, bash, plain, many = call(patch, listing, own, twice)
    assert "could not judge the patch" in unjudged["error"]
    assert bash == {"args": {"command": "ls"}}
    assert (plain, many) == ({"args": own[1]}, {"args": twice[1]})


_AT_ONCE = """
const { GitOpatch } = await import(process.argv[2])
const hooks = await GitOpatch({ directory: process.argv[3] })
const [stale, good] = JSON.parse(process.argv[4])
const said = []
const call = (callID, patchText) =>
  hooks["tool.execute.before"]({ tool: "apply_patch", callID }, { args: { patchText } }).then(
    () => said.push(`${callID} passes`), () => said.push(`${callID} denied`))
const end = (callID, status) => hooks.event({ event: { type: "message.part.updated",
  properties: { part: { type: "tool", callID, state: { status } } } } })
const calls = [call("a", stale), call("b", good), call("c", good)]
await Promise.all(calls.slice(0, 2))
await hooks.event({ event: { type: "session.idle", properties: {} } })
await end("b", "running")
await end("x", "completed")
await new Promise((resolve) => setTimeout(resolve, 1000))
said.push("b ends")
await end("b", "completed")
await calls[2]
await end("c", "error")
console.log(JSON.stringify(said))
"""


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_the_plugin_judges_one_patch_after_the_other(base: Sandbox, tmp_path: Path) -> None:
    """OpenCode makes the calls of one answer at the same time (D307)."""
    assert _install(base, "opencode", "--yes").status == 0
    plugin, harness = tmp_path / "plugin.mjs", tmp_path / "harness.mjs"
    plugin.write_text(base.read(".opencode/plugins/git-opatch.js").decode())
    harness.write_text(_AT_ONCE)
    patches = json.dumps([_STALE, _GOOD])
    words = ["node", *map(str, (harness, plugin, base.path)), patches]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == ["a denied", "b passes", "b ends", "c passes"]
