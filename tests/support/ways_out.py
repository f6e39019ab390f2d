"""Ways out of the working tree, for `test_escapes.py`: names, links, directories, scripts."""

from __future__ import annotations

import json
from collections.abc import Callable

from writers import envelope

NAMES = {
    "up": "../x",
    "up from a folder": "dir/../../x",
    "up, slashes doubled": "dir//..//..//x",
    "up after a dot": "./../x",
    "up with backslashes": "dir\\..\\..\\x",
    "up to the top again": "../repo/x",
    "absolute": "/tmp/git-opatch-escape",
    "absolute, slashes doubled": "//tmp/git-opatch-escape",
    "UNC": "\\\\server\\share\\x",
    "UNC with slashes": "//server/share/x",
    "a device": "\\\\?\\C:\\x",
    "a drive": "C:\\x",
    "a drive with slashes": "C:/x",
    "the root of a drive": "\\x",
    "git's folder": ".git/config",
    "a hook": ".git/hooks/pre-commit",
    "after a dot": "./.git/config",
    "git's folder itself": ".git",
    "of a nested repository": "dir/.git/config",
    "in capitals": ".GIT/config",
    "a dot after it": ".git./config",
    "a blank after it": ".git /config",
    "its short name": "git~1/config",
    "its short name in capitals": "GIT~1/hooks/pre-commit",
    "its stream": ".git::$INDEX_ALLOCATION/config",
    "another stream": ".git:x/config",
    "with a backslash": ".git\\config",
    "an ignored code point": ".g\u200cit/config",
    "one in front": "\ufeff.git/config",
    "one after it": ".git\u200d/hooks/pre-commit",
    "a NUL": "dir/a\0b",
}

FAMILIES: dict[str, Callable[[str], bytes]] = {
    "envelope": lambda path: envelope(f"*** Add File: {path}\n+x\n".encode()),
    "unified": lambda path: f"--- /dev/null\n+++ b/{path}\n@@\n+x\n".encode(),
    "file changes": lambda path: (
        f'<FILE_CHANGES>\n<FILE_NEW file_path="{path}">\nx\n</FILE_NEW>\n</FILE_CHANGES>\n'.encode()
    ),
    "blocks": lambda path: f"{path}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n".encode(),
    "operations": lambda path: json.dumps(
        {"type": "create_file", "path": path, "diff": "+x"}
    ).encode(),
}


def add(path: str) -> bytes:
    return f"*** Add File: {path}\n+x\n".encode()


def update(path: str) -> bytes:
    return f"*** Update File: {path}\n@@\n-secret\n+x\n".encode()


def delete(path: str) -> bytes:
    return f"*** Delete File: {path}\n".encode()


def move(old: str, new: str) -> bytes:
    return f"*** Update File: {old}\n*** Move to: {new}\n".encode()


def _link(path: str, leads: str = "../outside") -> bytes:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 120000\n--- /dev/null\n+++ b/{path}\n"
        f"@@\n+{leads}\n\\ No newline at end of file\n"
    ).encode()


def _tags(*lines: str) -> bytes:
    return "\n".join(["<FILE_CHANGES>", *lines, "</FILE_CHANGES>", ""]).encode()


def _through(directory: str) -> dict[str, bytes]:
    """Return all that a patch can do through a link."""
    return {
        f"add below {directory}": envelope(add(f"{directory}/new")),
        f"update below {directory}": envelope(update(f"{directory}/f")),
        f"delete below {directory}": envelope(delete(f"{directory}/f")),
        f"move to below {directory}": envelope(move("f", f"{directory}/moved")),
        f"move from below {directory}": envelope(move(f"{directory}/f", "taken")),
        f"copy from below {directory}": _tags(
            f'<FILE_COPY from_path="{directory}/f" to_path="taken" />'
        ),
        f"copy to below {directory}": _tags(
            f'<FILE_COPY from_path="f" to_path="{directory}/copy" />'
        ),
        f"append below {directory}": _tags(
            f'<FILE_APPEND file_path="{directory}/f">', "x", "</FILE_APPEND>"
        ),
    }


LINKS = {
    **_through("link"),
    **_through("untracked"),
    **_through("swapped"),
    **_through("sub"),
    **_through("nested"),
    "add below a new link": _link("evil") + envelope(add("evil/new")),
    "update below a new link": _link("evil") + envelope(update("evil/f")),
    "delete below a new link": _link("evil") + envelope(delete("evil/f")),
    "move to below a new link": _link("evil") + envelope(move("f", "evil/moved")),
    "below a file that became a link": envelope(delete("f")) + _link("f") + envelope(add("f/x")),
    "below a folder that became a link": envelope(delete("dir/f"))
    + _link("dir")
    + envelope(add("dir/f")),
    "below a link that leads elsewhere now": envelope(
        b"*** Update File: inner\n@@\n-dir\n+../outside\n", add("inner/new")
    ),
    "below a link that moved": envelope(move("link", "evil"), add("evil/new")),
    "below a copied link": _tags('<FILE_COPY from_path="link" to_path="evil" />')
    + envelope(add("evil/new")),
    "update of what a link leads to": envelope(update("to-file")),
    "append to what a link leads to": _tags(
        '<FILE_APPEND file_path="to-file">', "x", "</FILE_APPEND>"
    ),
    "add onto a link": envelope(add("to-file")),
    "move onto a link": envelope(move("f", "to-file")),
    "copy onto an untracked link": _tags('<FILE_COPY from_path="f" to_path="untracked" />'),
    "delete a submodule": envelope(delete("sub")),
    "a file in place of a submodule": envelope(add("sub")),
    "a new submodule": b"diff --git a/n b/n\nnew file mode 160000\n--- /dev/null\n+++ b/n\n@@\n"
    b"+Subproject commit " + b"1" * 40 + b"\n",
    "submodules defined by a link": _link(".gitmodules", "../outside/f"),
    "and spelled otherwise": _link("GITMOD~1", "../outside/f"),
    "by a file that became a link": envelope(add(".gitmodules"))
    + b"diff --git a/.gitmodules b/.gitmodules\nold mode 100644\nnew mode 120000\n",
}

NOT_IN_THE_INDEX = (b"untracked", b"nested/", b"swapped/")
"""Links and repositories that only the working tree has."""

QUOTED = {
    "octal": b'"b/\\056git/config"',
    "octal and up": b'"b/.\\056/x"',
    "a quoted slash": b'"b/..\\057x"',
    "a newline before it": b'"b/a\\n/../../x"',
    "a NUL after it": b'"b/a\\000"',
    "bytes of an ignored code point": b'"b/.g\\342\\200\\214it/config"',
}

DIRECTORIES = ("..", "../outside", "/tmp", ".git", "link", "dir/../..", "sub", "C:/", "~/../..")

SCRIPTS = (
    "cd .. && apply_patch <<'EOF'\n{}EOF\n",
    "cd /tmp && apply_patch <<'EOF'\n{}EOF\n",
    "cd link && apply_patch <<'EOF'\n{}EOF\n",
    "cd .git && apply_patch <<'EOF'\n{}EOF\n",
    "cd dir && cd ../.. && apply_patch <<'EOF'\n{}EOF\n",
    "bash -lc 'cd ../outside && apply_patch <<EOF\n{}EOF\n'\n",
)

MAIL = (
    b"From %s Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\nDate: Tue, 2 Jan 2024 03:04:05 "
    b"+0000\nSubject: [PATCH] x\n\n---\n"
)
