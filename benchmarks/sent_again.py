"""Measure whether a patch that was applied is known when it is sent again.

A patch is planned for its file, and again for what the file has then: nothing may be written twice.
The patches are, in turn, single edits of real commits, whole changes of a file, random edits of a
few lines that are much alike, and the spoiled patches of `grammar.py`, which fit loosely.

    python benchmarks/sent_again.py CLONE... --seed 1 --cases 30000 --jobs 2 [--list]
"""

from __future__ import annotations

import itertools
from collections import Counter
from enum import Enum
from functools import partial
from random import Random
from typing import NamedTuple

from arguments import drawing_parser
from git_opatch import ParseError, Prefix, plan_in_memory
from git_opatch.plan.plan import Plan
from grammar import Changes, decoded, diff_of, draw, read_changes
from model import FileChange, Format, Header, to_bytes
from moved_on import changed, only, refused
from processes import in_processes
from scene import write_scene
from styles import Form
from table import counted

FORMS = tuple(
    Form(f"{name}, {context} of context", context, patch_format, header)
    for name, patch_format, header in (
        ("bare", Format.ENVELOPE, Header.BARE),
        ("numbered", Format.UNIFIED, Header.RIGHT),
        ("search and replace", Format.BLOCKS, Header.BARE),
        ("strings", Format.STRINGS, Header.BARE),
    )
    for context in (0, 1, 3)
)
_SPOILED = "spoiled"
_SOURCES = ("edit", "change", "small", _SPOILED)
_TEXTS = ("a", "b", "  a", "}", "", "end")


class Sent(NamedTuple):
    """A patch for a file."""

    source: str
    form: str
    origin: str
    path: str
    base: bytes
    patch: str


class Again(Enum):
    """What becomes of a patch that is sent again."""

    DOUBLED = "doubled"
    BLANK = "blank lines again"
    REMOVED = "lines removed again"
    ALREADY = "already applied"
    MAY_BE = "may be applied"
    NOTHING = "nothing to do"
    REFUSED = "refused"
    NOT_APPLIED = "not applied at first"


def main() -> None:
    """Draw the patches, send each twice, and print what became of them."""
    parser = drawing_parser(__doc__, 30_000)
    parser.add_argument("--list", action="store_true", help="print each that is done again")
    options = parser.parse_args()
    changes = read_changes(options.repo, options.seed)
    attempt = partial(_try, changes, options.seed)
    counts: dict[tuple[str, str], Counter[Again]] = {}
    for result in filter(None, in_processes(attempt, range(options.cases), options.jobs)):
        row, ended, described = result
        counts.setdefault(row, Counter())[ended] += 1
        if options.list and described:
            print(described)
    table = counted(("patches", "form"), list(Again), dict(sorted(counts.items())))
    print(*table, sep="\n")


def _try(changes: Changes, seed: str, number: int) -> tuple[tuple[str, str], Again, str] | None:
    sent = draw_sent(changes, seed, number)
    if sent is None:
        return None
    ended, shown = send_twice(sent)
    described = (
        f"=== {ended.value}: {sent.source}, {sent.form}: {sent.origin}\n{sent.patch}\n{shown}"
    )
    return (sent.source, sent.form), ended, described if shown else ""


def draw_sent(changes: Changes, seed: str, number: int) -> Sent | None:
    """Draw patch `number`; None if that one has no old lines where its form needs some."""
    rng = Random(f"again:{seed}:{number}")
    source = _SOURCES[number % len(_SOURCES)]
    form = FORMS[number // len(_SOURCES) % len(FORMS)]
    if source == _SPOILED:
        drawn = draw(changes, seed, number)
        if drawn is None:
            return None
        case, scene = drawn
        ((path, base),) = case.base.items()
        text = write_scene(scene, scene.patch_format)
        return Sent(source, "as drawn", case.source, path, base, text)
    commit, change = rng.choice(rng.choice(changes))
    if source == "edit":
        change = only(change, rng.choice(change.edits))
    elif source == "small":
        change = _small(rng)
    has_old = form.context or all(edit.old_start < edit.old_stop for edit in change.edits)
    if not has_old and form.patch_format in (Format.BLOCKS, Format.STRINGS):
        return None
    origin = str(commit) if source != "small" else f"number {number}"
    return Sent(source, form.name, origin, change.path, to_bytes(change.old), form.write(change))


def _small(rng: Random) -> FileChange:
    """An edit of a few lines that are much alike."""
    old = tuple(rng.choices(_TEXTS, k=rng.randint(2, 9)))
    start = rng.randint(0, len(old))
    stop = min(start + rng.randint(0, 2), len(old))
    added = rng.choices((*_TEXTS, "new", "other"), k=rng.randint(stop == start, 3))
    change = changed("f", old, start, stop, tuple(added))
    return change if change.old != change.new else _small(rng)


def send_twice(sent: Sent) -> tuple[Again, str]:
    """Plan a patch, and again on the result; return what became of it, and what came out."""
    first = _plan(sent.patch, sent.path, sent.base)
    if first is None or first.failures or first.is_empty:
        return Again.NOT_APPLIED, ""
    once = first.completed.contents()[sent.path]
    second = _plan(sent.patch, sent.path, once)
    if second is None:
        return Again.REFUSED, ""
    if second.failures:
        return Again[refused(second.failures).name], ""
    if second.is_empty:
        return Again.NOTHING, ""
    twice = second.completed.contents()[sent.path]
    lines = (decoded(data).split("\n") for data in (sent.base, once, twice))
    shown = "\n--- and again\n".join(diff_of(*pair) for pair in itertools.pairwise(lines))
    return _written(second), shown


def _plan(patch: str, path: str, data: bytes) -> Plan | None:
    """The plan of a patch; None if the patch cannot be read."""
    try:
        return plan_in_memory(patch, {path: data})
    except ParseError:
        return None


def _written(plan: Plan) -> Again:
    """What is done again, by the lines that the hunks add more than they remove."""
    lines = [line for section, _ in plan.placed for hunk in section.hunks for line in hunk.lines]
    added, removed = (
        Counter(line.text for line in lines if line.prefix is prefix)
        for prefix in (Prefix.ADDED, Prefix.REMOVED)
    )
    new = added - removed
    return Again.DOUBLED if any(map(bytes.strip, new)) else Again.BLANK if new else Again.REMOVED


if __name__ == "__main__":
    main()
