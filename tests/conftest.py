from __future__ import annotations

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=4, help="how often to kill each transaction")


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    count = request.config.getoption("--kills")
    assert isinstance(count, int)
    return count
