"""The roles that the members of a call play: what a name means, in whosever call it is.

    {"file_path": …, "old_string": …, "new_string": …}       path, old, new
    {"uri": …, "search": …, "replace": …}                    path, old, new

A harness is a row of `TABLE`. A name means the same in every call, since models mix them; those of
the row `any` need no harness.
"""

from __future__ import annotations

import json
import re
from functools import cache

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
PAIR = re.compile(
    r"old.* new.*|before after|(?:search|find|needle|target).* repl.*|original.* (?:new|repl|upd).*"
)
"""The normal names of an old and a new string that are of one call."""
SURE = re.compile(r"old.*|before|targetcontent")
STRINGS = {"PATH", "OLD", "NEW", "TEXT"}
"""The roles that only strings play."""
"""The normal name of an old string that means an edit wherever it is."""


def normal(name: str) -> str:
    """Return the name of a member as it is compared."""
    return name.replace("_", "").lower()


@cache
def names(text: str) -> tuple[str, ...]:
    """Return the normal names in `text`, each once."""
    return tuple(dict.fromkeys(map(normal, text.split())))


def plain(name: str) -> str:
    """Return a normal name without its number, which does not matter."""
    return name.rstrip("0123456789")


@cache
def _roles() -> dict[str, set[str]]:
    roles: dict[str, set[str]] = {}
    for role, name in _PLAYED.findall(TABLE):
        roles.setdefault(plain(normal(name)), set()).add(role.upper())
    return roles


@cache
def roles_of(name: str) -> frozenset[str]:
    """Return the roles of the member with the normal `name`.

    It has two where its value tells them apart: `file` is a path, or a list.
    """
    name = plain(name)
    shaped = {role for role, form in (("OLD", _OLD), ("NEW", _NEW)) if form.fullmatch(name)}
    return frozenset(_roles().get(name, shaped))


def value_of(name: str, text: str) -> object:
    """Return the value of a member in tags: a string, unless it plays another role and is JSON."""
    if not roles_of(normal(name)).isdisjoint(STRINGS):
        return text
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def is_old(name: str) -> bool:
    """Return whether the member `name` is an old string."""
    return "OLD" in roles_of(normal(name))
