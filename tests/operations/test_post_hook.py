"""The `post-opatch` hook: what it may leave unread, and the example. See `sessions/hooks`, too."""

from __future__ import annotations

from pathlib import Path

from sandbox import Sandbox
from writers import envelope

_EXAMPLE = Path(__file__).parents[2] / "hooks/post-opatch"


def test_it_need_not_read(repo: Sandbox) -> None:
    repo.write(".git/hooks/post-opatch", "#!/bin/sh\nexec <&-\n").chmod(0o755)
    many = envelope(*(b"*** Add File: many/%04d-%s\n+x\n" % (n, b"x" * 100) for n in range(1000)))
    ran = repo.opatch("apply", feed=many)
    assert (ran.status, ran.err) == (0, "")


def test_the_documented_example_works(repo: Sandbox) -> None:
    repo.write(".git/hooks/post-opatch", _EXAMPLE.read_text()).chmod(0o755)
    assert repo.opatch("apply", feed=envelope(b"*** Add File: sub/new name\n+n\n")).status == 0
    assert repo.read(".git/changed-by-opatch") == b"sub/new name\0"
