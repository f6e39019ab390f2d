"""The Python API: docs/api.md is correct, and its examples run unchanged."""

from __future__ import annotations

import ast
import dataclasses
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from sandbox import Sandbox
from writers import envelope

import git_opatch as api
from git_opatch.model import errors
from git_opatch.model.errors import NotAnInvocation

_TEXT = (Path(__file__).parents[2] / "docs/api.md").read_text()
_READ, _APPLY, _DIFF, _MEMORY, _COMMAND, _CREATE, _THOUSAND = re.findall(
    r"(?ms)^```python\n(.*?)^```$", _TEXT
)
_README = (Path(__file__).parents[2] / "README.md").read_text()
_PATCH = re.findall(r"(?ms)^\*\*\* Begin Patch$.*?^\*\*\* End Patch$\n", _README)[0]
_ADDED = "*** Add File: docs/manual.txt\n+Run greet with a name.\n"
_OLD = 'def greet(name):\n    return "Hello " + name\n'
_NEW = 'def greet(name):\n    return f"Hello, {name}!"\n'


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"src/greet.py": _OLD})
    return repo


def _ran(repo: Sandbox, code: str, text: str = _PATCH) -> str:
    ran = repo.run("python", "-W", "error", "-c", f"text = {text!r}\n{code}")
    assert (ran.status, ran.err) == (0, "")
    return ran.out.decode()


def test_every_documented_name_exists() -> None:
    assert all(hasattr(api, name) for name in api.__all__)
    functions = {name for name in api.__all__ if name.islower()} - {"is_patch"}
    assert functions
    assert not {name for name in functions if f"`{name}" not in _TEXT}
    lines = re.findall(r"(?m)^from git_opatch import (.*)$", _TEXT)
    imported = set(re.findall(r"\w+", " ".join(lines)))
    assert imported <= set(api.__all__)


def _reachable(kind: object, found: set[type]) -> None:
    """Add to `found` our classes that `kind` names, and those of their public fields."""
    for part in get_args(kind):
        _reachable(part, found)
    base = get_origin(kind) or kind
    if not isinstance(base, type) or base in found or not base.__module__.startswith("git_opatch"):
        return
    found.add(base)
    if not issubclass(base, Enum):
        for name, hint in get_type_hints(base).items():
            if not name.startswith("_"):
                _reachable(hint, found)


def test_one_import_has_everything_that_functions_take() -> None:
    found: set[type] = set()
    functions = [getattr(api, name) for name in api.__all__ if name.islower()]
    for function in functions:
        for name, hint in get_type_hints(function).items():
            if name != "return":
                _reachable(hint, found)
    assert {api.Options, api.Policy, api.Line, api.Record} <= found
    assert not {kind for kind in found if getattr(api, kind.__name__, None) is not kind}


def test_all_fields_of_options_are_documented() -> None:
    for kind, fields in (
        (api.Options, [field.name for field in dataclasses.fields(api.Options)]),
        (api.Matching, list(api.Matching._fields)),
    ):
        _, _, rest = _TEXT.partition(f"| field of `{kind.__name__}` |")
        rows = rest.partition("\n\n")[0].splitlines()[2:]
        assert re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in rows)) == fields


_UNTYPED: Any = api
_WRONG_TYPES: dict[str, Callable[[], object]] = {
    "target must be of type Target, not str; pass Target.WORKTREE": lambda: _UNTYPED.Options(
        target="worktree"
    ),
    "matching.ambiguous must be of type Ambiguous, not str; pass Ambiguous.NEAREST": lambda: (
        _UNTYPED.Options(matching=_UNTYPED.Matching(ambiguous="nearest"))
    ),
    "pass Tier.STRICT or Tier.RESILIENT or Tier.FUZZY": lambda: _UNTYPED.Options(
        matching=_UNTYPED.Matching(tier="exact")
    ),
    "patch_format must be of type Format, not str; pass Format.UNIFIED": lambda: (
        _UNTYPED.parse_patch(_PATCH, patch_format="unified")
    ),
}


@pytest.mark.parametrize("message", _WRONG_TYPES)
def test_a_value_of_another_type_is_an_error_that_says_what_to_pass(message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        _WRONG_TYPES[message]()


def test_one_import_has_all_errors() -> None:
    raised = {error for error in vars(errors).values() if isinstance(error, type)}
    ours = {error for error in raised if issubclass(error, api.OpatchError)} - {NotAnInvocation}
    assert not {error for error in ours if getattr(api, error.__name__, None) is not error}


def test_type_checkers_and_python_see_the_same_names() -> None:
    tree = ast.parse(Path(api.__file__).read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.name: (node.module or "").removeprefix("git_opatch.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == api._MODULE_OF
    assert sorted(imported) == api.__all__


def test_names_are_imported_lazily() -> None:
    script = (
        "import sys, git_opatch\n"
        "before = [name for name in sys.modules if name.startswith('git_opatch.')]\n"
        "print(before, git_opatch.Tier.STRICT.value, hasattr(git_opatch, 'nothing'))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[] strict False\n"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (_READ, r"update src/greet\.py 1\nadd docs/manual\.txt 1\n3 .*`@@@`.* @@"),
        (_APPLY.partition("try:")[0] + _DIFF, r"(?s).*docs/manual\.txt 1 0 \[1\]\nsrc.* 1 1 \[1\]"),
        (_MEMORY, r"\['docs/manual\.txt', 'src/greet\.py'\]\nalready_applied"),
    ],
)
def test_the_examples_that_write_nothing_run(base: Sandbox, code: str, printed: str) -> None:
    assert re.fullmatch(printed + "\n", _ran(base, code))


def test_the_apply_and_undo_example_runs(base: Sandbox) -> None:
    before = base.index(), base.files()
    output = _ran(base, _APPLY)
    assert output.startswith("src/greet.py 2 strict unique\n")
    assert '\n-    return "Hello " + name\n+    return f"Hello, {name}!"\n' in output
    assert (base.index(), base.files()) == before
    records = api.records_of(api.Repository(base.path))
    assert [(record.number, record.origin, record.name) for record in records] == [
        (2, 1, "from a program"), (1, 0, "from a program"),
    ]  # fmt: skip


def test_the_example_of_creation_runs(base: Sandbox) -> None:
    base.commit({"src/greet.py": _NEW})
    printed = [line.split() for line in _ran(base, _CREATE).splitlines()]
    assert [words[:3] for words in printed] == [[each.value, "1", "1"] for each in api.Format]


def test_a_created_patch_is_that_of_the_command(base: Sandbox) -> None:
    base.commit({"src/greet.py": _NEW, "src/x": "1\n"})
    repository = api.Repository(base.path)
    created = api.create_patch(
        repository, "HEAD", pathspecs=["src/greet.py"], patch_format=api.Format.UNIFIED, context=3
    )
    words = ("HEAD", "--format", "unified", "--context", "3", "--", "src/greet.py")
    assert created.text == base.opatch("create", *words).out
    assert (created.files, created.hunks) == (1, 1)
    assert api.apply_to_text(created.text, {"src/greet.py": _OLD}) == {"src/greet.py": _NEW}
    assert api.create_patch(repository, cached=True).text == b""


def test_what_cannot_be_created_is_an_error(base: Sandbox) -> None:
    base.commit({"src/binary": b"\0\1"})
    repository = api.Repository(base.path)
    with pytest.raises(api.NotExpressibleError, match="binary") as refused:
        api.create_patch(repository, "HEAD")
    assert [path for path, _ in refused.value.reasons] == ["src/binary"]
    with pytest.raises(api.RepositoryError, match="is not a commit"):
        api.create_patch(repository, "none")
    with pytest.raises(api.UsageError):
        api.create_patch(repository, "HEAD", cached=True)
    with pytest.raises(api.UsageError):
        api.create_patch(repository, "HEAD", context=-1)


def test_options_are_those_of_the_configuration(base: Sandbox) -> None:
    repository = api.Repository(base.path)
    assert api.Options.from_config(repository) == api.Options()
    for name, value in (("target", "worktree"), ("match", "strict"), ("journalSize", "7")):
        base.git("config", f"opatch.{name}", value)
    base.git("config", "--add", "opatch.deny", "secret/*")
    options = api.Options.from_config(repository)
    assert (options.target, options.matching.tier) == (api.Target.WORKTREE, api.Tier.STRICT)
    assert options.journal_size == 7
    assert [(rule.pathspecs, rule.allows) for rule in options.policy.rules] == [
        (("secret/*",), False)
    ]
    base.git("config", "opatch.match", "loose")
    with pytest.raises(api.OpatchError, match=r"opatch\.match is `loose`"):
        api.Options.from_config(repository)


def test_the_refusal_example_runs(base: Sandbox) -> None:
    base.commit({"src/greet.py": "def greet(name):\n    hey\n"})
    before = base.state()
    output = _ran(base, _APPLY)
    assert "\nsrc/greet.py 1 4 not_found\nerror: src/greet.py: hunk 1 of 1 does not match" in output
    assert output.endswith("the patch does not apply; nothing was changed\n")
    assert base.state() == before


def test_a_refusal_is_the_text_of_the_command(base: Sandbox) -> None:
    base.commit({"src/greet.py": "def greet(name):\n    hey\n"})
    patch = f"{_PATCH}".replace(_ADDED, "*** Delete File: src/none.py\n")
    printed = base.opatch("apply", feed=patch.encode()).err
    repository = api.Repository(base.path)
    options = api.Options(three_way=api.ThreeWay.SUGGEST)
    with pytest.raises(api.Refused) as refused:
        api.apply_patch(api.parse_patch(patch), repository, options)
    assert f"{api.refusal_text(refused.value)}\n" == printed
    assert str(refused.value) == "\n".join(
        line.removeprefix("error: ") for line in printed.splitlines() if line.startswith("error: ")
    )
    failures = api.plan_patch(api.parse_patch(patch), repository, options).failures
    assert all(f"{failure.path}: " in printed for failure in failures)
    first, second = failures
    assert (first.hunk, first.hunks, first.number, first.section_line) == (1, 1, 4, 2)
    assert first.picture is not None
    assert first.picture.first is not None
    assert (first.picture.first.position, first.candidates, first.other) == (1, (), 0)
    assert (second.hunk, second.hunks, second.number) == (0, 0, 6)
    copy = pickle.loads(pickle.dumps(refused.value))
    assert (str(copy), copy.failures) == (str(refused.value), refused.value.failures)
    with pytest.raises(api.Refused, match="hunk 1 of 1 does not match the file"):
        api.apply_to_text(_PATCH, {"src/greet.py": "def greet(name):\n    hey\n"})


@pytest.mark.parametrize(
    ("patch", "printed"),
    [
        (_PATCH, "True None\nadd docs/manual.txt None b'Run greet with a name.\\n'\n"),
        (_PATCH, f"\nupdate src/greet.py None {_NEW.encode()!r}\n"),
        (_PATCH.replace("Hello ", "Hi "), "\nerror: src/greet.py: hunk 1 of 1 does not match"),
        (_PATCH.replace("@@", "@@@"), "\nParseError: line 4: "),
    ],
)
def test_the_command_example_runs(base: Sandbox, patch: str, printed: str) -> None:
    before = base.state()
    assert printed in _ran(base, _COMMAND, patch)
    assert base.state() == before


def test_many_patches_are_planned_for_many_trees(tmp_path: Path) -> None:
    """Every third patch is for the tree before, and every fifth one is malformed."""
    repo = Sandbox(tmp_path / "repo").init()
    tasks, wanted = [], []
    for number in range(10):
        repo.commit({"src/f": f"first\nline {number}\nlast\n"})
        repo.git("tag", f"t{number}")
        shown = number - 1 if number % 3 == 0 else number
        header = "@@@" if number % 5 == 0 else "@@"
        hunk = f"*** Update File: src/f\n{header}\n-line {shown}\n+new\n"
        tasks.append((f"t{number}", envelope(hunk.encode()).decode()))
        verdict = "not_found" if number % 3 == 0 else "applies"
        wanted.append("ParseError" if number % 5 == 0 else verdict)
    before = repo.state()
    code = f"{_THOUSAND}\nimport json\nprint(json.dumps(judge_all('.', {tasks!r})))\n"
    assert json.loads(_ran(repo, code)) == wanted
    assert repo.state() == before
