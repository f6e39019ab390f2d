"""Whatever else a call has, it is not applied if it asks not to be, or for another version."""

from __future__ import annotations

import hashlib
import json
from random import Random

import pytest
from harness_table import harnesses

from git_opatch import ParseError, plan_in_memory
from git_opatch.parse.tree import _ASKS_ELSE

_FILE = b"one\ntwo\n"
_DIFF = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"
_CALLS = (
    {"patch": _DIFF},
    {"input": _DIFF},
    {"path": "a", "old_string": "one", "new_string": "1"},
    {"path": "a", "edits": [{"old_string": "one", "new_string": "1"}]},
    {"name": "edit", "input": {"path": "a", "old_string": "one", "new_string": "1"}},
)
_GUARDS = ("expected_hash", "expected_sha256", "file_hash", "base_sha", "content_hash", "fileSha1")
_RIGHT = hashlib.sha256(_FILE).hexdigest()
_HASHES = (_RIGHT, f"sha256:{_RIGHT}", _RIGHT[:12], "0" * 40, "sha256:" + "0" * 64, "", "x", 7)
_COUNT = 400
_IF_TRUE, _IF_FALSE = (
    [name for name, nothing in _ASKS_ELSE.items() if not nothing.fullmatch(value)]
    for value in ("true", "false")
)


def _draw(random: Random) -> tuple[dict[str, object], bool]:
    """Draw a call, and whether it may be applied as far as its guards and wishes go."""
    call: dict[str, object] = json.loads(json.dumps(random.choice(_CALLS)))
    roles = [name for row in harnesses().values() for each in row.values() for name in each]
    for _ in range(random.randrange(3)):
        name = random.choice([*roles, "confidence", "fuzz", *_ASKS_ELSE])
        call.setdefault(name, random.choice([True, False, None, "x", 1, [], {}]))
    asks_not = any(call.get(name) not in (None, False) for name in _IF_TRUE)
    may = not asks_not and not any(call.get(name) is False for name in _IF_FALSE)
    for name in random.sample(_GUARDS, random.randrange(3)):
        stated = random.choice(_HASHES)
        where = call.get("input") if random.random() < 0.3 else call
        if isinstance(where, dict):
            where[name] = stated
            may = may and str(stated).removeprefix("sha256:")[:12] == _RIGHT[:12]
    return call, may


@pytest.mark.parametrize("seed", range(4))
def test_no_call_with_a_guard_that_does_not_hold_is_applied(seed: int) -> None:
    random, applied = Random(seed), 0
    for _ in range(_COUNT):
        call, may = _draw(random)
        try:
            plan = plan_in_memory(json.dumps(call), {"a": _FILE})
        except ParseError:
            continue
        if not plan.failures and plan.completed.changes:
            applied += 1
            assert may, call
    assert applied > _COUNT // 10
