"""Mails are committed as `git am` commits them, whatever encodes them and whoever wrote them."""

from __future__ import annotations

from collections.abc import Callable
from email import policy
from email.message import EmailMessage

import pytest
from sandbox import Sandbox

from git_opatch.git.mail import is_mailbox

_LOG = "--format=%T%n%an <%ae>%n%ad%n%B%x00"
_OLD = {"f": "".join(f"line {n}\n" for n in range(20)), "ü": "äöü\n", "win": "1\r\n2\r\n"}
_MESSAGE = """Ändere f, =20 und ü

A body of a few lines, of which this one is longer than the seventy-six bytes of a mail's line. 世界

  - indented
= equals = at = the = end =
From here on, more.

Signed-off-by: Jörg Müller <joerg@example.com>
"""


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    """A repository with a commit, and two on a branch that are to be sent."""
    repo.commit(_OLD)
    repo.git("checkout", "-q", "-b", "sent")
    repo.write("f", _OLD["f"].replace("line 3\n", "Zeile = drei, ü\n\ttab \n"))
    repo.write("ü", "äöü 世界\n")
    repo.write("d/new", "From here\n.\n\n=3D\n" + "long " * 40 + "\n")
    repo.git("add", "-A")
    author = "--author=Jörg Müller <joerg@example.com>"
    words = ("-q", "--cleanup=verbatim", "--date=2024-01-02T03:04:05+0130", author, "-F", "-")
    repo.git("commit", *words, feed=_MESSAGE.encode())
    repo.git("mv", "f", "moved")
    repo.git("commit", "-q", "--author=O. Two, Jr. <two@example.com>", "-m", "[x] Move it")
    repo.git("checkout", "-q", "main")
    return repo


def _commits(repo: Sandbox, text: bytes, *words: str) -> bytes:
    """Apply `text` by a command to the first commit; return what was committed."""
    repo.git("reset", "-q", "--hard", "main")
    repo.git("checkout", "-q", "--detach", "main")
    ran = repo.run(*words, feed=text)
    assert ran.status == 0, (ran.err, text)
    return repo.git("log", _LOG, "main..HEAD")


def _is_as_by_git_am(repo: Sandbox, text: bytes, *, count: int) -> None:
    theirs = _commits(repo, text, "git", "am", "-q")
    assert theirs.count(b"\0") == count
    assert _commits(repo, text, "git-opatch", "apply", "--commit") == theirs


@pytest.mark.parametrize(
    "options",
    [
        "", "--attach", "--inline", "--attach=AAA --no-signature", "--no-stat", "-M90 --numbered",
        "--no-renames", "--from", "--signoff", "--encode-email-headers", "--full-index",
        "-1 sent~1 --interdiff=sent~2", "-1 sent~1 --range-diff=sent~2..sent",
    ],
)  # fmt: skip
def test_what_git_sends(base: Sandbox, options: str) -> None:
    revisions = [] if "-1" in options else ["main..sent"]
    text = base.git("format-patch", "--stdout", *options.split(), *revisions)
    _is_as_by_git_am(base, text, count=1 if "-1" in options else 2)


def test_a_cover_letter_is_not_a_commit(base: Sandbox) -> None:
    """At which git am stops."""
    text = base.git("format-patch", "--stdout", "--cover-letter", "main..sent")
    theirs = _commits(base, text[text.index(b"\nFrom ") + 1 :], "git", "am", "-q")
    assert _commits(base, text, "git-opatch", "apply", "--commit") == theirs


def _parts(base: Sandbox) -> tuple[str, str, str]:
    """Return the message, diffstat and diff of the first commit, as text."""
    text = base.git("format-patch", "--stdout", "-1", "sent~1").decode()
    body = text[text.index("\n\n") + 2 :]
    message, _, rest = body.partition("---\n")
    return message, *rest.split("\ndiff", 1)  # type: ignore[return-value]


def _mail(base: Sandbox, text: str | None = None) -> EmailMessage:
    message, stat, diff = _parts(base)
    mail = EmailMessage(policy=policy.SMTP.clone(linesep="\n"))
    mail["From"] = "Jörg Müller <joerg@example.com>"
    mail["Date"] = "Tue, 02 Jan 2024 03:04:05 +0130"
    mail["Subject"] = "[PATCH v2 1/2] Ändere f, =20 und ü"
    mail["To"] = "list@example.com"
    mail["X-Mailer"] = "one"
    body = f"{message}---\n{stat}\ndiff{diff}" if text is None else text
    mail.set_content(body, charset="utf-8", cte="8bit")
    return mail


def _encoded(cte: str, charset: str = "utf-8") -> Callable[[EmailMessage], bytes]:
    def encode(mail: EmailMessage) -> bytes:
        body = mail.get_content()
        if charset != "utf-8":
            body = body.replace("世界", "")
        mail.set_content(body, charset=charset, cte=cte)
        return mail.as_bytes()

    return encode


def _attached(cte: str, kind: str) -> Callable[[EmailMessage], bytes]:
    def encode(mail: EmailMessage) -> bytes:
        body = mail.get_content()
        text, _, patch = body.partition("---\n")
        mail.set_content(text, charset="utf-8", cte="quoted-printable")
        data = f"---\n{patch}".encode()
        mail.add_attachment(data, maintype="text", subtype=kind, cte=cte, filename="0001.patch")
        return mail.as_bytes()

    return encode


_FORMS: dict[str, Callable[[EmailMessage], bytes]] = {
    "8bit": lambda mail: mail.as_bytes(),
    "quoted-printable": _encoded("quoted-printable"),
    "base64": _encoded("base64"),
    "attached in base64": _attached("base64", "x-patch"),
    "attached in quoted-printable": _attached("quoted-printable", "x-diff"),
    "attached in 8bit": _attached("8bit", "plain"),
    "a mailbox of Thunderbird": lambda mail: (
        b"From - Tue Jan  2 03:04:05 2024\nX-Mozilla-Status: 0001\n" + mail.as_bytes()
    ),
    "as sent, with CRLF": lambda mail: mail.as_bytes().replace(b"\n", b"\r\n"),
    "quoted-printable with CRLF": lambda mail: _encoded("quoted-printable")(mail).replace(
        b"\n", b"\r\n"
    ),
    "an author in the body": lambda mail: _with_body(
        mail, "From: Ö Ther <o@example.com>\nDate: Wed, 3 Jan 2024 03:04:05 +0000\n\n"
    ),
    "a reply": lambda mail: _with_subject(mail, "Re: [list] [PATCH] Ändere f"),
    "headers of a list": lambda mail: b"Received: from x\n\tby y; z\n" + mail.as_bytes(),
}


def _with_body(mail: EmailMessage, before: str) -> bytes:
    mail.set_content(before + mail.get_content(), charset="utf-8", cte="quoted-printable")
    return mail.as_bytes()


def _with_subject(mail: EmailMessage, subject: str) -> bytes:
    mail.replace_header("Subject", subject)
    return mail.as_bytes()


@pytest.mark.parametrize("form", _FORMS)
def test_what_mail_programs_send(base: Sandbox, form: str) -> None:
    _is_as_by_git_am(base, _FORMS[form](_mail(base)), count=1)


@pytest.mark.parametrize("cte", ["8bit", "quoted-printable"])
def test_a_message_in_latin_1(base: Sandbox, cte: str) -> None:
    """Its patch is in that, too, as for git: here it has ASCII alone."""
    base.git("checkout", "-q", "-b", "plain", "main")
    base.write("f", _OLD["f"].replace("line 3\n", "Zeile\n"))
    base.git("commit", "-q", "-a", "-m", "x")
    diff = base.git("diff", "HEAD~").decode()
    mail = _mail(base, f"Für ä.\n\n---\n f | 2 +-\n\n{diff}")
    _is_as_by_git_am(base, _encoded(cte, "iso-8859-1")(mail), count=1)


@pytest.mark.parametrize("setting", ["true", "false"])
def test_scissors_are_the_users_choice(base: Sandbox, setting: str) -> None:
    base.git("config", "mailinfo.scissors", setting)
    message, stat, diff = _parts(base)
    letter = "Dear all,\n\n-- >8 --\nSubject: Another\n\n"
    mail = _mail(base, f"{letter}{message}---\n{stat}\ndiff{diff}")
    _is_as_by_git_am(base, mail.as_bytes(), count=1)


def test_a_mail_is_read_by_every_command(base: Sandbox) -> None:
    base.write(".git/m", _FORMS["base64"](_mail(base)))
    for words in (["apply", "--check"], ["check"], ["show"], ["convert"], ["apply"]):
        ran = base.opatch(*words, ".git/m")
        assert ran.status == 0, (words, ran.err)
    assert "Zeile = drei" in base.read("f").decode()


def test_an_interdiff_is_not_a_patch_without_git_either(base: Sandbox) -> None:
    """In a text that is not mail from its first line on, which git does not read."""
    text = base.git("format-patch", "--stdout", "-1", "--interdiff=sent~2", "sent~1")
    assert b"\n  diff --git" in text
    ran = base.opatch("apply", feed=b"Here it is:\n" + text)
    assert ran.status == 0, ran.err
    assert base.read("d/new").startswith(b"From here\n")


def test_a_wrong_line_of_a_mail_is_named_as_the_mailbox_counts(base: Sandbox) -> None:
    text = base.git("format-patch", "--stdout", "main..sent")
    text = text.replace(b"-line 3\n", b"-line 33\n", 1)
    number = text[: text.index(b"-line 33")].count(b"\n") + 1
    base.write(".git/m", text)
    ran = base.opatch("apply", ".git/m")
    assert (ran.status, f"patch {number} -line 33" in ran.err) == (1, True), ran.err


def test_a_mail_that_git_cannot_read_is_named(base: Sandbox) -> None:
    mail = _mail(base).as_bytes().replace(b"utf-8", b"nothing")
    ran = base.opatch("apply", feed=mail)
    theirs = base.run("git", "am", feed=mail)
    assert bool(ran.status) == bool(theirs.status)
    assert ran.status == 0 or "mail 1" in ran.err


@pytest.mark.parametrize(
    ("text", "is_mail"),
    [
        (b"From 0123 Mon Sep 17 00:00:00 2001\nFrom: x\n", True),
        (b"\nFrom - Tue Jan  2 03:04:05 2024\nX-Y: 1\n", True),
        (b"From: x\nSubject: y\n\n", True),
        (b"Received: x\n y\nFrom: x\r\nDate: y\r\n\r\n", True),
        (b"From: x\n\nSubject: y\n", False),
        (b"Note: x\nSubject: y\n\n", False),
        (b"Dear From: x\nSubject: y\n\n", False),
        (b"--- a/f\n+++ b/f\n", False),
        (b"", False),
    ],
)
def test_what_is_mail(text: bytes, is_mail: bool) -> None:
    assert is_mailbox(text) is is_mail


def test_a_hostile_head_is_looked_at_quickly() -> None:
    assert not is_mailbox(b"a:\n" * 1_000_000)
    assert not is_mailbox(b"a:" * 1_000_000)
    assert not is_mailbox(b"From " + b"1:00 " * 1_000_000)


def test_many_mails_are_refused(base: Sandbox) -> None:
    ran = base.opatch("apply", feed=b"From x Mon Sep 17 00:00:00 2001\nFrom: x\n\n" * 2_001)
    assert (ran.status, "has 2,001 mails" in ran.err) == (128, True)
