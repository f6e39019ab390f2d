r"""The files of a pull request or merge request, as the APIs of GitHub and GitLab list them.

    {"filename": "a.py", "status": "modified", "patch": "@@ -1 +1 @@\n-x\n+y"}
    {"old_path": "a.py", "new_path": "b.py", "renamed_file": true, "diff": "@@ …"}

Each becomes the diff of that file as git prints it. Source: GitHub's "List pull requests files" and
GitLab's "List merge request diffs".
"""

from __future__ import annotations

from collections.abc import Iterator

from git_opatch.model.sentences import Malformed
from git_opatch.parse.formats import DIFF_GIT
from git_opatch.parse.json_object import JsonObject, String
from git_opatch.parse.scanner import Scanner

_FLAGS = {"new_file": b"added", "deleted_file": b"removed", "renamed_file": b"renamed"}
_LINES = {
    b"added": b"new file mode 100644\n",
    b"removed": b"deleted file mode 100644\n",
    b"renamed": b"rename from %(from)s\nrename to %(to)s\n",
    b"copied": b"copy from %(from)s\ncopy to %(to)s\n",
    b"modified": b"",
    b"changed": b"",
}
"""What git prints below `diff --git`, by the status of the file."""


def is_file(call: JsonObject) -> bool:
    """Return whether `call` is an API's entry of a changed file."""
    is_github = "filename" in call.members and call.word("status") in _LINES
    return is_github or {"oldpath", "newpath", "diff"} <= call.members.keys()


def diff_of(call: JsonObject) -> Iterator[Scanner]:
    """Yield a scanner over the diff of the file, unless there is an error."""
    status, name = call.word("status"), "patch"
    if "filename" in call.members:
        old = new = call.path("filename")
        if "previousfilename" in call.members:
            old = call.path("previous_filename")
    else:
        status, name, old, new = b"modified", "diff", call.path("old_path"), call.path("new_path")
        for flag, meaning in _FLAGS.items():
            status = meaning if call.boolean(flag) else status
    hunks = call.string(name) if name in call.members else String(offset=call.at, name=name)
    if not (old and new):
        return
    if not _is_whole(call, hunks.value, status):
        call.error(Malformed.CUT_BY_API, path=new)
        return
    named = {b"old": b"a/" + old, b"new": b"b/" + new, b"from": old, b"to": new}
    for side, path in named.items():
        named[side] = b'"%b"' % path.replace(b"\\", rb"\\").replace(b'"', rb"\"")
    header = (DIFF_GIT + b"%(old)s %(new)s\n" + _LINES[status]) % named
    if hunks.value:
        named |= {b"old": b"/dev/null"} if status == b"added" else {}
        named |= {b"new": b"/dev/null"} if status == b"removed" else {}
        header += b"--- %(old)s\n+++ %(new)s\n" % named
    yield call.json.below(header, hunks, call.at)


def _is_whole(call: JsonObject, hunks: bytes, status: bytes) -> bool:
    """Return whether `hunks` have all lines that the entry says that there are."""
    if call.boolean("too_large collapsed truncated"):
        return False
    first = [line[:1] for line in hunks.split(b"\n")]
    stated = {b"+": call.number("additions"), b"-": call.number("deletions")}
    is_counted = all(said in (None, first.count(prefix)) for prefix, said in stated.items())
    return is_counted and bool(hunks or status not in (b"modified", b"changed"))
