"""The options that commands share, each declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from git_opatch.options import Ambiguous, Dialect, Tier

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Patches to read, as one patch: in order, all or nothing. None or - is standard "
        "input.",
    ),
]
EachFile = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Patches to judge, each by itself. None or - is standard input.",
    ),
]
Argv = Annotated[
    bool,
    typer.Option(
        "--argv",
        help="Judge a command instead, such as: check --argv -- bash -lc \"apply_patch <<'EOF' …\"",
    ),
]
Reverse = Annotated[bool, typer.Option("-R", "--reverse", help="Take the patch back.")]
CompleteReverse = Annotated[
    bool, typer.Option("-R", "--reverse", help="Complete the patch that takes this one back.")
]
Directory = Annotated[
    str,
    typer.Option(
        "--directory",
        metavar="DIR",
        show_default=False,
        help="Put DIR before every path of the patch. Paths count from the top of the working "
        "tree.",
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Let an added or moved file replace a tracked one."),
]
Index = Annotated[
    bool, typer.Option("--index", help="Change index and working tree (the default).")
]
Cached = Annotated[bool, typer.Option("--cached", help="Change the index alone.")]
Worktree = Annotated[
    bool,
    typer.Option(
        "--worktree",
        help="Change the working tree alone, untracked files too; hunks are located in its files.",
    ),
]
Carry = Annotated[
    bool,
    typer.Option(
        "--carry",
        help="Touched files may have unstaged changes: those stay, unstaged. Each hunk must have "
        "its place in the index and in the working tree.",
    ),
]
LocateInWorktree = Annotated[
    bool, typer.Option("--worktree", help="Locate hunks in the working tree's files.")
]
Check = Annotated[
    bool,
    typer.Option("--check", "--dry-run", help="Say whether it would apply; change nothing."),
]
Base = Annotated[
    str,
    typer.Option(
        "--base",
        metavar="TREE-ISH",
        show_default=False,
        help="Locate hunks in this commit or tree; works in a bare repository.",
    ),
]
Output = Annotated[
    str,
    typer.Option(
        "-o",
        "--output",
        metavar="OUT",
        show_default=False,
        help="Write the diff to this file, not to standard output.",
    ),
]
Stat = Annotated[
    bool, typer.Option("--stat", help="Show each file's share of the changes instead.")
]
Numstat = Annotated[
    bool, typer.Option("--numstat", help="Show added and removed lines, and the path, instead.")
]
NameOnly = Annotated[
    bool,
    typer.Option(
        "--name-only", help="Show the paths alone; the patch is only read, anywhere at all."
    ),
]
NameStatus = Annotated[
    bool,
    typer.Option("--name-status", help="Show what is asked for (A, M, D, R, C) and the paths."),
]
Zero = Annotated[
    bool,
    typer.Option("-z", help="End paths with NUL and do not quote them (not for --stat)."),
]
AsDialect = Annotated[
    Dialect | None,
    typer.Option(
        "--dialect",
        show_default=False,
        help="The one form to read the patch in (default: the form that each part shows).",
    ),
]
InDialect = Annotated[
    Dialect, typer.Option("--dialect", help="The form that the model is to write.")
]
Match = Annotated[
    Tier | None,
    typer.Option(
        "--match",
        show_default=False,
        help="The loosest way to compare lines (default: fuzzy, or opatch.match).",
    ),
]
OnAmbiguous = Annotated[
    Ambiguous | None,
    typer.Option(
        "--ambiguous",
        show_default=False,
        help="What to do with a hunk that fits several places equally (default: refuse, or "
        "opatch.ambiguous). The nearest one is often the wrong one.",
    ),
]
Fuzz = Annotated[
    int,
    typer.Option(
        "--fuzz",
        metavar="N",
        min=0,
        help="Ignore up to N outermost context lines a side, if the rest is unique in the file.",
    ),
]
ThreeWay = Annotated[bool, typer.Option("-3", "--3way", help="Merge from an older version.")]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="PATHSPEC",
        show_default=False,
        help="Refuse a patch that touches anything else (may be given again).",
    ),
]
Deny = Annotated[
    list[str] | None,
    typer.Option(
        "--deny",
        metavar="PATHSPEC",
        show_default=False,
        help="Refuse a patch that touches this (may be given again).",
    ),
]
Expect = Annotated[
    list[str] | None,
    typer.Option(
        "--expect",
        metavar="PATH=BLOB",
        show_default=False,
        help="Refuse the patch as stale if the file is another version; without a BLOB, if it "
        "is there (may be given again).",
    ),
]
Searched = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Tracked files or folders to look at (default: the staged files).",
    ),
]
MayHave = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="PATHSPEC",
        show_default=False,
        help="Pass over what this matches, as over `opatch.leftovers` (may be given again).",
    ),
]
PathsAlone = Annotated[bool, typer.Option("-z", help="Print the paths alone, each ended by NUL.")]
SkipApplied = Annotated[
    bool,
    typer.Option("--skip-applied", help="Pass over changes that are there already."),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial", help="Apply the hunks that can be placed, report the others, and exit 1."
    ),
]
Reject = Annotated[
    bool,
    typer.Option("--reject", help="Like --partial; write the other hunks to FILE.rej."),
]
Commit = Annotated[
    bool,
    typer.Option(
        "--commit",
        help="Commit the patch, and just that, by `git commit`; the index must be equal to HEAD. "
        "Mails of git format-patch become a commit each.",
    ),
]
Message = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--message",
        metavar="MSG",
        show_default=False,
        help="With --commit: the message; said again, a paragraph more.",
    ),
]
MessageFile = Annotated[
    str,
    typer.Option(
        "-F",
        "--file",
        metavar="FILE",
        show_default=False,
        help="With --commit: take the message from FILE; - is standard input.",
    ),
]
Trailer = Annotated[
    list[str] | None,
    typer.Option(
        "--trailer",
        metavar="TOKEN[=VALUE]",
        show_default=False,
        help="With --commit: add a trailer to the message, as git commit does.",
    ),
]
Author = Annotated[
    str,
    typer.Option(
        "--author", metavar="AUTHOR", show_default=False, help="With --commit: name the author."
    ),
]
Date = Annotated[
    str,
    typer.Option(
        "--date", metavar="DATE", show_default=False, help="With --commit: the author's date."
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Answer with one JSON document on standard output, and no more."),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        min=0,
        show_default=False,
        help="Wait so long for another process that has the lock (default: not at all).",
    ),
]
Undone = Annotated[
    int | None,
    typer.Argument(
        metavar="N",
        show_default=False,
        help="The number of the record, as `git opatch log` shows it (default: the last).",
    ),
]
Logged = Annotated[
    int | None,
    typer.Argument(metavar="N", show_default=False, help="The number of the one record to show."),
]
WithDiff = Annotated[bool, typer.Option("-p", "--patch", help="Show the applied diffs, too.")]
Count = Annotated[
    int | None,
    typer.Option(
        "-n", "--max-count", metavar="COUNT", min=0, show_default=False, help="Show so many."
    ),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing on success.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say where each hunk was found.")]
