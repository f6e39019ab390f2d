"""Group and rights of the files that an apply makes (D200)."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import pytest
from sandbox import Sandbox
from writers import envelope

_PATCH = envelope(
    b"*** Add File: shared/new\n+n\n", b"*** Update File: shared/f\n@@\n-a\n+b\n",
    b"*** Add File: shared/sub/deep\n+d\n",
)  # fmt: skip


def _group_of_others() -> int:
    others = [group for group in os.getgroups() if group != os.getegid()]
    if os.geteuid() == 0:
        return os.getegid() + 12345
    if not others:
        pytest.skip("this user is in one group only")
    return others[0]


def test_new_files_get_the_group_of_their_directory(repo: Sandbox) -> None:
    group = _group_of_others()
    repo.commit({"shared/f": "a\n"})
    shared = repo.path / "shared"
    os.chown(shared, -1, group)
    shared.chmod(0o2775)
    assert repo.opatch("apply", feed=_PATCH).status == 0
    groups = [os.stat(shared / name).st_gid for name in ("new", "f", "sub", "sub/deep")]
    assert groups == [group] * 4
    assert not list(shared.glob(".*"))


_USER, _GROUP, _OTHERS = 1, 4, 32  # acl(5), as linux/posix_acl.h numbers them


def _give_rights(directory: Path, rights: dict[int, int]) -> None:
    """Give `directory` a default access control list, as setfacl(1) does."""
    rows = (struct.pack("<HHI", tag, bits, 2**32 - 1) for tag, bits in rights.items())
    try:
        os.setxattr(directory, "system.posix_acl_default", struct.pack("<I", 2) + b"".join(rows))
    except OSError:
        pytest.skip("this file system has no access control lists")


def test_new_files_get_the_rights_of_their_directory(repo: Sandbox) -> None:
    repo.commit({"shared/f": "a\n"})
    shared = repo.path / "shared"
    _give_rights(shared, {_USER: 7, _GROUP: 7, _OTHERS: 0})
    (shared / "as-git").write_text("n\n")
    expected = stat.S_IMODE(os.stat(shared / "as-git").st_mode)
    assert expected == 0o660
    assert repo.opatch("apply", feed=_PATCH).status == 0
    assert stat.S_IMODE(os.stat(shared / "new").st_mode) == expected
