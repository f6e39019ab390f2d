from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import examples  # noqa: F401 - registers the profiles of hypothesis before one is chosen
import pytest
from sandbox import Sandbox, seal

_MEMORY = Path("/dev/shm")

# Git syncs each object to disk; nothing that the tests write must survive a crash.
_is_ours = "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK | os.X_OK)
if _is_ours and shutil.disk_usage(_MEMORY).free > 4 << 30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Hide the caller's git configuration, identity and repository from all tests."""
    home = tmp_path_factory.mktemp("homes") / "home"
    home.mkdir()
    with pytest.MonkeyPatch.context() as monkeypatch:
        seal(home, monkeypatch)
        yield home


@pytest.fixture(autouse=True)
def sealed(home: Path) -> Iterator[Path]:
    """Give the home directory, which is empty before each test."""
    yield home
    if os.listdir(home):
        shutil.rmtree(home)
        home.mkdir()


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    """Make an empty repository."""
    return Sandbox(tmp_path / "repo").init()


@pytest.fixture(params=["sha1", "sha256"])
def sound(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Make an empty repository of either object format; run `git fsck` on it after the test."""
    repo = Sandbox(tmp_path / "repo").init(f"--object-format={request.param}")
    yield repo
    repo.fsck()


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are processors: while a test waits for git, git uses one."""
    return os.cpu_count() or 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, help="how often to kill each transaction")
    parser.addoption(
        "--as-program", action="store_true", help="run the real program each time, not in-process"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the cases of a test with `one_of(N)`, let one of N run, and all if they may take long, or,
    with `one_of(N, M)`, one of M, and the others as `matrix`.

    They are chosen along the diagonal: if its last parameter has N values, each is among them.
    """
    counts: dict[str, int] = {}
    for item in items:
        if mark := item.get_closest_marker("one_of"):
            (size, *larger), test = mark.args, item.nodeid.partition("[")[0]
            at = counts[test] = counts.get(test, -1) + 1
            if (at // size + at) % size:
                is_chosen = all(at % most == 0 for most in larger)
                item.add_marker(pytest.mark.exhaustive if is_chosen else pytest.mark.matrix)


def pytest_collection_finish() -> None:
    """Exclude the objects of the collection from garbage collection: they stay alive."""
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    Sandbox.as_program = bool(config.getoption("--as-program"))


@pytest.fixture(params=[2, pytest.param(10, marks=pytest.mark.exhaustive)])
def kills(request: pytest.FixtureRequest) -> int:
    """Give the number of kills of each transaction."""
    count = request.config.getoption("--kills") or request.param
    assert isinstance(count, int)
    return count
