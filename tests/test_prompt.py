"""`git opatch prompt`: its own example must be taken, in every form, and do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sandbox import Sandbox

from git_opatch.options import Dialect

_BASE = {
    "src/greet.py": b'def greet(name):\n    """Say hello."""\n    return "Hello " + name\n',
    "src/main.py": b"from src.greet import greet\n",
    "TODO": b"greet more than one person\n",
    "CHANGES": b"Greet.\n",
}
_GREETS = b'def greet(name):\n    """Say hello."""\n    return f"Hello, {name}!"\n'
_LEFT = {
    Dialect.SEARCH_REPLACE: {path: _BASE[path] for path in ("src/main.py", "TODO", "CHANGES")},
    Dialect.OPERATIONS: {path: _BASE[path] for path in ("src/main.py", "CHANGES")},
    Dialect.FILE_CHANGES: {
        "src/cli.py": _BASE["src/main.py"],
        "CHANGES": b"Greet.\nGreet with a comma.\n",
    },
}
_OTHERWISE = {"src/cli.py": _BASE["src/main.py"], "CHANGES": _BASE["CHANGES"]}


def _prompt(repo: Sandbox, *arguments: str) -> str:
    ran = repo.opatch("prompt", *arguments)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode()


@pytest.mark.parametrize("dialect", Dialect)
def test_the_example_is_applied_exactly(repo: Sandbox, dialect: Dialect) -> None:
    repo.commit(_BASE)
    text = _prompt(repo, "--dialect", dialect.value)
    (example,) = re.findall(r"(?ms)^```\n(.*?)^```$", text)
    ran = repo.opatch(
        "apply", "--dialect", dialect.value, "--match", "strict", feed=example.encode()
    )
    assert (ran.status, ran.err) == (0, "")
    expected = {"src/greet.py": _GREETS, "docs/usage.md": b"Run greet with a name.\n"}
    found = {path: content for path, (_, content) in repo.index().items()}
    assert found == expected | _LEFT.get(dialect, _OTHERWISE)


@pytest.mark.parametrize("dialect", Dialect)
def test_the_whole_answer_of_a_model_that_repeats_it_is_taken(
    repo: Sandbox, dialect: Dialect
) -> None:
    """The prose of the instructions holds nothing that is taken for a part of a patch."""
    repo.commit(_BASE)
    ran = repo.opatch("apply", "--check", feed=_prompt(repo, "--dialect", dialect.value).encode())
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("dialect", Dialect)
def test_it_is_short(repo: Sandbox, dialect: Dialect) -> None:
    assert 200 < len(_prompt(repo, "--dialect", dialect.value).split()) < 400


def test_the_envelope_is_what_models_are_told_if_nothing_is_said(repo: Sandbox) -> None:
    assert _prompt(repo) == _prompt(repo, "--dialect", "envelope")


def test_no_repository_is_needed(repo: Sandbox) -> None:
    ran = repo.opatch("prompt", cwd=Path("/"))
    assert (ran.status, ran.err) == (0, "")


def test_a_form_that_is_not_known_is_refused(repo: Sandbox) -> None:
    assert repo.opatch("prompt", "--dialect", "ed").status == 129
