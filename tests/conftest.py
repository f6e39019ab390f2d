from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import Sandbox, seal


@pytest.fixture(autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees the caller's git configuration, identity or repository."""
    home = tmp_path_factory.mktemp("home")
    seal(home, monkeypatch)
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    """An empty repository."""
    return Sandbox(tmp_path / "repo").init()


@pytest.fixture(params=["sha1", "sha256"])
def sound(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """An empty repository of either object format, which git must find sound after the test."""
    repo = Sandbox(tmp_path / "repo").init(f"--object-format={request.param}")
    yield repo
    repo.fsck()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=4, help="how often to kill each transaction")


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    count = request.config.getoption("--kills")
    assert isinstance(count, int)
    return count
