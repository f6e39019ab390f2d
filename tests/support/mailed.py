"""Commits of many authors, as mail."""

from __future__ import annotations

from sandbox import Sandbox

MESSAGES = [
    "Change f",
    "Ändere die Datei, und zwar so, dass es wirklich jeder sehen kann, der es sehen möchte: 世界",
    "A subject that is much longer than the seventy-two columns that a subject should have, and on",
    "[topic] Re: a prefix of its own",
    "Subject\n\nBody of two lines,\n  one indented.\n\n\nAfter two blank lines.  \n\n"
    "Signed-off-by: Ü <u@example.com>",
    "Quote a diff\n\n    --- a/x\n    +++ b/x\n    @@ -1 +1 @@\n    -a\n\n@@ at the margin\n-x\n+y",
    "Talk of patches\n\n    *** Begin Patch\n*** Update File: x\n+++ b/x\n-- \n2.39.5",
    "Talk of fences\n\n```diff\n-x\n```\n\n---x and\n--- \tand -- end no message",
    "One line\nand a second one in the subject",
]
AUTHORS = [
    ("A U Thor", "author@example.com"),
    ("Jörg Müller", "joerg@example.com"),
    ("山田 太郎", "taro@example.com"),
    ("C. O. Mitter, Jr.", "c.o@example.com"),
    ('Say "so"', "say@example.com"),
    ("Bo", "bo@example.com"),
    ("X", "x@example.com"),
    ("Łukasz Żółć-Wiśniewski von und zu der Großen Straße am See", "lukasz@example.com"),
]


def history(repo: Sandbox) -> bytes:
    """Return several commits of several authors as the mail that `git format-patch` writes."""
    repo.commit({"f": "0\n"})
    for number, message in enumerate(MESSAGES):
        name, address = AUTHORS[number % len(AUTHORS)]
        repo.write("f", f"{number + 1}\n")
        repo.write(f"sub/{number}", "new\n")
        repo.git("add", "-A")
        author = f"--author={name} <{address}>"
        date = f"--date=2024-01-0{number + 1}T03:04:05+0{number}:30"
        repo.git(
            "commit", "-q", "--cleanup=verbatim", author, date, "-F", "-", feed=message.encode()
        )
    return repo.git("format-patch", "--stdout", "--root", "HEAD~" + str(len(MESSAGES)) + "..")
