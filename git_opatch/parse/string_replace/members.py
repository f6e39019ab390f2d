"""The members of a string replacement, as the tools of agents name them (D140).

    file_path, old_string, new_string, replace_all          Claude Code, and Gemini CLI with
    instruction, allow_multiple, expected_replacements      these in addition
    filePath, oldString, newString, replaceAll              OpenCode, VS Code
    path, old_str, new_str                                  Anthropic's text editor, with
    command, file_text, insert_line, insert_text            these in addition
    path, edits: [{oldText, newText}], dryRun               MCP's server for files

Any of the names for one thing may stand with any for another: models mix them.
"""

PATHS = ("file_path", "filePath", "path")
OLD = ("old_string", "oldString", "old_str", "oldStr", "old_text", "oldText")
NEW = ("new_string", "newString", "new_str", "newStr", "new_text", "newText")
EVERY = ("replace_all", "replaceAll", "allow_multiple", "allowMultiple")
EXPECTED = ("expected_replacements", "expectedReplacements")
LISTS = ("edits", "replacements")
COMMAND = "command"
FILE_TEXT = "file_text"
INSERT_LINE = "insert_line"
INSERT_TEXT = ("insert_text", *NEW)
DRY_RUN = ("dryRun", "dry_run")
IGNORED = ("instruction", "explanation", "description", "id", "type")
"""What they say is for people."""

EDIT = {*PATHS, *OLD, *NEW, *EVERY, *EXPECTED, *DRY_RUN, *IGNORED}
SEVERAL = {*PATHS, *LISTS, *DRY_RUN, *IGNORED}
BY_COMMAND = {
    b"str_replace": {*PATHS, COMMAND, *OLD, *NEW, *IGNORED},
    b"create": {*PATHS, COMMAND, FILE_TEXT, *IGNORED},
    b"insert": {*PATHS, COMMAND, INSERT_LINE, *INSERT_TEXT, *IGNORED},
}
"""The members of the commands of Anthropic's text editor that change a file."""
KNOWN = EDIT.union(SEVERAL, *BY_COMMAND.values())
