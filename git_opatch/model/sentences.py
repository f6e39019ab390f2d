"""The sentences of refusals, of errors in a patch's text, and of what undo, recover and commit say.

`Failure` and `Diagnostic` fill the placeholders, and escape what they fill in: the names are those
of their fields and words. Advice is one line, which is safe whatever the file has: what to do, or
the name of one option. tests/report/sentences.txt has the sentences of all refusals. In an error,
`{name:80}` shows at most 80 characters, and `{last:up to}` is the last of several lines, or 0.
`{why:as is}` is what git says, whose lines are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from git_opatch.model.text import visible


class _Shown:
    """A value in a sentence: escaped, and cut to the number of characters in its format."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, form: str) -> str:
        value = self._value
        if form == "as is":
            return str(value)
        if form == "up to":
            return f", and so on up to line {value!s}" if value else ""
        if isinstance(value, int):
            return format(value, form)
        most = 300 if isinstance(value, bytes) else 1000
        return visible(value if isinstance(value, bytes) else str(value), int(form or most))


def fill(sentence: str, values: Mapping[str, object]) -> str:
    """Return `sentence` with its values, which need not be safe to print."""
    return sentence.format_map({name: _Shown(value) for name, value in values.items()})


class Sentence(Enum):
    """A sentence, with the names of what it needs."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence

    def fill(self, **values: object) -> str:
        """Return the sentence with its values."""
        return fill(self.sentence, values)


class Reason(Enum):
    """Why something was refused, in machine output."""

    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    ALREADY_APPLIED = "already_applied"
    NOT_APPLIED = "not_applied"
    CONTRADICTED = "contradicted"
    UNCLEAR = "unclear"
    OVERLAP = "overlap"
    NO_CHANGE = "no_change"
    MISSING_FILE = "missing_file"
    FILE_EXISTS = "file_exists"
    NOT_A_FILE = "not_a_file"
    BINARY = "binary"
    UNSAFE_PATH = "unsafe_path"
    UNTRACKED = "untracked"
    UNMERGED = "unmerged"
    UNSTAGED = "unstaged_changes"
    IN_THE_WAY = "in_the_way"
    SKIPPED = "skip_worktree"
    NOT_REVERSIBLE = "not_reversible"
    CONFLICT = "conflict"
    NOT_ALLOWED = "not_allowed"
    DENIED = "denied"
    STALE = "stale"


_REREAD = "re-read {reread} and correct the hunk"
_SKIP = "`apply --skip-applied` skips it"
_MORE_TEXT = "write more of the text around it"
_ONE_SECTION = "put all changes of a file into one section"
_ONE_HUNK = "write one hunk for both, or leave one out"
_ALONE = (
    "re-read the file; if the change is not there, apply this hunk alone, with more of the lines "
    "around it"
)
_DEFINITION = "leave out the text after `@@`, or name what the lines are in{inside}"
_WHOLE_BLOCK = (
    "correct the hunk, or put all changes of the block into one patch; `--match strict` writes a "
    "file that shall be broken"
)
_IN_INDEX = "`--cached` changes it in the index only"
_MOVE = "move it away"
_SEE_PATCH = "`git opatch log -p {record}` shows what the patch did"
_DEPTH = "write the added lines with the file's own indentation"


class Fault(Enum):
    """What is wrong: the reason, what is said after the name of the file or hunk, and advice."""

    def __init__(self, reason: Reason, sentence: str, advice: str = "") -> None:
        self.reason = reason
        self.sentence = sentence
        self.advice = advice

    # where a hunk goes
    NOT_FOUND = (Reason.NOT_FOUND, "does not match {base}", "make the hunk agree with {reread}")
    HARDLY_FOUND = (
        Reason.NOT_FOUND,
        "does not match {base}: {few} of its {total} lines are not in the file",
        "write only lines that the file has, and what changes",
    )
    NOTHING_FOUND = (
        Reason.NOT_FOUND,
        "does not match {base}: none of its lines is there",
        "re-read the file, and correct the hunk or leave it out",
    )
    LOST_PREFIX = (
        Reason.NOT_FOUND,
        "changes nothing, and does not match {base}",
        "leave it out, or write the `-` or `+` that a line lacks",
    )
    TOO_LONG = (
        Reason.NOT_FOUND,
        "has {wanted:,} context and removed lines, more than the file, which has {size:,}",
        "re-read the file and correct the hunk",
    )
    RANGE_NOT_FOUND = (
        Reason.NOT_FOUND,
        "does not match {base} next to `~`",
        "write the lines next to `~` exactly as the file has them: it removes lines unseen",
    )
    AMBIGUOUS = (
        Reason.AMBIGUOUS,
        "matches at {count} positions: {lines}",
        "add context lines, or `@@` with the enclosing definition",
    )
    AMBIGUOUS_BLOCK = (
        Reason.AMBIGUOUS,
        "matches at {count} positions: {lines} of the file",
        "add the lines above or below it, until the file has them once",
    )
    AMBIGUOUS_ANCHOR = (
        Reason.AMBIGUOUS,
        "matches at {count} positions: {lines}; the file has no line like its anchor `{anchor}`",
        "correct the anchor, or add context lines",
    )
    AMBIGUOUS_LOOSELY = (
        Reason.AMBIGUOUS,
        "matches loosely at {count} positions: {lines}",
        "write the hunk's lines exactly as the file has them",
    )
    SEVERAL_READINGS = (
        Reason.AMBIGUOUS,
        "can be read in several ways at {lines}, which write different lines",
        "write the hunk's lines exactly as the file has them",
    )
    RANGE_AMBIGUOUS = (
        Reason.AMBIGUOUS,
        "has lines next to `~` that match at {count} positions: {lines}",
        "write more lines on that side of `~`",
    )
    ONLY_NUMBERS = (
        Reason.UNCLEAR,
        "has only added lines and line numbers, and numbers are not trusted",
        "add a context line, or `@@` with the line before the change",
    )
    ONLY_HEADING = (
        Reason.UNCLEAR,
        "has only added lines and a heading, which does not say where they go",
        "add a context line, or `@@` with the line before the change",
    )
    ONLY_BELOW_CONTEXT = (
        Reason.UNCLEAR,
        "has only added lines, and a hunk of context above it, which does not say where they go",
        "add a context line, or `@@` with the line before the change",
    )
    NOT_LAST = (
        Reason.UNCLEAR,
        "has only added lines, for the end of the file, but is not the last hunk",
        "add a context line, or `@@` with the line before the change",
    )
    ANCHOR_OF_ADDED_MISSING = (
        Reason.UNCLEAR,
        "has only added lines, and its anchor `{anchor}` is not in the file",
        "correct the anchor, or add a context line",
    )
    BLANK_LINE_OMITTED = (
        Reason.UNCLEAR,
        "omits a blank line next to an added line (file line {at}), so the position of the added "
        "line is ambiguous",
        "write the file's blank lines",
    )
    BLANK_LINE_SURPLUS = (
        Reason.UNCLEAR,
        "has too many blank lines next to an added line (file line {at}), so the position of the "
        "added line is ambiguous",
        "write the file's blank lines",
    )
    STRING_MISSING = (
        Reason.NOT_FOUND,
        "`old_string` does not occur in the file: `{old}`",
        "re-read the file and write the string as the file has it",
    )
    NO_SUCH_CELL = (
        Reason.NOT_FOUND,
        "names a cell that the notebook does not have: `{cell}`",
        _REREAD,
    )
    CELL_OF_ANOTHER_TYPE = (
        Reason.NOT_FOUND,
        "is for a cell of type `{kind}`, and `{cell}` is of another, which does not change",
        "send the source alone, without `cell_type`, or re-read the notebook",
    )
    STRING_OFTEN = (
        Reason.AMBIGUOUS,
        "`old_string` occurs {times}: {lines}",
        "write more of the text around it, or use `replace_all`",
    )
    STRING_TOO_OFTEN = Reason.AMBIGUOUS, "`old_string` occurs more than {count} times", _MORE_TEXT
    STRINGS_OVERLAP = (
        Reason.AMBIGUOUS,
        "`old_string` has occurrences that overlap: {lines}",
        _MORE_TEXT,
    )
    STRING_ENDINGS = (
        Reason.AMBIGUOUS,
        "`old_string` occurs {count} times more with other line endings",
        "write a call for each, or make the line endings of the file equal",
    )
    STRING_COUNT = (
        Reason.CONTRADICTED,
        "`old_string` occurs {times}, and the patch expects {expected}: {lines}",
        "re-read the file and correct the string or the number",
    )
    STRING_REPLACED_IN_PART = (
        Reason.CONTRADICTED,
        "`old_string` is replaced already at {count} of {of} positions: {lines}",
        "re-read the file and correct the string",
    )
    STRING_JOINS = (
        Reason.UNCLEAR,
        "`new_string` lacks the newline at the end of `old_string`, so line {next} would be joined "
        "to it",
        "end both strings with a newline, or neither",
    )
    STRING_NOT_REVERSIBLE = (
        Reason.NOT_REVERSIBLE,
        "restores a string, and the patch does not say where",
    )
    BELOW_THE_END = (
        Reason.CONTRADICTED,
        "inserts below line {after}, and the file has {size} lines",
        "re-read the file and correct the number",
    )

    # what is there already
    ALREADY_APPLIED = (
        Reason.ALREADY_APPLIED,
        "is already applied: its new lines are at {lines}",
        _SKIP,
    )
    CELL_APPLIED = (
        Reason.ALREADY_APPLIED,
        "is already applied: cell `{cell}` has this source",
        _SKIP,
    )
    REMOVAL_APPLIED = (
        Reason.ALREADY_APPLIED,
        "is already applied: what it removes is gone, and the lines around it are at {lines}",
        _SKIP,
    )
    STRING_APPLIED = Reason.ALREADY_APPLIED, "is already applied: `new_string` is at {lines}", _SKIP
    FILE_APPLIED = (
        Reason.ALREADY_APPLIED,
        "is already applied: the file exists with exactly this content",
        _SKIP,
    )
    MOVE_APPLIED = Reason.ALREADY_APPLIED, "is already applied: it was moved to `{new_path}`", _SKIP
    DELETION_APPLIED = Reason.ALREADY_APPLIED, "is already applied: it is not in {base}"
    RECORD_APPLIED = (
        Reason.ALREADY_APPLIED,
        "is already applied, as patch {patch} of `git opatch log`",
        _SKIP,
    )
    MERGE_APPLIED = (
        Reason.ALREADY_APPLIED,
        "is already applied: it fits the version of {version}, and merging it changes nothing",
        _SKIP,
    )
    MAY_BE_APPLIED = (
        Reason.ALREADY_APPLIED,
        "may already be applied: its new lines are at {lines}, but match only loosely",
        "if the change is still to be made, re-read {reread} and correct the hunk",
    )
    MAY_BE_APPLIED_THERE = (
        Reason.ALREADY_APPLIED,
        "may already be applied: its new lines are at {lines}, and it does not say where they go",
        "if the change is still to be made, add lines of context",
    )
    PARTLY_APPLIED = (
        Reason.CONTRADICTED,
        "may be partly applied: lines that it adds are in the file already, at line {at}",
        "re-read the file and correct the hunk",
    )
    TWIN_APPLIED = (
        Reason.CONTRADICTED,
        "may already be applied at line {at}; its old lines are at line {old}",
        _ALONE,
    )
    OUT_OF_ORDER = (
        Reason.CONTRADICTED,
        "may already be applied, as others of this file are: its only candidate, {lines}, is out "
        "of the order of the hunks",
        _ALONE,
    )
    CHANGES_NOTHING = Reason.NO_CHANGE, "the patch changes nothing"

    # in reverse
    NOT_APPLIED = Reason.NOT_APPLIED, "is not applied, so there is nothing to undo"
    FILE_NOT_APPLIED = (Reason.MISSING_FILE, "is not in {base}, so there is nothing to undo")
    ADDED_FILE_NOT_APPLIED = (
        Reason.MISSING_FILE,
        "is not in {base}, so there is no addition to undo",
    )
    NOTHING_TO_UNDO = Reason.NOT_APPLIED, "the patch is not applied"
    CHANGED_SINCE = (
        Reason.NOT_FOUND,
        "is not applied to {base}, or was changed since",
        "to undo it by hand, re-read {reread}",
    )
    DELETED_CONTENT_LOST = (
        Reason.NOT_REVERSIBLE,
        "the patch does not have the content of the deleted file, and neither has HEAD",
    )
    MORE_LINES_THAN_ADDED = (
        Reason.NOT_FOUND,
        "has lines that the patch does not add, and that would be deleted, too",
    )
    ALL_OF_THE_FILE = (
        Reason.NOT_REVERSIBLE,
        "is all that the file has; the patch does not say whether it existed before",
        "delete the file, if the patch created it",
    )
    COPY_NOT_REVERSIBLE = (
        Reason.NOT_REVERSIBLE,
        "a copy cannot be undone from its text",
        "delete the file instead",
    )
    REMOVED_WITHOUT_CONTEXT = (
        Reason.NOT_REVERSIBLE,
        "removes lines without any context, so their position is not known",
        "`git opatch undo` undoes what was applied here",
    )
    REMOVED_UNSEEN = (
        Reason.NOT_REVERSIBLE,
        "removed lines that the patch does not show (`~`), so they cannot be restored",
        "`git opatch undo` undoes what was applied here",
    )
    REPLACED_EVERYWHERE = (
        Reason.NOT_REVERSIBLE,
        "replaced every occurrence of a string, and others may have been there before",
        "`git opatch undo` undoes what was applied here",
    )
    CHANGED_ON_DISK = (
        Reason.NOT_REVERSIBLE,
        "was changed as it is on disk, and the index has it in another form, by its filter",
        "`--index` undoes it there, too",
    )
    CONTENT_WOULD_BE_LOST = (
        Reason.NOT_REVERSIBLE,
        "would be deleted or replaced, and its content is neither in HEAD nor recorded, as "
        "opatch.journalSize is 0",
        "commit the file first, so that HEAD has it",
    )

    # what a hunk says beside its lines
    NOT_AT_END = (
        Reason.CONTRADICTED,
        "must end where the file ends, but its only candidate ends at line {stop} of {size}",
        "re-read the file and correct the hunk",
    )
    NONE_BELOW = (
        Reason.CONTRADICTED,
        "shows no line below what it adds, as if the file ended there, but its only candidate ends "
        "at line {stop} of {size}",
        "show the line below what is added",
    )
    ONLY_BLANK_LINES = (
        Reason.CONTRADICTED,
        "shows nothing but blank lines, which do not say where its added lines go",
        "add a line of context, or leave the blank lines out",
    )
    BETWEEN = (
        Reason.CONTRADICTED,
        "would add its lines between `{anchor}` and what belongs to it",
        "show the line that they come after",
    )
    OTHER_NUMBER = (
        Reason.CONTRADICTED,
        "states line {stated}, where the file nearly has its lines, but its only candidate is "
        "{lines}",
        "re-read the file and correct the lines, or the number",
    )
    CUT_OFF = (
        Reason.CONTRADICTED,
        "ends in the middle of a line, and its header announces more lines",
        "the patch may be cut off; get all of it",
    )
    REWRITE = (
        Reason.CONTRADICTED,
        "only adds lines, which read like the whole file: it would be there twice",
        "write only what changes, with context lines and the lines to remove",
    )
    ANCHOR_MISSING = (
        Reason.CONTRADICTED,
        "has the {kind} `{anchor}`, which is not in the file",
        _DEFINITION,
    )
    ANCHOR_ELSEWHERE = (
        Reason.CONTRADICTED,
        "has the {kind} `{anchor}`, but `{name}` is at line {at}",
        _DEFINITION,
    )
    RANGE_ORDER = (
        Reason.CONTRADICTED,
        "has the lines after `~` at {lines}, but those before it end at line {stop}",
        "re-read the file and correct the hunk",
    )

    # two hunks, or two sections
    OVERLAP = Reason.OVERLAP, "changes the same lines as hunk {other}", _ONE_HUNK
    OVERLAP_ANOTHER = Reason.OVERLAP, "changes the same lines as another hunk", _ONE_HUNK
    SAME_POSITION = Reason.OVERLAP, "adds at the same position as hunk {other}", _ONE_HUNK
    OVERLAP_EARLIER = (
        Reason.OVERLAP,
        "changes the same lines of the file as the earlier hunk at line {earlier} of the patch",
        _ONE_HUNK,
    )
    LOOSE_AFTER_EARLIER = (
        Reason.OVERLAP,
        "matches only loosely what the section at line {earlier} of the patch writes",
        "show those lines exactly as the patch writes them",
    )
    SHOWS_OTHERS = (
        Reason.OVERLAP,
        "shows the result of other hunks in its context",
        "write it after them",
    )

    # what a hunk adds
    PLACEHOLDER = (
        Reason.UNCLEAR,
        "adds `{placeholder}`, which stands for code that the hunk does not show",
        "leave that line out, since lines that a hunk does not show stay; or write the code",
    )
    PLACEHOLDER_IN_NEW = (
        Reason.UNCLEAR,
        "has `{placeholder}`, which stands for code that the patch does not show",
        "write the whole file, or only what changes, with context lines",
    )
    DOUBLED_PREFIX = (
        Reason.UNCLEAR,
        "adds lines that begin with `+`, as no line near them does, so it is unclear whether "
        "their prefixes are doubled",
        "write each added line with one `+` in front of its text",
    )
    NOT_UTF8 = (
        Reason.UNCLEAR,
        "adds a line that is not UTF-8, and the file is UTF-8",
        "write the added lines in ASCII, or convert the file first",
    )
    UTF8_IN_OTHER = (
        Reason.UNCLEAR,
        "adds a line with characters in UTF-8, and the file has another encoding",
        "write the added lines in ASCII, or convert the file first",
    )
    HEADING_LEVEL = (
        Reason.UNCLEAR,
        "shows headings of another level than the file, so the level of those that it adds is "
        "unclear",
        _REREAD,
    )
    WHITESPACE_AT_END = (
        Reason.UNCLEAR,
        "shows some lines with whitespace at their end that the file does not have, and an added "
        "line ends so, too",
        _REREAD,
    )
    INHERITED = (
        Reason.UNCLEAR,
        "has `{shown}` where the file has `{there}`, and an added line repeats the difference, so "
        "its intended text is unclear",
        _REREAD,
    )
    FITS_BOTH_WAYS = (
        Reason.UNCLEAR,
        "has context that is indented one space less than the file, and added lines that fit the "
        "file both ways, so their indentation is unclear",
        _DEPTH,
    )
    MIXED_INDENTATION = (
        Reason.UNCLEAR,
        "shows some lines with the file's indentation and some with another, so the indentation of "
        "its added lines is unclear",
        _DEPTH,
    )
    SEVERAL_RULES = (
        Reason.UNCLEAR,
        "has another indentation than the file, which several rules explain, so the indentation of "
        "its added lines is unclear",
        _DEPTH,
    )
    AT_FILE_DEPTH = (
        Reason.UNCLEAR,
        "shows lines with another indentation than the file, but adds lines that begin as deep as "
        "the file's, so their indentation is unclear",
        _DEPTH,
    )
    BELOW_ANCHOR = (
        Reason.UNCLEAR,
        "has an anchor that lost its indentation, and its added lines may have lost theirs, so "
        "their indentation is unclear",
        _DEPTH,
    )
    UNPAIRED = (
        Reason.UNCLEAR,
        "would have {count} more `{more}` than `{less}`, which pair better in the file as it is; "
        "the change at line {near}, with `{change}`, has one end without the other",
        _WHOLE_BLOCK,
    )
    UNREADABLE_LINE = (
        Reason.UNCLEAR,
        "would not parse any more: line {at} of the result, `{line}`: {why}; the change before it "
        "is at line {near}",
        _WHOLE_BLOCK,
    )
    ENTITY = (
        Reason.UNCLEAR,
        "would not parse any more: line {at} of the result, `{line}`, has `{entity}`, an entity of "
        "HTML, and parses without it",
        "write `{character}` in its place",
    )
    STRANGE_INDENTATION = (
        Reason.UNCLEAR,
        "would not parse any more: line {at} of the result, `{line}`, is indented by {point}, "
        "which is not a space or a tab",
        "indent it as the lines around it",
    )
    UNREADABLE = (Reason.UNCLEAR, "would not parse any more: {why}", _WHOLE_BLOCK)

    # files and paths
    MISSING_FILE = (
        Reason.MISSING_FILE,
        "is not in {base}",
        "check the path; it is relative to the top of the working tree",
    )
    GONE_EARLIER = (Reason.MISSING_FILE, "was deleted or moved by an earlier section", _ONE_SECTION)
    TOO_MANY_SECTIONS = (
        Reason.NOT_FOUND,
        "is in {count:,} sections or edits, too many for a file of {size:,} lines",
        f"{_ONE_SECTION}, or send several patches",
    )
    ADDED_EARLIER = Reason.FILE_EXISTS, "is already added by an earlier section", _ONE_SECTION
    FILE_EXISTS = Reason.FILE_EXISTS, "the file already exists", "update it instead"
    TARGET_EXISTS = Reason.FILE_EXISTS, "the file already exists", "name another path"
    EMPTY_SEARCH = (
        Reason.FILE_EXISTS,
        "the file already exists, and an empty SEARCH makes a new one",
        "search for its lines",
    )
    MOVED_IN_PART = (
        Reason.FILE_EXISTS,
        "already has what the move would give it, and `{old_path}` still exists",
        "delete `{old_path}`, or name another path",
    )
    LEFT_OVER_LINES = (
        Reason.NOT_FOUND,
        "has lines that the patch does not delete",
        "re-read the file and correct the patch",
    )
    BINARY = Reason.BINARY, "is binary; its lines cannot change"
    UTF_16 = (
        Reason.BINARY,
        "is UTF-16, not UTF-8, so git takes it for binary; its lines cannot change",
    )
    BINARY_CHANGE = (
        Reason.BINARY,
        "is a binary change, which has no lines to match",
        "`--except` leaves it out; `git apply` can apply it",
    )
    NUL_ADDED = (
        Reason.BINARY,
        "the new lines have a NUL byte, so git would treat the file as binary",
    )
    SYMBOLIC_LINK = (
        Reason.NOT_A_FILE,
        "is a symbolic link to `{target}`, and has none of these lines",
        "name the file that it points to",
    )
    APPEND_TO_LINK = (Reason.NOT_A_FILE, "is a symbolic link", "name the file that it points to")
    SUBMODULE = Reason.NOT_A_FILE, "is a submodule", "patch it in its own repository"
    SUBMODULE_CHANGE = Reason.NOT_A_FILE, "is a submodule; a patch cannot set one"
    DIRECTORY = Reason.NOT_A_FILE, "is a directory", "name the files in it"
    UNCLEAR_MOVE = (
        Reason.UNCLEAR,
        "may be updated, or moved to `{new_path}`, which the header also names",
        "write the same path twice to update it, or `rename from` and `rename to` to move it",
    )
    FITS_BOTH_NAMES = (
        Reason.UNCLEAR,
        "exists, and so does `{alternate}`, which the patch also names; its hunks fit both, or one "
        "has them",
        "write the path that is meant in both lines",
    )
    FITS_NO_NAME = (
        Reason.UNCLEAR,
        "exists, and so does `{alternate}`, which the patch also names; its hunks fit neither",
        "write the path that is meant in both lines",
    )
    UNMERGED = (
        Reason.UNMERGED,
        "is unmerged",
        "resolve the conflict first, or patch the file as it is with `--worktree`",
    )
    UNTRACKED = (
        Reason.UNTRACKED,
        "is not tracked by git",
        "`git add` it first, or patch it as it is with `--worktree`",
    )
    INTENDED = (
        Reason.UNTRACKED,
        "is only intended to be added (`git add -N`)",
        "`git add` it first, or patch it as it is with `--worktree`",
    )
    IGNORED = (
        Reason.UNTRACKED,
        "is ignored by git: `{pattern}` in {place}",
        "`--worktree` writes it without adding it",
    )
    EMPTY_PATH = Reason.UNSAFE_PATH, "the path is empty"
    NUL_IN_PATH = Reason.UNSAFE_PATH, "the path contains a NUL"
    OUTSIDE = (
        Reason.UNSAFE_PATH,
        "the path is outside of the working tree; paths are relative to its top",
    )
    OTHER_WORKTREE = (
        Reason.UNSAFE_PATH,
        "the path is in the main working tree, and not in the linked one of the call",
    )
    NOT_A_NAME = Reason.UNSAFE_PATH, "the path is not the name of a file"
    LONG_PATH = Reason.UNSAFE_PATH, "the path is longer than a file system allows"
    LEAVES = Reason.UNSAFE_PATH, "the path leaves the working tree"
    GIT_DIRECTORY = Reason.UNSAFE_PATH, "the path goes into the git directory"
    LINKED_MODULES = Reason.UNSAFE_PATH, "`.gitmodules` cannot be a symbolic link"
    BELOW_SUBMODULE = (
        Reason.UNSAFE_PATH,
        "`{parent}` is a submodule; its files belong to another repository",
        "patch the file from there, by its path from there",
    )
    BELOW_FILE = Reason.UNSAFE_PATH, "`{parent}` is not a directory, so nothing can be below it"
    THROUGH_LINK = (
        Reason.UNSAFE_PATH,
        "`{parent}` is a symbolic link, and nothing is written through it",
    )
    OTHER_REPOSITORY = (
        Reason.UNSAFE_PATH,
        "`{parent}` is another repository",
        "patch the file from there, by its path from there",
    )
    NOT_ALLOWED = Reason.NOT_ALLOWED, "path is not allowed", "allowed by {origin}: {pathspecs}"
    DENIED = Reason.DENIED, "path is denied", "denied by {origin}: {pathspecs}"
    NO_FILES = Reason.DENIED, "may not be changed", "{origin} allows no file"
    FALLS_TOGETHER = (
        Reason.OVERLAP,
        "has another section that is refused, and these stand or fall together",
        "correct that one",
    )
    TOO_MANY_FILES = (
        Reason.DENIED,
        "is one of {count:,} files that the patch touches",
        "{origin} allows {most:,}: send the patch in parts",
    )
    QUOTE_MISSING = (
        Reason.NOT_FOUND,
        "is for lines of commit {commit}, which is not here, and does not show them, or too few "
        "above",
        "fetch that commit",
    )
    STALE = (
        Reason.STALE,
        "is stale: expected {wanted}, found {found}",
        "re-read the file, and write the patch for its present content",
    )

    # the working tree
    UNSTAGED = Reason.UNSTAGED, "has unstaged changes", "`--carry` leaves them unstaged"
    UNSTAGED_MERGE = (
        Reason.UNSTAGED,
        "has unstaged changes, and `--3way` merges in the index",
        "commit them, or `git stash` them, first",
    )
    OTHER_FORM = (
        Reason.UNSTAGED,
        "has unstaged changes: the index has something else than its filter makes of the file",
        "stage what is there",
    )
    UNSTAGED_DELETED = Reason.UNSTAGED, "would be deleted, and has unstaged changes", _IN_INDEX
    UNSTAGED_ATTRIBUTES = (
        Reason.UNSTAGED,
        "changes how files are read and written, and files of this patch have unstaged changes",
        "apply this part of the patch by itself first",
    )
    UNSTAGED_CONFLICT = (
        Reason.CONTRADICTED,
        "has unstaged changes that conflict with the patch",
        "commit them, or `git stash` them, first",
    )
    UNSTAGED_DELETION = (
        Reason.UNSTAGED,
        "is deleted in the working tree, and the deletion is not staged",
        "restore it with `git restore`, or stage the deletion",
    )
    OTHER_TYPE = (
        Reason.UNSTAGED,
        "has another type in the working tree than in the index",
        "stage what is there",
    )
    IN_THE_WAY = Reason.IN_THE_WAY, "is in the way, and git does not track it", _MOVE
    FILE_ABOVE = (
        Reason.IN_THE_WAY,
        "`{parent}` is a file, so nothing can be created below it",
        _MOVE,
    )
    REJECTS_OF_PATCH = Reason.IN_THE_WAY, "is a file of the patch itself", "use `--partial`"
    NOT_REJECTS = Reason.IN_THE_WAY, "has something else than the rejected hunks", _MOVE
    SKIP_WORKTREE = Reason.SKIPPED, "is not checked out (skip-worktree)", _IN_INDEX
    OUTSIDE_SPARSE = Reason.SKIPPED, "is outside of the sparse checkout", _IN_INDEX

    # a merge
    MERGE_LINES = (
        Reason.CONFLICT,
        "was changed since, at the same lines or next to them",
        _SEE_PATCH,
    )
    MERGE_WHOLE = Reason.CONFLICT, "was changed since", _SEE_PATCH
    MERGE_MODE = Reason.CONFLICT, "has another mode since", _SEE_PATCH
    MERGE_GONE = Reason.CONFLICT, "is not there any more", _SEE_PATCH
    MERGE_IN_THE_WAY = Reason.CONFLICT, "is in the way: it was added since", _SEE_PATCH
    LEFT_WITH_CONFLICTS = (
        Reason.CONFLICT,
        "was left with conflicts",
        "apply the patch again instead",
    )
    CONFLICT = (
        Reason.CONFLICT,
        "conflicts with later changes of the same lines; it fits the version of {version}",
    )
    CONFLICT_LEFT = (
        Reason.CONFLICT,
        "has conflicts with later changes of the same lines; it fits the version of {version}",
        "resolve them, then `git add` it",
    )


class Hint(Sentence):
    """What is known beyond the fault; it takes the place of the advice."""

    OLDER_VERSION = "fits {path} as of {version}; `--3way` tries to merge it"
    OLDER_AMBIGUOUS = "fits {path} as of {version} in several places"
    OLDER_DISAGREE = "fits {path} as of {version}, and other versions, whose merges differ"
    OLDER_DRIVER = "fits {path} as of {version}, but the attribute `merge` says how to merge it"
    LATER_PATCH = "patch {later} changed it since; undo that first"
    UNDO_CONFLICT = "resolve them, then `git add` it; or `git opatch undo {patch}`"
    OLDER_CONFLICT = "fits {path} as of {version}, but later changes conflict with it"
    NO_VERSION = "fits no version of {path} in the history, so `--3way` cannot merge it"
    SHALLOW = "fits no version of {path} that is here; `git fetch --deepen=100` gets more"
    PARTIAL = "fits no version of {path} that is here; `git log -p -100 -- PATH` gets more"
    SIMILAR_PATH = "did you mean {similar}?"
    BELOW = "did you mean {similar}? `--directory {directory}` counts paths from there"
    HERE = "check the path; it is relative to `{directory}`"
    FILTERED = "git stores it filtered, by `{filter}`; `--worktree` finds hunks in its text on disk"
    OMITS = "line {at} of the patch, `{line}`, omits lines; begin a new hunk or block after it"
    PART_OF_LINE = (
        "`{line}` is a part of line {at}: write the whole line, or send the part as `old_string` "
        "and `new_string`"
    )
    IN_NAMED = (
        "make the hunk agree with {there}; only if its candidate is meant, leave out the text "
        "after `@@`, or name what that is in{inside}"
    )
    MOVED = "moved to `{new}` in {commit}"
    DELETED = "deleted in {commit}"
    NO_PREFIX = "the line does not begin with ` `, `-` or `+`; it was read as context"
    MAY_REPLACE = "the line is below a removed one: if it replaces that, begin it with `+`"
    UNFINISHED = "the text ends there, and the hunk's header announces more lines"
    NOT_UTF_8 = (
        "the file is not UTF-8; leave lines with other characters than ASCII out of the hunk"
    )
    REVERSED = f"{_REREAD}: the file has what the hunk adds, and not what it removes"


class Difference(Sentence):
    """How the file differs from a hunk at its closest match."""

    BYTE_ORDER_MARK = "the byte-order mark differs"
    LINE_ENDINGS = "the line endings differ"
    TEXT_AND_ENDINGS = "the text and the line endings differ"
    WHITESPACE_AT_END = "the whitespace at the end differs"
    INDENTATION = "the indentation differs"
    WHITESPACE = "the whitespace differs"
    CHARACTER = "column {column} differs: the patch has {patch}, the file {file}"
    HEADING_LEVEL = "the heading level differs"
    CASE = "the letter case differs"
    SIGNS = "typography or punctuation differs"
    TEXT = "the text differs"


class Detail(Sentence):
    """What pictures show, and what is odd in a hunk, one sentence a line."""

    CLOSEST = "closest match"
    NAMED = "`{name}`, which it names, is at line {line}"
    IN_NAMED = "in what it names"
    DEFINED = "`{name}`, which its lines name, is at line {line}"
    LINES = "its lines, and where the file has them"
    OUTLINE = "no line of it says where it goes; what the file defines"
    ELSEWHERE = "lines of it that are elsewhere"
    LIKE = "like line {at}: `{text}`"
    STATED = "where its number points"
    CANDIDATE = "its candidate"
    NEW_LINES = "its new lines"
    RESULT = "the result would be"
    IN_OTHER = "lines of it are in {path}"
    NAMED_NOWHERE = "`{name}`, which it names, is nowhere in the file"
    ADDED = "{which}, which it adds, are as {lines} of the file; if they are meant, leave them out"
    FENCE = "{which}, a fence, is read as a line of the hunk; leave it out"
    AT_FAULT = "this has one end of a pair, and not the other"
    CARETS = "{which} is nothing but carets, which no file has; leave it out"
    SAME_LINE = "{which} and the `+` below are the same line; write it as context"
    CUT_OFF = "the patch ends within this hunk, at `{line}`; what it lacks is not known"
    TWIN = "it shows the same lines as hunk {other}: keep one of the two"
    IDLE = "{path}: leave out {hunks}, where nothing would change"
    FITS = "{path}: keep {hunks} as written"
    ANCHOR = "for line {at}, write `@@ {line}` above the hunk"
    LINE_ABOVE = "for line {at}, add the line above, `{line}`"
    LINES_ABOVE = "for line {at}, add the {count} lines above, from `{line}` on"
    LINE_BELOW = "for line {at}, add the line below, `{line}`"
    LINES_BELOW = "for line {at}, add the {count} lines below, down to `{line}`"
    WITHOUT_ANCHOR = ", and leave out the text after `@@`"


class Notice(Sentence):
    """What undo, redo, recover and commit say of what they found, and did."""

    MAY_NOT_PARSE = (
        "{path}: line {at} of the result, `{line}`, does not parse ({why}); it is written, as it "
        "may be newer syntax"
    )

    # of undo and redo
    NOT_A_PATCH = "{number} is not a patch, but what was done to patch {patch}"
    NOT_UNDONE_AND_GONE = (
        "patch {patch} is not undone, but its change is not there any more; to apply it again: "
        "{command:4000}"
    )
    NOT_UNDONE = "patch {patch} is not undone{where}, so there is nothing to redo"
    ALREADY_UNDONE = "patch {patch} is already undone{where}"
    NOT_APPLIED = "patch {patch} is not applied{where}"
    NOT_AT_PATHS = (
        "there is nothing to {verb} at these paths; `git opatch log -p {patch}` shows patch {patch}"
    )
    GONE = "the changes of {patches} are not there any more{where}"
    THERE_AGAIN = "the changes of {patches} are there again{where}"
    SKIPPED = "{gone}; skipped"
    NOTHING_LEFT = "nothing to {verb}: {gone}"
    NOTHING_TO_REDO = "nothing to redo: no patch was undone{where} after the last new one"
    ALL_UNDONE = "nothing to undo: every recorded patch is undone{where}"
    STAYS = "{count} of the files of patch {patch} stay{s} {state}"
    COMMITTED = (
        "patch {patch} is committed: `git opatch undo {patch}` stages its undo, `git revert` "
        "commits one"
    )
    OTHERS_MERGE = "the other files merge; to {verb} these: {command:4000}"
    UNDO_STAGED = "patch {patch} is committed; its undo is staged"
    CONTENT_LOST = (
        "entry {number} cannot be undone or redone: nothing has the content of {path}, blob "
        "{blob}, any more"
    )

    # of the journal
    NOT_READABLE = "{file} cannot be read: {why}"
    DAMAGED = "{file} is damaged: {why}"
    NEWER_ENTRY = "entry {number} was written by a newer version of git opatch"
    NOT_KEPT = "patch {number} is not kept any more; `git opatch log` shows {first} to {last}"
    NO_SUCH_PATCH = "there is no patch {number}; `git opatch log` shows {first} to {last}"
    NO_PATCHES = "no patch has been applied here, or none is kept"
    JOURNAL_IS_LINK = (
        "{file} is a symbolic link, which is not followed; put a directory in its place"
    )

    # of recover
    INTERRUPTED_HERE = "an apply was interrupted here; `git opatch recover` restores the files"
    FINISHED = "an interrupted apply was finished ({files})"
    ROLLED_BACK = "an interrupted apply was rolled back ({files})"
    NOT_ROLLED_BACK = (
        "an interrupted apply could not be rolled back completely, because the repository was "
        "changed since; the earlier versions are in {backup}"
    )
    LEFT = "{path}: left as it is"
    LEFT_SAVED = "{path}: left as it is; its earlier version is {saved}"
    MORE_LEFT = "and {more} more, in the order of that directory's plan.json"

    # of commit
    UNFINISHED = (
        "you are in the middle of {name} -- cannot apply and commit; first `git {command} "
        "--continue` or `git {command} --abort`; nothing was changed"
    )
    UNMERGED = "`{path}` is unmerged: resolve that first; nothing was changed"
    OTHERS_STAGED = (
        "other changes are staged, and --commit commits just the patch: {names}; commit or unstage "
        "them first; nothing was changed"
    )
    WOULD_NOT_COMMIT = "nothing was changed, since git would not commit: {why:as is}"
    ONE_MESSAGE = (
        "-m is for one commit, and the patch is {count} commits; mails have their own message"
    )
    NOT_MAIL = "{where}: is not part of a mail, so it has no message; apply it separately"
    EMPTY_MESSAGE = "aborting commit due to empty commit message; nothing was changed"
    NO_MESSAGE = "--commit needs a message: -m MSG"
    MAIL = "mail {number} of {count} ({title:100})"
    COMMITTED_BEFORE = "those before it are committed: {names}"
    MAIL_FAILED = "{mail} failed; those before it are committed: {names}"
    FILTERED_OUT = (
        "{path}: nothing was committed: its filter takes the change out of what git stores"
    )
    CHANGED_MEANWHILE = "not committed: somebody changed the index or HEAD meanwhile"
    TAKEN_AWAY = "not committed: git commit made a commit, and a hook took HEAD away from it again"
    ABORTED = "not committed: git commit was aborted{at}{why:as is}"
    KILLED = "not committed: git commit was killed{at}{why:as is}"
    REFUSED = "not committed: git commit refused{at}{why:as is}"
    HOOK_CHANGED = "a hook changed what is committed of {names}"
    NO_HOOKS = "git commit ran no hooks, because the patch changes hooks; look at them first"
    NOT_IN_JOURNAL = "the commit could not be added to the journal: {error}"
    INTERRUPTED = "interrupted; nothing was changed"
    INTERRUPTED_STAGED = "interrupted; the change is staged, and not committed"
    INTERRUPTED_COMMITTED = "interrupted; it had been committed by then"
    TO_COMMIT = "to commit it: {command:4000}"
    TO_COMMIT_LATER = "to commit it, once that is corrected: {command:4000}"
    TO_UNDO = "to undo it: {command:4000}"


class Malformed(Sentence):
    """What is wrong with a patch's text."""

    # of the whole text
    EMPTY_INPUT = "the input is empty: there is no patch to read"
    NO_PATCH = (
        "no patch found: no line begins one, such as `*** Begin Patch` or `--- a/PATH` (how "
        "patches are written: git opatch prompt)"
    )
    NO_OBJECT = (
        "no patch found: the JSON has neither an operation (`type`, `path` and `diff`) nor an edit "
        "(`file_path`, `old_string` and `new_string`); how these are written: git opatch prompt "
        "--format operations, or git opatch prompt --format string-replace"
    )
    ONLY_SKIPPED = "no patch found: {why}"
    NO_PATCH_OF_FORMAT = "no patch of the format {format} found"
    OTHER_FORMAT = (
        "no patch of the format {format} found; line {first} seems to begin one of {other}"
    )
    ESCAPED_NEWLINES = "no patch found (line {first} has `\\n` instead of a newline)"
    HEADER_IN_ONE_LINE = (
        "no patch found: line {first} has `---` and `+++` of a diff, which are lines of their own, "
        "as is `@@`"
    )
    EMPTY_CALL = "no patch found: the call in line {first} is empty; write the patch as its `input`"
    QUOTED = "no patch found (line {first} is quoted by `>`; send the patch without that prefix)"
    IMAGE = "no patch found: line {first} has an image; send the text of the patch"
    BINARY_STUB = (
        "no patch found: line {first} says that binary files differ, and has not their content; "
        "send the output of `git diff --binary`"
    )
    HASHLINES = (
        "no patch found: line {first} is an edit by lines, hashes, a symbol or tags, which is not "
        "read; send the old and the new lines (how patches are written: git opatch prompt)"
    )
    TOO_LARGE = "the patch has more than {bound} {unit}, which is too large; split it"
    HALF_PAIR_IN_TEXT = "the text has half a surrogate pair, which is not a character"

    ONLY_DRAFT = (
        "the only patch is in the draft here, which is not part of the answer; send it outside of "
        "these tags"
    )
    OPEN_DRAFT = (
        "`<{tag}>` has no end, so the patch below it may be a draft; write `</{tag}>` below the "
        "draft, and the patch below that"
    )

    # of what several formats have
    NO_END = (
        "`{marker}` is missing, and the {subject} that begins here may be cut off; if it is "
        "complete, add that line after line {last}"
    )
    INDENTED = "the whole {subject} is indented by {count}; send it without indentation"
    BELOW_FENCE = (
        "`{text}` is below the fence that closes at line {fence}, so it is not in a patch; write a "
        "space before that fence if it is context, or a blank line after it if prose follows"
    )
    COMBINED_DIFF = "`{text}` is from the combined diff of a merge; send a diff against one parent"
    NOT_A_HEADER = "`{text}` is not a hunk header; did you mean `{meant}`?"
    MANY_HEADERS = "more than {most} `@@` lines before one hunk; leave some out"
    NO_LINES = "the hunk has no lines; write context, removed and added lines below its `@@`"
    NO_PREFIX = (
        "`{text}` does not begin with ` `, `-`, `+` or `@@`; if it is context, write ` {text}`"
        "{last:up to}"
    )
    NO_LINE_ABOVE = "there is no line above this one that could lack its newline"
    MISPLACED_NO_NEWLINE = (
        "this states that the file ends without a newline, but more lines follow; if it is "
        "content, write its prefix, ` `, `-` or `+`, before it"
    )
    NO_CHANGED_LINE = (
        "no line of this hunk begins with `-` or `+`, and this one does not begin with a space; "
        "write `-` and `+` before the lines to remove and to add"
    )
    NO_FILE = "this hunk does not name a file; write `--- a/PATH` and `+++ b/PATH` above it"
    NO_FILE_OF_ENVELOPE = (
        "this hunk does not name a file; write `*** Begin Patch` and `*** Update File: PATH` above "
        "it"
    )
    NO_BREAK_SPACE = "there is a no-break space (U+00A0) here; did you mean `{meant}`?"
    NO_NAMES = (
        "this diff does not name a file; write `--- a/PATH`, `+++ b/PATH` and `@@` below this line"
    )

    GLUED = (
        "`{end}` is glued to the last line, `{text}`; write the line without it, or, if the file "
        "is to end so, send it as `content` or `new_string` in JSON"
    )

    # of an envelope
    SECOND_END = "the patch has ended above this line; remove this `{marker}`"
    DIRECTORY_MARKER = (
        "`{text}` names a directory; git makes and removes them with the files in them, so name "
        "the files"
    )
    NO_BEGIN = "there is no `{marker}` above this line; add one"
    NO_SECTION = "the patch has no section, so it changes nothing"
    BELOW_END = (
        "`{text}` is below `{marker}`; move that marker below the last line of the patch, or write "
        "a blank line after it if prose follows"
    )
    MARKER_WITHOUT_PATH = "this marker does not name a file; write `{marker}PATH`"
    MISPLACED_MOVE = "`*** Move to:` must come right after `*** Update File:`, before any hunk"
    NEAR_MARKER = "`{text}` is not a patch marker; did you mean `{meant}`?"
    NO_MARKER = (
        "`{text}` is not a patch marker; expected `*** Add File: PATH`, `*** Update File: PATH`, "
        "`*** Delete File: PATH` or `*** End Patch` (a context line begins with a space)"
    )
    NO_PLUS = "every line of a new file begins with `+`; write `+{text}`{last:up to}"
    DELETION_WITH_LINES = "a deletion has no lines; write the next `***` marker right after it"
    NO_HUNK_IN_UPDATE = (
        "the update has no hunk; add `@@` and the lines to change, or leave the section out"
    )
    NAMES_DIRECTORY = "`{text}` names a directory; add the name of the file"
    BACKSLASHES = "git separates directories by `/`; did you mean `{meant}`?"
    HUNK_AFTER_END_OF_FILE = "a hunk after `*** End of File` must begin with `@@`; add a line `@@`"
    BINARY_SECTION = "a binary patch has no lines to match; leave this section out"
    HEADER_OF_OTHER_FILE = (
        "this diff header names a different file than the marker above it, `{path}`; give each "
        "file its own section (if these lines are to be removed and added, write `@@` above them)"
    )

    # of a unified diff
    NO_LINES_OF_NEW = (
        "the new file has no hunk below `+++`: write `@@` above its lines, or `@@ -0,0 +0,0 @@` if "
        "it is to be empty"
    )
    NOT_A_MODE = "`{text}` is not a mode of git; a file has 100644"
    OTHER_NAMES = (
        "this names a different file than the `diff --git` header above it; write one path"
    )
    EMPTY_NAME = "a name of this diff is nothing but a prefix; write the path after it"
    NO_HUNK_BELOW = "`{text}` has no hunk below it; add `@@` and the lines to change"
    NEW_FILE_ONLY = (
        "every line of a new file begins with `+`; write `+{text}`, or is this an update?"
    )
    DELETED_FILE_ONLY = (
        "every line of a deleted file begins with `-`; write `-{text}`, or is this an update?"
    )
    LIST_BELOW = (
        "this may be a list below the diff, or belong to the hunk above; leave it out, or put the "
        "diff between lines of ```"
    )
    CUT_HUNK = "the text ends in the middle of a hunk: its header announces more lines"
    CONTEXT_DIFF = (
        "context diffs are not supported; send a unified diff (`diff -u`): `--- a/PATH`, "
        "`+++ b/PATH`, and hunks that begin with `@@`"
    )
    HALF_HEADER_BEFORE = (
        "half of the diff header is missing; write `{missing}` before this line (`--- /dev/null` "
        "if the file is new)"
    )
    HALF_HEADER_AFTER = (
        "half of the diff header is missing; write `{missing}` after this line (`+++ /dev/null` if "
        "the file is deleted)"
    )
    ENCODED_MAIL = (
        "this mail is encoded ({encoding}), and so is its patch; send it as `git format-patch` "
        "writes it"
    )

    # of search-and-replace blocks
    NO_SEARCH = "no `<<<<<<< SEARCH` before this `{text}`; add one above the old lines"
    NO_PATH_ABOVE = (
        "the block does not name a file; write its path alone on the line above `{text}`"
    )
    UNCLEAR_PATH = (
        "`{text}` may name the file of the block, or something else; write the path alone on the "
        "line above the block, in backticks"
    )
    OTHER_PATH = (
        "`{text}` names a different file than `{path}`, the file of the block; write one path, "
        "above the block"
    )
    OTHER_END = "`{text}` does not end a block; did you mean `{marker}`?"
    TWO_DIVIDERS = (
        "`{divider}` occurs more than once in this block; write `\\{divider}` where it is content"
    )
    NEAR_DIVIDER = "`{text}` is not a divider; did you mean `{divider}`?"
    NO_DIVIDER = "no `{divider}` in the block that ends here; add one below the old lines"
    BLOCK_WITHOUT_END = (
        "`{marker}` is missing, and the block above may be cut off; if it is complete, add that "
        "line after its last line, or write a `\\` before a marker that is content"
    )
    CONFLICT = (
        "`{text}` does not begin a block; did you mean `<<<<<<< SEARCH`, below a path, and "
        "`>>>>>>> REPLACE` at its end? A conflict of a merge is not a patch; leave it out"
    )

    # of FILE_CHANGES
    NO_DIRECTIVE = "the container has no directive, so it changes nothing"
    UNKNOWN_TAG = "`{tag}` is not a tag of this format, which has {known}"
    WRONG_TAG = "a tag is alone on its line, with its attributes in quotes: `{form}`"
    NOT_IN_DIRECTIVE = '`{text}` is not in a directive; put it in a `<FILE_PATCH file_path="PATH">`'
    ENDS_NOTHING = "`</{tag}>` does not end anything: there is no `<{tag}…>` above it"
    WITH_CONTENT = "`{tag}` has no content, and ends with `/>`"
    EQUAL_PATHS = "`from_path` and `to_path` are equal: nothing would change"
    NO_HUNK = "the patch has no hunk; add `@@` and the lines to change"
    NOTHING_TO_APPEND = "there is nothing to append; put the lines between the tags"
    OTHER_FILE_IN_TAG = "this names a different file than the tag; a FILE_PATCH changes one file"
    NOT_IN_FILE_PATCH = "`{text}`: a FILE_PATCH changes only lines"
    RANGE_NOT_BETWEEN = (
        "`~` stands for all lines between two removed lines; write the first and the last of them, "
        "as `-…`, right before and after it"
    )
    UNCLEAR_FENCE = (
        "it is unclear whether this fence is content; if it is, put a longer one, `{longer}`, "
        "around all of the content; if not, leave it out"
    )

    # of shell text
    UNSUPPORTED_COMMAND = (
        "`{text:80}` is not a supported command, and its effect on the patch would be lost: "
        "`{part:80}` is not understood; send only the patch"
    )
    OPTION_OF_COMMAND = (
        "`{text:80}` asks for something else than to apply the patch; for `{part:80}` send only "
        "the patch, {instead}"
    )
    UNCLOSED_QUOTE = "a quote in this command is not closed; the text may have been cut off"
    STRAY_QUOTES = (
        "quotes inside the quoted text of this call end it, or a `\\` joins its lines, and a shell "
        "drops them; write `apply_patch <<'EOF'`, where all is literal"
    )
    UNREAD_DIRECTORY = (
        "`{text:80}` may or may not hold for the call in line {called}; write `cd DIR && ` on the "
        "line of the call, or remove it"
    )
    UNCLEAR_DIRECTORY = (
        "`{text:80}` may start at the top or in `{directory:80}`, the directory of the call in "
        "line {before}; put each call in a fence of its own, with `cd DIR && ` before it if needed"
    )

    # of JSON
    INVALID_JSON = "this is not valid JSON: {what} (column {column})"
    CUT_JSON = "the text ends in the middle of the JSON (column {column})"
    RAW_BREAK = (
        "this string has a raw line break and escapes, too, so what is meant is not clear; write "
        "each line break in it as `\\n`"
    )
    HALF_PAIR = "the string has half a surrogate pair, which is not a character"
    BEHIND_TEXT = "`{text:60}` has a change behind other text; begin its line with the JSON"
    PATCH_NOT_READ = "there is a patch here, in a value that is not read; use {read}"
    OTHER_DIRECTORY = "`{name}` is not read; write `workdir`"
    FLAG_IN_JSON = "`{name}` is not read; give `git opatch apply` the flag"
    ASKS_TO_CHECK = (
        "`{name}` asks not to apply this; leave it out, or give the patch to `git opatch check`"
    )
    CUT_ANSWER = "`{name}` says that the answer was cut off; ask for the rest of it"
    SEVERAL_SAMPLES = "there are several answers to one question here; send one of them"
    NOT_A_HASH = "`{name}` is not a hash that the file can be compared with; leave it out"
    OTHER_FILE = "`{name}` is `{path}`, and the patch beside it is for `{other}`; write one path"
    SECOND_PREDICTION = (
        "this is a second row, and each is for a repository of its own; send one, or judge all of "
        "them with `git opatch batch --repositories DIR`"
    )
    OPEN_SUGGESTION = "a suggestion in this comment has no end; the text may have been cut off"
    SUGGESTION_WITHOUT_PLACE = (
        "this suggestion does not name its lines; send the review's comments as the API has them, "
        "as `gh api repos/OWNER/NAME/pulls/N/comments` prints them"
    )
    SUGGESTION_OF_REMOVED = "this suggestion is for lines that the new file does not have"
    OTHER_LINES = (
        "the suggestion is for lines {first} to {last}, which `diff_hunk` does not show last"
    )
    CUT_CALL = "this call of a tool has no end, or a tag in a value; send its arguments as JSON"
    FILES_OF_API = (
        "modes and binary files are not in the diffs of an API's list of files; send what "
        "`{command}` prints"
    )
    NOT_A_PATH = "`{path}` is not a path; a path is one line, without spaces around it"
    BOTH = "there are both `{first}` and `{second}`; leave one out"
    MEMBER_TWICE = "`{name}` occurs twice in one object"
    NOT_A_STRING = "`{name}` is not a string"
    NOT_A_BOOLEAN = "`{name}` is not `true` or `false`"
    NOT_A_NUMBER = "`{name}` is not a number from 0 on"
    NOT_AN_OBJECT = "`{name}` of a call is not an object, or has a value that is none"
    EMPTY = "`{name}` is empty"
    UNKNOWN_OPERATION = (
        "`{kind}` is not an operation; expected `create_file`, `update_file` or `delete_file`"
    )
    NO_TYPE = "no `type`; expected `create_file`, `update_file` or `delete_file`"
    UNKNOWN_OF_OPERATION = (
        "`{name}` is not a member of an operation, which has `type`, `path` and `diff`; leave it "
        "out, or send the patch in another format"
    )
    MANY_SECTIONS = "an operation changes one file; write another operation for this"
    OTHER_SECTIONS = (
        "this `diff` is an envelope with more or other sections than the operation's `type` and "
        "`path`; leave the envelope out, and write an operation for each file"
    )
    NO_MEMBER = "the call has no `{name}`"
    UNKNOWN_MEMBER = (
        "`{name}` is not a member of this call, and could change what it does; leave it out, or "
        "send the patch in another format"
    )
    UNKNOWN_COMBINATION = (
        "`{first}` and `{second}` are from two kinds of calls; write `old_string` and `new_string`"
    )
    OTHER_HASH = "`{name}` is not the beginning of the SHA-256 of `{string}`; re-read the file"
    NO_CELL = "the call does not name a cell; write its `cell_id`, or its `cell_number` from 0 on"
    CELL_MODE = (
        "`{mode}` is not read: only the source of a cell is replaced; change other parts of the "
        "notebook as text"
    )
    HASHLINE = (
        "this is an edit by lines or hashes alone, which are not read; send the old and the new "
        "lines, as `old_string` and `new_string`"
    )
    UNDO_CALL = "this call undoes an edit; `git opatch undo` does that"
    FAST_APPLY = (
        "this is a sketch for a model that merges it, and not a patch; send the old and the "
        "new lines, as `old_string` and `new_string`"
    )
