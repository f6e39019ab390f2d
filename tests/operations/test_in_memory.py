"""A patch is applied to files in memory as the command applies it to a repository."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

from git_opatch import (
    Matching,
    Options,
    ParseError,
    Policy,
    Refused,
    Repository,
    Target,
    Tier,
    apply_patch,
    apply_to_text,
    check_patch,
    parse_patch,
    plan_in_memory,
    plan_patch,
)
from git_opatch.model.errors import UsageError
from git_opatch.model.policy import PathRule

_FILES = {"src/a.py": "def f():\n    return 1\n", "b.txt": "one\ntwo\n", "sub/c": "c\n"}
_UPDATE = b"*** Update File: src/a.py\n@@\n-    return 1\n+    return 2\n"
_PATCHES: Mapping[str, tuple[bytes, dict[str, str | None]]] = {
    "update": (_UPDATE, {"src/a.py": "def f():\n    return 2\n"}),
    "loosely": (_UPDATE.replace(b"    ", b"\t"), {"src/a.py": "def f():\n    return 2\n"}),
    "add": (b"*** Add File: new/d\n+d\n", {"new/d": "d\n"}),
    "delete": (b"*** Delete File: b.txt\n", {"b.txt": None}),
    "move": (
        b"*** Update File: b.txt\n*** Move to: moved.txt\n@@\n-two\n+2\n",
        {"b.txt": None, "moved.txt": "one\n2\n"},
    ),
    "move alone": (
        b"*** Update File: b.txt\n*** Move to: moved.txt\n",
        {"b.txt": None, "moved.txt": "one\ntwo\n"},
    ),
    "a directory becomes a file": (
        b"*** Delete File: sub/c\n*** Add File: sub\n+s\n",
        {"sub/c": None, "sub": "s\n"},
    ),
}


def _after(changes: dict[str, str | None]) -> dict[str, str]:
    return {path: text for path, text in {**_FILES, **changes}.items() if text is not None}


@pytest.mark.parametrize("name", _PATCHES)
def test_the_files_are_as_the_patch_leaves_them(name: str) -> None:
    patch, changes = _PATCHES[name]
    given = dict(_FILES)
    assert apply_to_text(envelope(patch), given) == _after(changes)
    assert given == _FILES


@pytest.mark.parametrize("name", _PATCHES)
def test_they_are_as_the_command_leaves_them(repo: Sandbox, name: str) -> None:
    repo.commit(_FILES)
    assert repo.opatch("apply", feed=envelope(_PATCHES[name][0])).status == 0
    files = {path: content for path, (_, content) in repo.index().items()}
    applied = apply_to_text(envelope(_PATCHES[name][0]).decode(), _FILES)
    assert files == {path: text.encode() for path, text in applied.items()}


def test_all_failures_are_given_and_nothing_is_applied() -> None:
    bad = (b"*** Update File: b.txt\n@@\n-three\n+3\n", b"*** Delete File: none\n")
    with pytest.raises(Refused) as refused:
        apply_to_text(envelope(_UPDATE, *bad), _FILES)
    assert [failure.path for failure in refused.value.failures] == ["b.txt", "none"]


def test_options_choose_how_to_match() -> None:
    strict = Options(matching=Matching(Tier.STRICT))
    with pytest.raises(Refused):
        apply_to_text(envelope(_PATCHES["loosely"][0]), _FILES, strict)
    with pytest.raises(Refused):
        apply_to_text(envelope(_UPDATE), _FILES, Options(directory="sub"))
    moved = {f"sub/{path}": text for path, text in _FILES.items()}
    after = apply_to_text(envelope(_UPDATE), moved, Options(directory="sub"))
    assert after["sub/src/a.py"] == "def f():\n    return 2\n"


def test_a_part_is_applied_if_asked_for() -> None:
    patch = envelope(_UPDATE, b"*** Delete File: none\n")
    after = apply_to_text(patch, _FILES, Options(partial=True))
    assert after == _after({"src/a.py": "def f():\n    return 2\n"})
    files = {path: text.encode() for path, text in _FILES.items()}
    plan = plan_in_memory(patch, files, Options(partial=True))
    assert [failure.path for failure in plan.failures] == ["none"]
    with pytest.raises(Refused):
        apply_to_text(envelope(b"*** Delete File: none\n"), _FILES, Options(partial=True))


def test_it_is_undone() -> None:
    after = apply_to_text(envelope(_UPDATE), _FILES)
    assert apply_to_text(envelope(_UPDATE), after, Options(reverse=True)) == _FILES


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "\ufeffa\nb\n", "b\na", "\udce9\na\nb\n"])
def test_bytes_around_the_change_survive(text: str) -> None:
    patch = envelope(b"*** Update File: f\n@@\n-b\n+B\n")
    assert apply_to_text(patch, {"f": text}) == {"f": text.replace("b", "B")}


@pytest.mark.parametrize(
    "options",
    [
        Options(base="HEAD"),
        Options(target=Target.WORKTREE),
        Options(policy=Policy((PathRule(("*",), True, "", "--allow"),))),
        Options(commit=True),
        Options(reject=True),
    ],
)
def test_what_needs_a_repository_is_refused(options: Options) -> None:
    with pytest.raises(UsageError, match="in memory there is no repository"):
        apply_to_text(envelope(_UPDATE), _FILES, options)


def test_a_text_that_is_not_a_patch_is_malformed() -> None:
    with pytest.raises(ParseError):
        apply_to_text("no patch", _FILES)


def test_a_plan_is_made_of_bytes() -> None:
    files = {path: text.encode() for path, text in _FILES.items()}
    patch = parse_patch(envelope(_UPDATE))
    plan = plan_patch(patch, files, Options())
    assert plan == plan_in_memory(patch, files)
    assert plan.completed.contents() == {"src/a.py": b"def f():\n    return 2\n"}
    assert b"-    return 1\n+    return 2\n" in plan.completed.diff


def test_no_process_is_started_and_no_file_is_read(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from git_opatch import apply_to_text\n"
        f"apply_to_text({envelope(_UPDATE)!r}, {_FILES!r})\n"
        "seen = []\n"
        "sys.addaudithook(lambda name, args: seen.append((name, args)))\n"
        f"apply_to_text({envelope(_UPDATE)!r}, {_FILES!r})\n"
        "print([n for n, _ in seen if n.split('.')[0] in ('open', 'subprocess', 'os', 'socket')])\n"
        "print('git' in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "[]\nFalse\n"


def test_other_types_are_named() -> None:
    with pytest.raises(TypeError, match=r"\['a'\] must be str, not bytes; for bytes: plan_in"):
        apply_to_text(envelope(_UPDATE), {"a": b"x"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"must be bytes, not str; for str: apply_to_text"):
        plan_in_memory(parse_patch(envelope(_UPDATE)), {"a": "x"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="files must map paths to contents, not be str"):
        apply_to_text("a\n", "@@")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be str or bytes, not NoneType"):
        apply_to_text(None, {})  # type: ignore[arg-type]


def test_a_patch_may_be_its_text(repo: Sandbox) -> None:
    repo.commit(_FILES)
    text = envelope(_UPDATE)
    repository, options = Repository(repo.path), Options()
    in_memory = {path: content.encode() for path, content in _FILES.items()}
    diff = plan_patch(parse_patch(text), in_memory, options).completed.diff
    for given in (text, text.decode()):
        for plan in (
            plan_patch(given, repository, options),
            check_patch(given, repository, options),
            plan_patch(given, in_memory, options),
            plan_in_memory(given, in_memory),
        ):
            assert plan.completed.diff == diff
    assert apply_patch(text.decode(), repository, options).record == 1
    with pytest.raises(ParseError):
        apply_patch("prose\n", repository, options)
    with pytest.raises(TypeError, match="must be str or bytes, not NoneType"):
        apply_patch(None, repository, options)  # type: ignore[arg-type]
