"""The roles that the members of a call play: what a name means, in whosever call it is.

    {"file_path": …, "old_string": …, "new_string": …}       path, old, new
    {"uri": …, "search": …, "replace": …}                    path, old, new

A harness is a row of `TABLE`. A name means the same in every call, since models mix them; those of
the row `any` need no harness.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache


class Role(Enum):
    """What a member says; the value is how `TABLE` names it."""

    PATH = "path"
    OLD = "old"
    NEW = "new"
    EVERY = "every"
    """Whether all occurrences are meant."""
    EXPECTED = "expected"
    """How many occurrences there are."""
    FIRST = "first"
    """The number of the line where the old string begins."""
    LAST = "last"
    TEXT = "text"
    """A whole file, or lines to insert or to append."""
    AFTER = "after"
    """The number of the line below which to insert."""
    NEWLINE = "newline"
    """Whether the text gets a newline at its end."""
    HASH = "hash"
    """The beginning of the SHA-256 of the old string."""
    SEVERAL = "several"
    """A list of edits, or one edit."""
    FROM = "from"
    TO = "to"
    NOTEBOOK = "notebook"
    CELL = "cell"
    SOURCE = "source"
    SILENT = "silent"
    """What says nothing about the result."""


TABLE = """
Claude Code: path=file_path old=old_string new=new_string every=replace_all several=edits
Gemini CLI: path=file_path old=old_string new=new_string every=allow_multiple silent=instruction
Gemini CLI: expected=expected_replacements
Crush: path=file_path old=old_string new=new_string every=replace_all several=edits
OpenCode: path=filePath old=oldString new=newString every=replaceAll
VS Code: path=filePath old=oldString new=newString several=replacements silent=explanation
Anthropic's text editor: path=path old=old_str new=new_str after=insert_line text=insert_text
Anthropic's text editor: text=file_text
OpenHands: path=path old=old_str new=new_str silent=security_risk silent=safety_risk silent=summary
MCP's server for files: path=path old=oldText new=newText several=edits
Cline: path=path old=old_text new=new_text
Hermes Agent: path=path old=old_string new=new_string every=replace_all silent=cross_profile
Zed: path=path old=old_text new=new_text several=edits silent=display_description
goose: path=path old=before new=after
Kimi CLI: path=path old=old new=new every=replace_all several=edit
Codebuff: path=path old=old new=new every=allowMultiple several=replacements
Antigravity: path=TargetFile old=TargetContent new=ReplacementContent every=AllowMultiple
Antigravity: several=ReplacementChunks first=StartLine last=EndLine silent=Instruction
Antigravity: silent=TargetLintErrorIds silent=Complexity silent=toolSummary silent=toolAction
Augment: path=path old=old_str_1 new=new_str_1 several=str_replace_entries
Augment: first=old_str_start_line_number_1 last=old_str_end_line_number_1
Augment: silent=instruction_reminder text=file_content newline=add_last_line_newline
Lovable: path=file_path old=search new=replace
Lovable: first=first_replaced_line last=last_replaced_line
Roo Code: path=path old=search new=replace several=operations first=start_line last=end_line
Warp: path=file_path old=search new=replace several=files
Manus: path=file old=old_str new=new_str silent=sudo
Factory: path=file_path old=old_str new=new_str every=change_all several=changes
Serena: path=relative_path old=needle new=repl every=allow_multiple_occurrences
Strands: path=path old=old new=new several=patches hash=anchor_hash
any: notebook=notebook_path cell=cell_id cell=cell_number cell=cell_index
any: cell=cell_type cell=edit_mode source=new_source
any: path=file_name path=target_file path=uri path=relative_file_path
any: every=all_occurrences every=many expected=expected_occurrences several=replace_blocks
any: text=content text=contents text=text several=file
any: from=source from=source_path from=old_path to=destination to=destination_path to=new_path
any: silent=description silent=instructions silent=reason silent=thought silent=id silent=call_id
any: silent=status silent=name silent=tool_name silent=role silent=caller
any: silent=timeout silent=timeout_ms silent=justification silent=sandbox_permissions
any: silent=with_escalated_permissions silent=login silent=explanation
"""
"""A harness and the names of its members, each by its role."""
_PLAYED = re.compile(r"(\w+)=(\w+)")
_OLD = re.compile(
    r"(?:old|before|search|find|original|needle|target(?=c))(?:string|str|text|content|code)?"
)
_NEW = re.compile(
    r"(?:new|after|repl|replace|replacement|updated)(?:string|str|text|content|code)?"
)
_PAIR = re.compile(
    r"old.* new.*|before after|(?:search|find|needle|target).* repl.*|original.* (?:new|repl|upd).*"
)
"""The names of an old and a new string that are of one call."""
_SURE = re.compile(r"old.*|before|targetcontent")
DIGITS = "0123456789"
STRINGS = {Role.PATH, Role.OLD, Role.NEW, Role.TEXT}
"""The roles that only strings play."""


def normal(name: str) -> str:
    """Return the name of a member as it is compared."""
    return name.replace("_", "").lower()


@cache
def names(text: str) -> tuple[str, ...]:
    """Return the normal names in `text`, each once."""
    return tuple(dict.fromkeys(map(normal, text.split())))


@cache
def _roles() -> dict[str, list[Role]]:
    """Return the roles of each name of the table."""
    found: dict[str, list[Role]] = {}
    for role, name in _PLAYED.findall(TABLE):
        found.setdefault(normal(name).rstrip(DIGITS), []).append(Role(role))
    return found


@cache
def roles_of(name: str) -> frozenset[Role]:
    """Return the roles of the member with the normal `name`; its number does not matter.

    It has two where its value tells them apart: `file` is a path, or a list.
    """
    name = name.rstrip(DIGITS)
    shaped = {role for role, form in ((Role.OLD, _OLD), (Role.NEW, _NEW)) if form.fullmatch(name)}
    return frozenset(_roles().get(name, shaped))


def belong_together(old: str, new: str) -> bool:
    """Return whether the normal names of an old and a new string are those of one call."""
    return _PAIR.fullmatch(f"{old} {new}") is not None


def is_sure(old: str) -> bool:
    """Return whether the normal name of an old string means an edit wherever it is."""
    return _SURE.fullmatch(old) is not None
