"""A record of the journal that is a pipe, a device or a link is refused, and never waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(b"*** Update File: f\n@@\n-a\n+b\n")
_COMMANDS = (("log",), ("undo",), ("undo", "1"), ("log", "-p"), ("apply", "-R"))


@pytest.fixture
def journal(repo: Sandbox) -> Path:
    repo.commit({"f": "a\n"})
    assert repo.opatch("apply", feed=_PATCH).status == 0
    return repo.path / ".git/opatch/journal"


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _link(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("suffix", ["json", "diff", "contents"])
@pytest.mark.parametrize("make", [_pipe, _link])
def test_a_record_that_is_not_a_file(
    repo: Sandbox, journal: Path, make: Callable[[Path], None], suffix: str
) -> None:
    (journal / f"1.{suffix}").unlink()
    make(journal / f"1.{suffix}")
    for words in _COMMANDS:
        ran = repo.opatch(*words, feed=_PATCH if words == ("apply", "-R") else b"")
        assert "Traceback" not in ran.err
        if suffix == "json" and words[0] == "undo":
            assert ran.status == 128
            assert "1.json cannot be read" in ran.err
    assert repo.opatch("apply", feed=envelope(b"*** Add File: n\n+n\n")).status == 0


def test_a_record_is_not_written_through_a_link(repo: Sandbox, journal: Path) -> None:
    """What is at the names of a new entry is replaced."""
    other = repo.path.with_name("other")
    for suffix in ("diff", "contents", "tmp"):
        (journal / f"2.{suffix}").symlink_to(other)
    ran = repo.opatch("apply", feed=envelope(b"*** Add File: n\n+n\n"))
    assert (ran.status, ran.err, repo.read("n")) == (0, "", b"n\n")
    assert not other.exists()
    assert repo.opatch("undo").status == 0
    assert not (repo.path / "n").exists()


def test_a_link_in_place_of_the_journal_is_not_followed(repo: Sandbox, journal: Path) -> None:
    other = repo.path.with_name("other")
    journal.rename(other)
    journal.symlink_to(other)
    files = sorted(other.iterdir())
    for words in (("log",), ("undo",), ("redo", "1")):
        ran = repo.opatch(*words)
        assert ran.status == 128, ran
        assert "is a symbolic link, which is not followed" in ran.err
    ran = repo.opatch("apply", feed=envelope(b"*** Add File: n\n+n\n"))
    assert (ran.status, repo.read("n")) == (0, b"n\n")
    assert "note: the journal could not be written" in ran.err
    assert sorted(other.iterdir()) == files


def test_an_old_record_that_cannot_be_removed_stays(repo: Sandbox, journal: Path) -> None:
    repo.git("config", "opatch.journalSize", "1")
    (journal / "1.diff").unlink()
    (journal / "1.diff").mkdir()
    ran = repo.opatch("apply", feed=envelope(b"*** Add File: n\n+n\n"))
    assert (ran.status, ran.err) == (0, "")
    assert sorted(file.name for file in journal.iterdir())[:3] == ["1.diff", "2.contents", "2.diff"]
