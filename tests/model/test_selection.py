"""Parts of a patch, their ids, and the choice of some of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from writers import envelope

from git_opatch.model.errors import UsageError
from git_opatch.model.patch import Mail, Patch
from git_opatch.model.selection import Part, parts_of, select
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import resolve_paths

_TWO = b"*** Update File: f\n@@ def f():\n-a\n+A\n@@\n-b\n+B\n"
_PATCH = parse_patch(envelope(_TWO, b"*** Add File: sub/n\n+1\n+2\n", b"*** Delete File: gone\n"))


def _ids(patch: Patch) -> list[str]:
    return [part.id for part in parts_of(patch)]


def _names(parts: tuple[Part, ...] | list[Part]) -> list[str]:
    return [f"{part.section.path}:{part.hunk.ordinal if part.hunk else 0}" for part in parts]


def _kept(only: list[str], leave_out: list[str]) -> list[str]:
    selected = select(_PATCH, only, leave_out)
    kept = _names(parts_of(selected.patch))
    assert sorted([*kept, *_names(selected.left_out)]) == sorted(_names(parts_of(_PATCH)))
    return kept


def test_hunks_of_updates_are_parts_and_other_sections_are_whole() -> None:
    assert _names(parts_of(_PATCH)) == ["f:1", "f:2", "sub/n:0", "gone:0"]


def test_ids_are_short_and_differ() -> None:
    ids = _ids(_PATCH)
    assert len(set(ids)) == 4
    assert {len(name) for name in ids} == {4}


@pytest.mark.parametrize(
    "text",
    [
        envelope(b"*** Update File: f\n@@\n-b\n+B\n"),  # alone
        envelope(b"*** Add File: z\n+z\n", b"*** Update File: f\n@@ -7,1 +7,1 @@\n-b\n+B\n"),
        b"--- a/f\n+++ b/f\n@@ -9 +9 @@\n-b\n+B\n",  # in another format
    ],
)
def test_an_id_depends_on_file_and_lines_alone(text: bytes) -> None:
    assert _ids(_PATCH)[1] in _ids(parse_patch(text))


@pytest.mark.parametrize(
    "text",
    [
        envelope(b"*** Update File: g\n@@\n-b\n+B\n"),
        envelope(b"*** Update File: f\n@@\n-b\n+C\n"),
        envelope(b"*** Update File: f\n@@\n b\n+B\n"),
        envelope(b"*** Update File: f\n@@ class C\n-b\n+B\n"),
    ],
)
def test_another_hunk_has_another_id(text: bytes) -> None:
    assert not set(_ids(_PATCH)) & set(_ids(parse_patch(text)))


def test_equal_hunks_are_told_apart() -> None:
    hunk = b"@@\n-b\n+B\n"
    first, second = _ids(parse_patch(envelope(b"*** Update File: f\n" + hunk + hunk)))
    assert first != second
    assert first == _ids(_PATCH)[1]


def test_ids_are_as_long_as_they_must_be() -> None:
    hunks = b"".join(b"@@\n-%d\n+x\n" % number for number in range(1000))
    patch = parse_patch(envelope(b"*** Update File: f\n@@\n-b\n+B\n" + hunks))
    ids = _ids(patch)
    (size,) = {len(name) for name in ids}
    assert (len(set(ids)), size > 4) == (1001, True)
    assert len({name[: size - 1] for name in ids}) < 1001
    assert _kept([ids[0]], []) == ["f:2"], "a longer id is the same"
    shared = next(name[:4] for name in ids if sum(i.startswith(name[:4]) for i in ids) > 1)
    with pytest.raises(UsageError, match=rf"`{shared}` means \d hunks"):
        select(patch, [shared], [])


def test_parts_are_chosen_by_id_path_and_number() -> None:
    first, second, added, _ = _ids(_PATCH)
    assert _kept([first], []) == ["f:1"]
    assert _kept([], [second]) == ["f:1", "sub/n:0", "gone:0"]
    assert _kept(["f"], []) == ["f:1", "f:2"]
    assert _kept(["f:2", "gone"], []) == ["f:2", "gone:0"]
    assert _kept(["f"], ["f:1"]) == ["f:2"]
    assert _kept([added, "f"], ["sub/n"]) == ["f:1", "f:2"]


@pytest.mark.parametrize("name", ["sub", "sub/", "./sub"])
def test_a_directory_is_all_files_below_it(name: str) -> None:
    assert _kept([name], []) == ["sub/n:0"]
    assert _kept([], [name]) == ["f:1", "f:2", "gone:0"]


@pytest.mark.parametrize("name", [".", "./"])
def test_the_top_is_every_file(name: str) -> None:
    assert _kept([name], ["f"]) == ["sub/n:0", "gone:0"]
    with pytest.raises(UsageError, match="nothing of the patch is left"):
        _kept([], [name])


@pytest.mark.parametrize(
    "name",
    [
        "g",
        "su",
        "/",
        "..",
        "ffff",
        "abc",
        "",
        "f:x",
        "f:3",
        "f:0",
        "n",
        "n:1",
        "sub:1",
        "[ffff]",
        "[]",
    ],
)
def test_what_is_not_there_is_an_error(name: str) -> None:
    assert name not in _ids(_PATCH)
    with pytest.raises(UsageError, match=re.escape(f"`{name}`")):
        select(_PATCH, [name], [])
    with pytest.raises(UsageError, match=re.escape(f"`{name}`")):
        select(_PATCH, [], [name])


def test_an_id_is_read_in_the_brackets_that_it_is_shown_in() -> None:
    assert _kept([f"[{_ids(_PATCH)[1]}]"], []) == ["f:2"]


def test_nothing_left_is_an_error() -> None:
    with pytest.raises(UsageError, match="nothing of the patch is left"):
        select(_PATCH, ["f"], ["f"])


def test_hunks_keep_their_numbers() -> None:
    (section,) = select(_PATCH, ["f:2"], []).patch.files
    assert [hunk.ordinal for hunk in section.hunks] == [2]
    assert section.hunks_in_text == 2


def test_the_digest_is_that_of_the_choice() -> None:
    digests = {select(_PATCH, only, []).patch.digest for only in ([], ["f:1"], ["f:2"], ["f"])}
    assert len(digests) == 4
    assert select(_PATCH, ["f", "sub/n", "gone"], []).patch.digest == _PATCH.digest


def test_mails_keep_their_sections() -> None:
    mail = (
        "From {0} Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nDate: Thu, 1 Jan 2024 00:00:00 +0000\n"
    )
    mail += "Subject: [PATCH] {1}\n\n---\ndiff --git a/{1} b/{1}\n--- a/{1}\n+++ b/{1}\n"
    mail += "@@ -1 +1 @@\n-x\n+y\n-- \n2.39\n\n"
    text = "".join(mail.format(str(number) * 40, name) for number, name in enumerate("abc"))
    mails = tuple(Mail("", "", name, first) for first, name in enumerate("abc"))
    patch = parse_patch(text)._replace(mails=mails)
    kept = select(patch, [], ["b"]).patch
    assert [(mail.message.strip(), mail.first) for mail in kept.mails] == [("a", 0), ("c", 1)]


_MOVED = b"*** Update File: ./f\n*** Move to: g\n@@\n-c\n+C\n"


def test_hunks_are_counted_on_through_the_sections_of_a_file() -> None:
    added = b"*** Add File: h\n+1\n"
    patch = parse_patch(envelope(_TWO, added, _MOVED, b"*** Update File: g\n@@\n-d\n+D\n"))
    assert _names(parts_of(patch)) == ["f:1", "f:2", "h:0", "./f:3", "g:4"]
    assert [section.hunks_in_text for section in patch.files] == [3, 1, 3, 4]
    for name, meant in (("f:3", "./f:3"), ("g:3", "./f:3"), ("g:4", "g:4")):
        chosen = select(patch, [name], [], resolve_paths(patch))
        assert _names(parts_of(chosen.patch)) == [meant]
    with pytest.raises(UsageError, match="`g:1`"):
        select(patch, ["g:1"], [])


def test_hunks_are_counted_on_through_several_patches() -> None:
    patch = Patch.joined([_PATCH, _PATCH], "digest")
    assert _names(parts_of(patch)) == [
        *("f:1", "f:2", "sub/n:0", "gone:0"),
        *("f:3", "f:4", "sub/n:0", "gone:0"),
    ]


def test_the_name_of_several_hunks_is_an_error() -> None:
    """A path may be absolute, which the text alone does not tell; a directory has several files."""
    sections = [
        b"*** Update File: %s\n@@\n-a\n+%s\n" % (path, path) for path in (b"d/f", b"/t/d/f")
    ]
    patch = parse_patch(envelope(*sections))
    for name in ("d/f:1", "d:1"):
        with pytest.raises(UsageError, match=f"`{name}` means 2 hunks"):
            select(patch, [name], [], resolve_paths(patch, top=Path("/t")), "/t")
