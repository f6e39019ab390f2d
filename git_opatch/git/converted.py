"""What git makes of the bytes of files, and of what it stores of them: asked aside.

Line endings (`text`, `eol`, `core.autocrlf`), `ident` and `working-tree-encoding` convert the lines
of a file. A checkout need not give its bytes back; so git is asked what `git add` would store.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from git_opatch.git.attributes import attribute_files, values_of, without_filters
from git_opatch.git.index import ScratchIndex, check_out_aside, list_index, set_entries
from git_opatch.git.output import git_message, nul_terminated
from git_opatch.git.repository import Repository
from git_opatch.git.stamp import is_regular
from git_opatch.model.blob import Entry, Mode
from git_opatch.model.errors import TransactionError

_SETTINGS = (("core.safecrlf", "false"), ("core.fsmonitor", "false"))


def stored_aside(
    repository: Repository, texts: Mapping[str, bytes], directory: Path, source: ScratchIndex
) -> dict[str, Entry]:
    """Return what `git add` would store of `texts`, whose files would be at these paths.

    In a working tree of their own, which is made in `directory`, by the attributes of the real one
    and a copy of the index `source`; no filter is run. Objects go where the environment of `source`
    says. Raises `RepositoryError`.
    """
    top, tree, index = repository.require_worktree(), directory / "tree", directory / "index"
    tree.mkdir(parents=True)
    if source.file.exists():
        shutil.copy2(source.file, index)
    for name in attribute_files(texts):
        if is_regular(f"{top}/{name}"):
            _file(tree, name).write_bytes((top / name).read_bytes())
    for path, text in texts.items():
        _file(tree, path).write_bytes(text)
    alone = without_filters(repository.filters(), _SETTINGS)
    env = {**source.env, **alone, "GIT_WORK_TREE": str(tree)}
    words = ("update-index", "--add", "--replace", "-z", "--stdin")
    repository.ask(*words, feed=nul_terminated(list(texts)), index=index, env=env)
    return {each.path: each.entry for each in list_index(repository, texts, [], index=index)}


def checked_out_aside(
    repository: Repository,
    blobs: Mapping[str, tuple[Mode, bytes] | None],
    directory: Path,
    source: ScratchIndex,
    *,
    new_attributes: bool = False,
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return what a checkout would write of `blobs`, of which None are deleted.

    With `new_attributes` by the `.gitattributes` of `source` and of `blobs` in place of those of
    the working tree. But a filter that only these switch on is not run: a patch must not start a
    program (D132). Returns these filters by path, too. Raises `TransactionError`.
    """
    directory.mkdir()
    names = [_file(directory, f"blobs/{number}") for number in range(len(blobs))]
    for name, blob in zip(names, blobs.values(), strict=True):
        name.write_bytes(blob[1] if blob else b"")
    words, feed = ("hash-object", "-w", "--no-filters", "--stdin-paths"), "\n".join(map(str, names))
    ids = repository.ask(*words, feed=feed.encode(), env=source.env).decode().split()
    entries = {
        path: Entry(blob[0], oid) if blob else None
        for (path, blob), oid in zip(blobs.items(), ids, strict=True)
    }
    quiet = {**source.env, **without_filters(repository.filters())}  # git may look into files
    set_entries(repository, entries, source._replace(env=quiet))
    paths = [path for path, blob in blobs.items() if blob and blob[0].is_file]
    env, switched = dict(source.env), dict[str, str]()
    if new_attributes:
        (directory / "empty").mkdir()  # without files there, git reads those of the index
        env["GIT_WORK_TREE"] = str(directory / "empty")
        before = values_of(repository, "filter", paths)
        after = values_of(repository, "filter", paths, index=source.file, env=env)
        switched = {path: name for path, name in after.items() if name and name != before.get(path)}
    without = {**env, **without_filters(set(switched.values()))}
    for some, its_env in (([*{*paths} - {*switched}], env), (list(switched), without)):
        if some:
            result = check_out_aside(
                *(repository, some, directory / "files"), index=source.file, env=its_env
            )
            if result.status:
                why = git_message(result.errors)
                raise TransactionError(f"git could not write the files:\n{why}")
    return {path: (directory / "files" / path).read_bytes() for path in paths}, switched


def _file(tree: Path, path: str) -> Path:
    """Make the directory of a file."""
    file = tree / path
    os.makedirs(file.parent, exist_ok=True)
    return file
