"""`--html`: pages for a browser, which nothing of a patch can escape from."""

from __future__ import annotations

import re
import shutil
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from batches import write_tasks
from sandbox import Sandbox
from scenario import read_scenario
from writers import envelope

from git_opatch.model.blob import Blob, Entry, Mode
from git_opatch.model.errors import OpatchError
from git_opatch.model.options import Options
from git_opatch.model.picture import Mark
from git_opatch.operations.apply import plan_patch
from git_opatch.parse import parse_patch
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.report.outcome import Outcome
from git_opatch.report.pages import patch_page
from git_opatch.report.view import Certainty, patch_lines, view_of

_SHAPES = """\
class Circle:
    def area(self):
        return pi * self.r ** 2

    def name(self):
        return "shape"


class Square:
    def area(self):
        return self.a ** 2

    def name(self):
        return "shape"
"""
_VERDICTS = {
    "strict": (
        "\n     def area(self):\n-        return pi * self.r ** 2\n+        return 0\n",
        "strict",
    ),
    "tolerated": ("\n-    return self.a ** 2\n+    return 0\n", "tolerated"),
    "ambiguous": ('\n-        return "shape"\n+        return "a shape"\n', "refused (ambiguous)"),
    "stale": (
        "\n     def area(self):\n-        return pi * self.radius ** 2\n+        return 0\n",
        "refused (not found)",
    ),
    "already applied": (
        " class Square:\n     def area(self):\n-        return 0\n+        return self.a ** 2\n",
        "already applied",
    ),
}
_EVIL = (
    "</td></table></style></script><script>alert(1)</script><img src=x onerror=alert(2)>"
    '<a href="javascript:alert(3)">x</a><svg onload=alert(4)>\x1b[31m\u202e\x00"\'&amp; `x` $kind'
).replace("\x00", "")


_TESTS = Path(__file__).parents[1]
_SCENARIOS = sorted({path.parent for path in _TESTS.glob("scenarios/*/*.txt")})
_UNLIKE = (Mark.OTHER, Mark.IN_PATCH, Mark.IN_FILE)


class _Tags(HTMLParser):
    """Collects the elements and the attributes of a page, and the text of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.raw: dict[str, str] = {}
        self.text = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag not in self.raw, f"a second <{tag}>"
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self._inside = tag if tag in ("style", "script") else ""
        if self._inside:
            self.raw[tag] = ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside] += data
        else:
            self.text += data


def _page(repo: Sandbox, patch: bytes, *options: str, status: int = 0) -> str:
    ran = repo.opatch("show", "--html", *options, feed=patch)
    assert ran.status == status
    assert ran.err.startswith("the patch does not apply" if status else "")
    return ran.out.decode()


@pytest.fixture
def base(repo: Sandbox) -> Sandbox:
    repo.commit({"shapes.py": _SHAPES})
    return repo


@pytest.mark.parametrize(("hunk", "words"), _VERDICTS.values(), ids=_VERDICTS)
def test_each_verdict_has_its_words(base: Sandbox, hunk: str, words: str) -> None:
    patch = envelope(f"*** Update File: shapes.py\n@@{hunk}".encode())
    page = _page(base, patch, status=int(words not in ("strict", "tolerated")))
    assert re.findall(r'<h3><span class="label">(.*?)</span>', page) == [words]
    assert ("What to do:" in page) is (words not in ("strict", "tolerated"))


def test_a_file_that_is_not_there_is_said_once(base: Sandbox) -> None:
    patch = envelope(b"*** Update File: no.py\n@@\n-a\n+b\n@@\n-c\n+d\n")
    page = _page(base, patch, status=1)
    assert page.count("is not in the index") == 1
    assert page.count(">refused (missing file)<") == 2


def test_what_has_no_lines_has_no_box(base: Sandbox) -> None:
    base.commit({"old.txt": "x\n"})
    moved = envelope(b"*** Update File: old.txt\n*** Move to: new.txt\n")
    page = base.opatch("show", "--html", feed=moved).out.decode()
    assert "old.txt =&gt; new.txt" in page
    assert "<table" not in page


def test_what_differs_is_marked_on_both_sides(base: Sandbox) -> None:
    hunk, _ = _VERDICTS["stale"]
    page = _page(base, envelope(f"*** Update File: shapes.py\n@@{hunk}".encode()), status=1)
    assert re.findall("<mark>(.*?)</mark>", page) == ["radius", "r"]
    assert "closest match, shapes.py:2-3, in <code>class Circle:</code> (line 1)" in page


def test_what_is_written_is_shown_beside_what_the_patch_has(base: Sandbox) -> None:
    hunk, _ = _VERDICTS["tolerated"]
    page = _page(base, envelope(f"*** Update File: shapes.py\n@@{hunk}".encode()))
    (row,) = re.findall(r'<tr class="like a">(.*?)</tr>', page)
    assert re.sub("<.*?>", "", row.replace("<td>", "|")) == (
        "|5|+    return 0||+        return 0written like this"
    )


def test_the_lines_that_decide_between_candidates_are_to_be_added(base: Sandbox) -> None:
    base.commit({"lines": "1\nsame\n2\nsame\n3\n"})
    patch = envelope(b"*** Update File: lines\n@@\n-same\n+new\n")
    page = _page(base, patch, status=1)
    shown = re.findall(r'<tr class="decides"><td>.*?<td>.*?<td>(.*?)<td>(.*?)<em>', page)
    assert shown == [("1", "<mark>1</mark>"), ("3", "<mark>2</mark>")]
    in_text = base.opatch("show", feed=patch).out.decode()
    assert re.findall(r"(?m)^ +add ([13])  (.)$", in_text) == [("1", "1"), ("3", "2")]


def test_nothing_of_a_patch_is_markup(repo: Sandbox) -> None:
    name = _EVIL.replace("/", "|").replace("\x1b", "").replace("\u202e", "")
    repo.commit({name: f"a\n{_EVIL}\nb\n", "b": "b\n"})
    plain = _Tags(_page(repo, envelope(b"*** Update File: b\n@@\n-b\n+c\n")))
    for old in (_EVIL, f"other {_EVIL}"):
        patch = f"*** Update File: {name}\n@@ {_EVIL}\n a\n-{old}\n+new {_EVIL}\n"
        new = f"*** Add File: new{name}\n+{_EVIL}\n"
        page = repo.opatch("show", "--html", feed=envelope(patch.encode(), new.encode())).out
        found = _Tags(page.decode())
        assert found.tags - plain.tags <= {"mark", "em", "code"}
        assert found.attributes == plain.attributes
        assert found.raw == plain.raw
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page.decode())


def test_the_policy_lets_only_our_style_and_script_run(base: Sandbox) -> None:
    page = _page(base, envelope(b"*** Delete File: shapes.py\n"))
    (policy,) = re.findall('Content-Security-Policy" content="(.*?)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    raw = _Tags(page).raw
    hashes = {
        name: b64encode(sha256(text.encode()).digest()).decode() for name, text in raw.items()
    }
    assert rules == {
        "default-src": "'none'",
        "style-src": f"'sha256-{hashes['style']}'",
        "script-src": f"'sha256-{hashes['script']}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not re.search(r"https?:|url\(|@import|\b(src|href|style)=", page)


def test_a_page_of_a_hundred_hunks_is_small(repo: Sandbox) -> None:
    lines = [f"    line {number} of a file, of a usual length\n" for number in range(2000)]
    repo.commit({"big": "".join(lines)})
    hunks = "".join(
        f"@@\n {lines[at]}-{lines[at + 1]}+new\n {lines[at + 2]}" for at in range(0, 2000, 20)
    )
    page = _page(repo, envelope(f"*** Update File: big\n{hunks}".encode()))
    assert page.count("<article") == 100
    assert len(page.encode()) < 200_000


def test_lines_of_a_megabyte_are_cut(repo: Sandbox) -> None:
    repo.commit({"long": "x" * 1_000_000 + "\nshort\n"})
    page = _page(repo, envelope(b"*** Update File: long\n@@\n-short\n+" + b"y" * 1_000_000 + b"\n"))
    assert len(page) < 30_000


def test_the_refused_of_too_many_hunks_are_shown(repo: Sandbox) -> None:
    repo.commit({"big": "".join(f"{number}\n" for number in range(6000))})
    hunks = "".join(f"@@\n-{at}\n+new\n {at + 1}\n" for at in range(0, 6000, 5))
    patch = envelope(f"*** Update File: big\n{hunks}@@\n-no\n+yes\n".encode())
    page = _page(repo, patch, status=1)
    assert page.count("<article") == 1000
    assert "1,000 of 1,201 hunks are shown" in page
    assert "refused (not found)" in page


def test_the_page_is_written_to_a_file(base: Sandbox) -> None:
    patch = envelope(b"*** Delete File: shapes.py\n")
    ran = base.opatch("show", "--html", "-o", "page.html", feed=patch)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    assert base.read("page.html").startswith(b"<!DOCTYPE html>")


def test_many_patches_have_a_row_each_the_refused_first(base: Sandbox) -> None:
    for name, (hunk, _) in _VERDICTS.items():
        base.write(f"{name}.txt", envelope(f"*** Update File: shapes.py\n@@{hunk}".encode()))
    base.write("prose.txt", "<b>no</b> patch")
    ran = base.opatch("check", "--html", *sorted(f"{name}.txt" for name in [*_VERDICTS, "prose"]))
    page = ran.out.decode()
    assert ran.status == 128
    assert "<h1>2 of 6 patches apply</h1>" in page
    assert re.findall('<span class="counts">(.*?)</span>', page) == [
        "1 file: 1 refused (ambiguous)",
        "Cannot be read",
        "1 file: 1 refused (not found)",
        "1 file: 1 already applied",
        "1 file: 1 tolerated",
        "1 file: 1 strict",
    ]
    assert re.findall(r'<summary><span class="label">(.*?)</span> <code>(.*?)</code>', page) == [
        ("refused", "ambiguous.txt"),
        ("refused", "prose.txt"),
        ("refused", "stale.txt"),
        ("already applied", "already applied.txt"),
        ("tolerated", "tolerated.txt"),
        ("strict", "strict.txt"),
    ]
    ids = re.findall(r' id="(.*?)"', page)
    assert len(ids) == len(set(ids)) == 5


def test_totals_of_a_batch_are_drawn_by_reason(repo: Sandbox, tmp_path: Path) -> None:
    patches = [
        envelope(b"*** Update File: f\n@@\n-%s\n+new\n" % old) for old in (b"a", b"a", b"no", b"b")
    ]
    tasks = [{"id": at, "files": {"f": "a\nb\nb\n"}, "patch": patch.decode()}
             for at, patch in enumerate(patches)]  # fmt: skip
    write_tasks(tmp_path / "tasks", tasks)
    page = tmp_path / "page.html"
    words = ("batch", str(tmp_path / "tasks"), "-j1", "--html", str(page))
    assert repo.opatch(*words).status == 129
    assert repo.opatch(*words, "-o", str(tmp_path / "results")).status == 0
    rows = re.findall("<tr><td>(.*?)<td>(.*?)<td>(.*?)<td>.*</svg> (.*?)</tr>", page.read_text())
    assert sorted(rows) == [
        ("refused", "ambiguous", "1", "25.0%"),
        ("refused", "not found", "1", "25.0%"),
        ("would apply", "", "2", "50.0%"),
    ]


@pytest.mark.parametrize("path", _SCENARIOS, ids=lambda path: path.name)
def test_the_scenarios_are_drawn_with_their_reasons(path: Path) -> None:
    """In all widths; a line is marked as differing only where something is tolerated or refused."""
    for file in sorted(path.glob("*.txt")):
        scenario = read_scenario(file.read_bytes())
        files = {name: content for name, (_, content) in scenario.before.items()}
        try:
            patch = parse_patch(scenario.feed)
            failures = plan_patch(patch, files, Options()).failures
        except OpatchError:
            continue
        fitting = plan_patch(patch, files, Options(partial=True))
        entry = Entry(Mode.REGULAR, "0" * 40)
        base = {name: Blob(name, entry, content) for name, content in files.items()}
        resolved = resolve_paths(patch)
        view = view_of(Outcome(Options(), resolved, fitting, failures=failures, base=base))
        page = unescape(re.sub("</?code>", "`", patch_page(view).decode()))
        for width in (20, 80, 200):
            lines = ("".join(text for text, _ in line) for line in patch_lines(view, width))
            shown = " ".join(" ".join(lines).split())
            for failure in failures:
                assert " ".join(failure.message.split()) in shown, file
                assert failure.message in page, file
        for part in (part for shown in view.files for part in shown.parts):
            marks = {row.mark for picture in part.pictures for row in picture.rows}
            is_refused = part.certainty in (Certainty.REFUSED, Certainty.APPLIED)
            assert marks.isdisjoint(_UNLIKE) or is_refused, file


def test_a_page_that_goes_somewhere_is_asked_for(base: Sandbox) -> None:
    patch = envelope(b"*** Delete File: shapes.py\n")
    for command in ("show", "check"):
        assert base.opatch(command, "-o", "page.html", feed=patch).out == b""
        assert base.read("page.html").startswith(b"<!DOCTYPE html>")
        for option in ("-oX", "--open", "--html"):
            ran = base.opatch(command, option, "--json", feed=patch)
            assert ran.status == 129


_IN_BROWSER = pytest.mark.skipif(not shutil.which("chromium"), reason="needs Chromium")


def _seen(page: str, directory: Path) -> str:
    """Return what a browser makes of a page."""
    import subprocess

    file = directory / "page.html"
    file.write_text(page)
    words = [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={directory / 'profile'}", "--dump-dom", file.as_uri(),
    ]  # fmt: skip
    return subprocess.run(words, capture_output=True, timeout=120, check=True).stdout.decode()


@pytest.mark.exhaustive
@_IN_BROWSER
def test_nothing_runs_or_overflows_in_a_browser(repo: Sandbox, tmp_path: Path) -> None:
    """The title of the page is what a script that ran would change."""
    repo.commit({"a": f"a\n{_EVIL}\n"})
    evil = _EVIL.replace("alert(1)", "document.title='ran'")
    patch = envelope(f"*** Update File: a\n@@\n a\n-{_EVIL}\n+{evil}\n".encode())
    seen = _seen(_page(repo, patch), tmp_path)
    assert "<title>Would apply" in seen
    assert seen.count("<script") == 1


@pytest.mark.exhaustive
@_IN_BROWSER
def test_a_browser_marks_what_changes_and_unfolds_what_is_beside_it(
    base: Sandbox, tmp_path: Path
) -> None:
    base.commit({"lines": "".join(f"{at}\n" for at in range(9))})
    hunk = "\n 0\n ...\n-8\n+8 + 1\n"
    page = _page(base, envelope(f"*** Update File: lines\n@@{hunk}".encode()))
    seen = _seen(page, tmp_path)
    assert "8<mark> + 1</mark>" in seen
    assert "<details open" in seen
