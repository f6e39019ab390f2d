r"""The files of a pull request or merge request, as the APIs of GitHub and GitLab list them.

    {"filename": "a.py", "status": "modified", "patch": "@@ -1 +1 @@\n-x\n+y"}
    {"old_path": "a.py", "new_path": "b.py", "renamed_file": true, "diff": "@@ …"}

Each becomes the diff of that file as git prints it. A program made it, so its counts are right: one
that has other lines was cut. Source: GitHub's "List pull requests files" and GitLab's "List merge
request diffs".
"""

from __future__ import annotations

import re

from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import DIFF_GIT
from git_opatch.parse.json_object import JsonObject, String

_FLAGS = {"newfile": b"added", "deletedfile": b"removed", "renamedfile": b"renamed"}
_HEADERS = {
    b"added": b"\nnew file mode 100644\n--- /dev/null\n+++ %(new)s",
    b"removed": b"\ndeleted file mode 100644\n--- %(old)s\n+++ /dev/null",
    b"renamed": b"\nrename from %(from)s\nrename to %(to)s\n--- %(old)s\n+++ %(new)s",
    b"copied": b"\ncopy from %(from)s\ncopy to %(to)s\n--- %(old)s\n+++ %(new)s",
    b"modified": b"\n--- %(old)s\n+++ %(new)s",
}
"""What git prints below `diff --git`, by the status of the file."""
_HUNK = re.compile(rb"(?m)^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@.*\n?((?:[-+ \\].*\n?)*)")


def is_file(call: JsonObject) -> bool:
    """Return whether `call` is an API's entry of a changed file."""
    is_github = "filename" in call.members and call.word("status") in (*_HEADERS, b"changed")
    return is_github or {"oldpath", "newpath", "diff"} <= call.members.keys()


def diff_of(call: JsonObject) -> tuple[bytes, String] | None:
    """Return the header of the file's diff and its hunks; None after an error."""
    if "filename" in call.members:
        status, name = call.word("status"), "patch"
        new = old = call.path(("filename",), "filename")
        if "previousfilename" in call.members:
            old = call.path(("previousfilename",), "previous_filename")
    else:
        status, name = b"modified", "diff"
        for flag, meaning in _FLAGS.items():
            status = meaning if call.boolean((flag,)) else status
        old, new = call.path(("oldpath",), "old_path"), call.path(("newpath",), "new_path")
    hunks = (
        call.string((name,), name) if name in call.members else String(offset=call.at, name=name)
    )
    if old is None or new is None or hunks is None:
        return None
    if not _is_whole(call, hunks.value, status):
        call.error(Malformed.CUT_BY_API, path=new)
        return None
    paths = {
        name: b'"%s"' % (prefix + path.replace(b"\\", rb"\\").replace(b'"', rb"\""))
        for name, prefix, path in zip(
            (b"old", b"new", b"from", b"to"), (b"a/", b"b/", b"", b""), (old, new) * 2, strict=True
        )
    }
    below = _HEADERS.get(status, _HEADERS[b"modified"])
    header = (DIFF_GIT + b"%(old)s %(new)s" + below) % paths
    return (header if hunks.value else header.partition(b"\n---")[0]), hunks


def _is_whole(call: JsonObject, hunks: bytes, status: bytes) -> bool:
    """Return whether `hunks` have all lines that they, and the entry, say that there are."""
    if any(call.boolean((name,)) for name in ("toolarge", "collapsed", "truncated")):
        return False
    added = removed = 0
    for hunk in _HUNK.finditer(hunks):
        first = [line[:1] for line in hunk[3].split(b"\n")]
        same, plus, minus = (first.count(prefix) for prefix in (b" ", b"+", b"-"))
        if (same + minus, same + plus) != tuple(int(hunk[at] or b"1") for at in (1, 2)):
            return False
        added, removed = added + plus, removed + minus
    if _HUNK.sub(b"", hunks).strip() or (not hunks and status in (b"modified", b"changed")):
        return False
    stated = [call.number((name,)) for name in ("additions", "deletions")]
    return all(said in (None, count) for said, count in zip(stated, (added, removed), strict=True))
