"""`git opatch prompt`: its own example must be accepted, in every format, and do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sandbox import Sandbox

from git_opatch.model.options import Format

_BASE = {
    "src/greet.py": b'def greet(name):\n    """Say hello."""\n    return "Hello " + name\n',
    "src/main.py": b"from src.greet import greet\n",
    "TODO": b"greet more than one person\n",
    "CHANGES": b"Greet.\n",
}
_GREETS = b'def greet(name):\n    """Say hello."""\n    return f"Hello, {name}!"\n'
_LEFT = {
    Format.SEARCH_REPLACE: {path: _BASE[path] for path in ("src/main.py", "TODO", "CHANGES")},
    Format.STRING_REPLACE: {path: _BASE[path] for path in ("src/main.py", "TODO", "CHANGES")},
    Format.OPERATIONS: {path: _BASE[path] for path in ("src/main.py", "CHANGES")},
    Format.FILE_CHANGES: {
        "src/cli.py": _BASE["src/main.py"],
        "CHANGES": b"Greet.\nGreet with a comma.\n",
    },
}
_OTHERWISE = {"src/cli.py": _BASE["src/main.py"], "CHANGES": _BASE["CHANGES"]}


def _prompt(repo: Sandbox, *arguments: str) -> str:
    ran = repo.opatch("prompt", *arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode()


@pytest.mark.parametrize("patch_format", Format)
def test_the_example_is_applied_exactly(repo: Sandbox, patch_format: Format) -> None:
    repo.commit(_BASE)
    text = _prompt(repo, "--format", patch_format.value)
    (example,) = re.findall(r"(?ms)^```\n(.*?)^```$", text)
    ran = repo.opatch(
        "apply", "--format", patch_format.value, "--match", "strict", feed=example.encode()
    )
    assert (ran.status, ran.err) == (0, "")
    expected = {"src/greet.py": _GREETS, "docs/usage.md": b"Run greet with a name.\n"}
    found = {path: content for path, (_, content) in repo.index().items()}
    assert found == expected | _LEFT.get(patch_format, _OTHERWISE)


@pytest.mark.parametrize("patch_format", Format)
def test_an_answer_that_repeats_the_instructions_is_accepted(
    repo: Sandbox, patch_format: Format
) -> None:
    """Nothing in the prose of the instructions is mistaken for a part of a patch."""
    repo.commit(_BASE)
    ran = repo.opatch(
        "apply", "--check", feed=_prompt(repo, "--format", patch_format.value).encode()
    )
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("patch_format", Format)
def test_the_instructions_are_short(repo: Sandbox, patch_format: Format) -> None:
    assert 200 < len(_prompt(repo, "--format", patch_format.value).split()) < 400


def test_the_envelope_is_the_default_format(repo: Sandbox) -> None:
    assert _prompt(repo) == _prompt(repo, "--format", "envelope")


def test_no_repository_is_needed(repo: Sandbox) -> None:
    ran = repo.opatch("prompt", cwd=Path("/"))
    assert (ran.status, ran.err) == (0, "")


def test_an_unknown_format_is_refused(repo: Sandbox) -> None:
    assert repo.opatch("prompt", "--format", "ed").status == 129


@pytest.mark.parametrize(("notation", "start"), [("lark", "start:"), ("gbnf", "root ::=")])
def test_the_grammar_of_envelopes_is_printed(repo: Sandbox, notation: str, start: str) -> None:
    assert _prompt(repo, "--grammar", notation).startswith(start)


def test_other_formats_have_no_grammar(repo: Sandbox) -> None:
    ran = repo.opatch("prompt", "--grammar", "lark", "--format", "unified")
    assert ran.status == 129
    assert "--grammar is for envelopes" in ran.err
