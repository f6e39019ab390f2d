"""Apply a patch as a model writes it to the source of a real package."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_PACKAGE = "unidiff==0.7.5"


@pytest.fixture
def package(tmp_path: Path) -> Sandbox:
    """Commit the package's sdist unchanged."""
    downloads = tmp_path / "downloads"
    download = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", downloads]
    ran = subprocess.run(
        [sys.executable, "-m", "pip", *map(str, download), _PACKAGE], capture_output=True
    )
    if ran.returncode:
        pytest.skip("no package registry can be reached")
    with tarfile.open(next(downloads.iterdir())) as archive:
        archive.extractall(downloads, filter="data")
    source = next(path for path in downloads.iterdir() if path.is_dir())
    shutil.move(source, tmp_path / "package")
    repo = Sandbox(tmp_path / "package").init()
    repo.commit()
    return repo


def _edit(repo: Sandbox, name: str, old: bytes, new: bytes) -> None:
    data = repo.read(name)
    assert data.count(old) == 1
    repo.write(name, data.replace(old, new))


@pytest.mark.exhaustive
def test_an_envelope_gives_the_tree_edited_by_hand(package: Sandbox) -> None:
    patch = envelope(
        b"*** Update File: unidiff/__init__.py\n@@\n"
        b" from unidiff import __version__\n+PATCHED = True\n from unidiff.patch import (\n",
        b"*** Update File: unidiff/errors.py\n@@ class UnidiffParseError(Exception):\n"
        b'-    """Exception when parsing the unified diff data."""\n'
        b'+    """Raised for a diff that cannot be parsed."""\n',
        b"*** Update File: unidiff/constants.py\n"
        b"@@\n-DEFAULT_ENCODING = 'UTF-8'\n+DEFAULT_ENCODING = 'utf-8'\n"
        b"@@\n DEV_NULL = '/dev/null'\n+DEV_ZERO = '/dev/zero'\n LINE_TYPE_ADDED = '+'\n",
        b"*** Add File: unidiff/extra.py\n+EXTRA = 1\n",
        b"*** Delete File: HISTORY\n",
        b"*** Update File: unidiff/__version__.py\n*** Move to: unidiff/version.py\n"
        b"@@\n-__version__ = '0.7.5'\n+__version__ = '0.7.6'\n",
    )
    before = package.index()
    ran = package.opatch("apply", feed=patch)
    assert ran.status == 0, ran.err
    applied = package.index()
    assert applied == package.files()
    package.git("reset", "--quiet", "--hard")

    _edit(
        package,
        "unidiff/__init__.py",
        b"from unidiff import __version__\n",
        b"from unidiff import __version__\nPATCHED = True\n",
    )
    _edit(
        package,
        "unidiff/errors.py",
        b'"""Exception when parsing the unified diff data."""',
        b'"""Raised for a diff that cannot be parsed."""',
    )
    _edit(package, "unidiff/constants.py", b"'UTF-8'", b"'utf-8'")
    _edit(
        package,
        "unidiff/constants.py",
        b"DEV_NULL = '/dev/null'\n",
        b"DEV_NULL = '/dev/null'\nDEV_ZERO = '/dev/zero'\n",
    )
    package.write("unidiff/extra.py", "EXTRA = 1\n")
    (package.path / "HISTORY").unlink()
    _edit(package, "unidiff/__version__.py", b"'0.7.5'", b"'0.7.6'")
    (package.path / "unidiff/__version__.py").rename(package.path / "unidiff/version.py")
    assert package.files() == applied

    package.git("reset", "--quiet", "--hard")
    package.git("clean", "--quiet", "-d", "--force")
    assert package.opatch("apply", feed=patch).status == 0
    assert package.opatch("apply", "-R", feed=patch).status == 0
    assert package.index() == package.files() == before
