"""Files of which git stores other bytes than are on disk, without a filter.

Line endings (`text`, `eol`, `core.autocrlf`), `ident` and `working-tree-encoding` convert the lines
of a file. A checkout need not give its bytes back; so git is only asked what `git add` would store.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from git_opatch.git.attributes import attribute_files, without_filters
from git_opatch.git.index import ScratchIndex, list_index
from git_opatch.git.output import nul_terminated
from git_opatch.git.repository import Repository
from git_opatch.git.stamp import is_regular
from git_opatch.model.blob import Entry

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
    directory.mkdir()
    tree.mkdir()
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


def _file(tree: Path, path: str) -> Path:
    """Make the directory of a file."""
    file = tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def checked_out(repository: Repository, path: str, data: bytes, env: Mapping[str, str]) -> bytes:
    """Return what a checkout would write at `path` of a blob, which is stored as `env` says."""
    words = ("hash-object", "-w", "--no-filters", "--stdin")
    oid = repository.ask(*words, feed=data, env=env).decode().strip()
    return repository.ask("cat-file", "--filters", f"--path={path}", oid, env=env)
