"""Evidence that decides between candidates or contradicts the only one, and its order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from git_opatch.locate import locate_hunks
from git_opatch.model.failure import Failure
from git_opatch.model.options import Matching, Tier
from git_opatch.model.patch import Anchor, Hunk, Line, Prefix
from git_opatch.model.placement import Placement
from git_opatch.model.sentences import Fault, Reason
from git_opatch.model.text import Text

METHODS = """\
class One:
    def start(self):
        go()

    def stop(self):
        go()

class Two:
    def start(self):
        go()

    def stop(self):
        go()
"""
GO = ("-        go()", "+        run()")

_STRICT = Matching(Tier.STRICT, can_choose=False)


def hunk(
    *lines: str, at: Sequence[str] = (), weak: str = "", start: int | None = None, end: bool = False
) -> Hunk:
    anchors = [Anchor(text.encode()) for text in at]
    anchors += [Anchor(weak.encode(), weak=True)] if weak else []
    return Hunk(
        tuple(Line(Prefix(line[:1]), line[1:].encode()) for line in lines),
        tuple(anchors),
        start,
        at_end_of_file=end,
    )


def locate(content: str, *hunks: Hunk) -> list[Placement | Failure]:
    numbered = [replace(hunk, ordinal=number) for number, hunk in enumerate(hunks, 1)]
    return locate_hunks(numbered, Text.from_bytes(content.encode()), _STRICT)


def placed(content: str, *hunks: Hunk) -> list[tuple[int, str]]:
    verdicts = locate(content, *hunks)
    return [
        (verdict.start, verdict.evidence.value)
        for verdict in verdicts
        if isinstance(verdict, Placement)
    ]


def refused(content: str, hunk: Hunk) -> Failure:
    (verdict,) = locate(content, hunk)
    assert isinstance(verdict, Failure)
    return verdict


def ambiguous(content: str, hunk: Hunk) -> tuple[int, ...]:
    failure = refused(content, hunk)
    assert failure.reason is Reason.AMBIGUOUS
    return failure.positions


@pytest.mark.parametrize(
    ("content", "lines", "start"),
    [
        pytest.param("a\nx\nb\na\nx\n", (" a", "-x", "+y"), 3, id="the last of two"),
        pytest.param("x\nx\nx\n", ("-x", "+y"), 2, id="the last of three"),
        pytest.param("x\nx\nx\n", ("-x", "-x", "+y"), 1, id="of two that overlap"),
        pytest.param("a\nx\nb\na\nx", (" a", "-x", "+y"), 3, id="no newline at the end"),
    ],
)
def test_the_end_of_the_file_decides(content: str, lines: tuple[str, ...], start: int) -> None:
    assert placed(content, hunk(*lines, end=True)) == [(start, "end of file")]
    assert len(ambiguous(content, hunk(*lines))) > 1


def test_the_end_of_the_file_does_not_decide_without_a_candidate_there() -> None:
    assert ambiguous("x\na\nx\nb\n", hunk("-x", "+y", end=True)) == (0, 2)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param("x\na\n", ("-x", "+y"), id="a line after it"),
        pytest.param("x\n\n", ("-x", "+y"), id="an empty line after it"),
        pytest.param("a\nx\nb\n", (" a", "-x", "+y"), id="in the middle"),
    ],
)
def test_a_wrong_end_of_the_file_is_noise_where_the_hunk_is_unique(
    content: str, lines: tuple[str, ...]
) -> None:
    (verdict,) = locate(content, hunk(*lines, end=True))
    assert isinstance(verdict, Placement)
    assert (verdict.start, verdict.evidence.value) == (0, "unique")
    (note,) = verdict.notes
    assert note.startswith("says that it ends the file")


def test_a_wrong_end_of_the_file_is_noise_where_an_anchor_decides() -> None:
    content = "def f():\n    x\ndef g():\n    x\n    y\n"
    patch_hunk = hunk("-    x", "+    z", at=["def g():"], end=True)
    assert placed(content, patch_hunk) == [(3, "anchor")]
    assert placed(content, replace(patch_hunk, at_end_of_file=False)) == [(3, "anchor")]


def test_a_wrong_end_of_the_file_refuses_where_a_number_decides() -> None:
    content = "x\na\nx\nb\nx\nc\n"
    hunks = [
        hunk("-x", "+y", " a", start=0),
        replace(hunk("-x", "+z", start=4), at_end_of_file=True),
    ]
    assert [
        verdict.reason for verdict in locate(content, *hunks) if isinstance(verdict, Failure)
    ] == [Reason.CONTRADICTED]


@pytest.mark.parametrize(
    ("anchors", "start"),
    [
        pytest.param(["class One:", "    def stop(self):"], 5, id="a method of the first class"),
        pytest.param(["class Two:", "    def start(self):"], 9, id="a method of the second"),
        pytest.param(["class Two:", "def stop(self):"], 12, id="an anchor without indentation"),
        pytest.param(["Two", "stop"], 12, id="parts of lines"),
        pytest.param(["class Two:", "the last one", "def stop(self):"], 12, id="one is prose"),
    ],
)
def test_anchors_decide(anchors: list[str], start: int) -> None:
    assert placed(METHODS, hunk(*GO, at=anchors)) == [(start, "anchor")]


@pytest.mark.parametrize(
    ("anchors", "places"),
    [
        pytest.param([], (2, 5, 9, 12), id="none"),
        pytest.param(["    def stop(self):"], (5, 12), id="one that occurs twice"),
        pytest.param(["class Two:"], (9, 12), id="two places in its block"),
        pytest.param(["class Three:"], (2, 5, 9, 12), id="one that does not occur"),
        pytest.param(["def halt(self):"], (2, 5, 9, 12), id="a method that does not occur"),
    ],
)
def test_anchors_may_leave_several_candidates(anchors: list[str], places: tuple[int, ...]) -> None:
    assert ambiguous(METHODS, hunk(*GO, at=anchors)) == places


def test_being_first_after_the_anchor_does_not_decide() -> None:
    content = "def f():\n    a\ndef g():\n    x\ndef h():\n    x\n"
    assert ambiguous(content, hunk("-    x", at=["def f():"])) == (3, 5)
    assert placed(content, hunk("-    x", at=["def g():"])) == [(3, "anchor")]


def test_a_candidate_in_the_block_of_a_heading_is_preferred() -> None:
    content = "class A:\n    def f(self):\n        a\n    x\nclass B:\n    x\n"
    assert placed(content, hunk("-    x", at=["class A:"])) == [(3, "anchor")]
    dedented = "class A:\n    def f(self):\n        a\nx\nclass B:\n    y\nx\n"
    assert ambiguous(dedented, hunk("-x", at=["class A:"])) == (3, 6)


def test_a_hunk_may_begin_at_its_anchor() -> None:
    content = "def f():\n    a\ndef f():\n    b\n"
    lines = (" def f():", "-    a", "+    c")
    assert placed(content, hunk(*lines, at=["def f():"])) == [(0, "unique")]
    twice = "def f():\n    a\nx = 1\ndef g():\n    a\nx = 1\n"
    assert placed(twice, hunk(" x = 1", "+y = 2", at=["x = 1"])) == []
    assert placed(twice, hunk("-    a", " x = 1", at=["def g():"])) == [(4, "anchor")]


@pytest.mark.parametrize(
    "patch_hunk",
    [
        pytest.param(hunk("-x", "+y", at=["f()"]), id="before the place"),
        pytest.param(hunk("-x", "+y", at=["x"]), id="the line itself"),
        pytest.param(hunk("-x", " b", at=["b"]), id="the last line of the hunk"),
        pytest.param(hunk("-x", "+y", at=["a"]), id="both before and after it"),
        pytest.param(hunk("-x", "+y", at=["late"]), id="after it, but a part of a line"),
        pytest.param(hunk("-x", "+y", weak="late()"), id="after it, but weak"),
    ],
)
def test_evidence_that_does_not_contradict_the_only_candidate(patch_hunk: Hunk) -> None:
    (verdict,) = locate("a\nf()\nx\nb\na\nlate()\n", patch_hunk)
    assert isinstance(verdict, Placement)
    assert (verdict.start, verdict.evidence.value, verdict.notes) == (2, "unique", ())


@pytest.mark.parametrize(
    ("content", "patch_hunk"),
    [
        pytest.param("x\ndef f():\n", hunk("-x", "+y", at=["def f():"]), id="right after it"),
        pytest.param("x\na\n  def f():\n", hunk("-x", "+y", at=["def f():"]), id="trimmed"),
        pytest.param("x\nf\nf\n", hunk("-x", "+y", at=["f"]), id="twice after it"),
        pytest.param(
            "x\nf\n", hunk("-x", "+y", at=["gone", "f"]), id="beside one that does not occur"
        ),
    ],
)
def test_an_anchor_after_the_only_candidate_contradicts_it(content: str, patch_hunk: Hunk) -> None:
    failure = refused(content, patch_hunk)
    assert (failure.reason, failure.positions) == (Reason.CONTRADICTED, (0,))
    assert (failure.fault, failure.values["kind"]) == (Fault.ANCHOR_BELOW, "anchor")


@pytest.mark.parametrize(
    ("content", "anchor", "under"),
    [
        pytest.param("def f():\n  a\ndef g():\n  x\n", "def f():", "def g():", id="definition"),
        pytest.param(
            "class A:\n  def f():\n    a\nclass B:\n  def f():\n    x\n",
            "class A:", "class B:", id="the same member of another class",
        ),
        pytest.param("# A\n\na\n\n# B\n\nx\n", "# A", "# B", id="section"),
        pytest.param("## A\na\n## B\nx\n", "## A", "## B", id="deeper section"),
        pytest.param("A\n===\na\n\nB\n===\nx\n", "A", "B", id="underlined section"),
        pytest.param("def f():\n  a\ndef g():\n  x\n", "def f", "def g():", id="name alone"),
        pytest.param("def f(b):\n  a\ndef g():\n  x\n", "def f(a):", "def g():", id="signature"),
        pytest.param("type F func()\n\ntype T {\n  x\n", "type F func()", "type T {", id="line"),
        pytest.param(
            "int f(a b)\n{\n  a\n}\nint g(a b)\n{\n  x\n}\n", "int f(a b)", "int g(a b)", id="C"
        ),
        pytest.param("a:\n  one:\n    y\n  two:\n    x\n", "  one:", "two:", id="key"),
        pytest.param("class A\n{\n}\nclass B\n{\n  x\n", "class A", "class B", id="brace below"),
    ],
)  # fmt: skip
def test_an_anchor_of_another_block_contradicts(content: str, anchor: str, under: str) -> None:
    depth = " " * (content.index("x") - content.rindex("\n", 0, content.index("x")) - 1)
    failure = refused(content, hunk(f"-{depth}x", f"+{depth}z", at=[anchor]))
    assert failure.fault is Fault.ANCHOR_OF_OTHER
    assert failure.message.endswith(f"`{under}`")


@pytest.mark.parametrize(
    ("content", "anchor"),
    [
        pytest.param("class A:\n  def f():\n    a\n  def g():\n    x\n", "class A:", id="member"),
        pytest.param("def f():\n  def g():\n    a\n  x\n", "def f():", id="after what is nested"),
        pytest.param("def f():\n  a\nx\n", "def f():", id="no heading between"),
        pytest.param("call()\ndef g():\n  x\n", "call()", id="the anchor is not a heading"),
        pytest.param("# A\na\n## A.1\nx\n", "# A", id="a subsection"),
        pytest.param("[a]\n[a.b]\nx\n", "[a]", id="a table in a table"),
        pytest.param("a:\n  one:\n    x\n", "a:", id="a deeper key"),
        pytest.param("# A\na\n# B\nx\n", "# A", id="comments, for all one knows"),
        pytest.param("package p\n\nfunc F() {\nx\n}\n", "package p", id="all of the file"),
        pytest.param("A\n===\na\n\nB\n---\nx\n", "A", id="an underlined subsection"),
        pytest.param("def x():\n  a\ndef y():\n  b\nx\n", "x", id="the very line"),
    ],
)
def test_candidates_that_an_anchor_before_them_does_not_contradict(
    content: str, anchor: str
) -> None:
    line = next(line for line in content.splitlines() if line.strip() == "x")
    (verdict,) = locate(content, hunk(f"-{line}", f"+{line}z", at=[anchor]))
    assert isinstance(verdict, Placement)
    assert verdict.evidence.value == "unique"


def test_a_heading_of_another_block_contradicts() -> None:
    content = "def f():\n  a\ndef g():\n  x\n"
    assert refused(content, hunk("-  x", weak="def f():")).reason is Reason.CONTRADICTED
    assert placed(content, hunk("-  x", weak="def g():")) == [(3, "unique")]


def test_a_heading_is_the_last_line_of_the_pattern_of_git() -> None:
    content = "  int f(int a) {\n  }\n  class C<T> {\n    x\n  }\n"
    assert placed(content, hunk("-    x", weak="int f(int a) {")) == [(3, "unique")]


def test_a_heading_that_is_cut_off_is_found() -> None:
    long = f"def f({', '.join(f'argument_{number}' for number in range(20))}):"
    content = f"{long}\n  x\n"
    assert placed(content, hunk("-  x", weak=long[:80])) == [(1, "unique")]
    assert placed(content, hunk("-  x", at=[long[:80]])) == [(1, "unique")]


@pytest.mark.parametrize(
    "anchor",
    [
        pytest.param("def gone():", id="function"),
        pytest.param("class Gone", id="class"),
        pytest.param("    private static int gone(int a)", id="method without brace"),
        pytest.param("func (r *T) gone() error {", id="method of a type"),
        pytest.param("const gone = (a) => {", id="arrow function"),
        pytest.param("gone: function(a) {", id="function in an object"),
        pytest.param("pub fn gone<T>(a: T) -> T {", id="Rust function"),
        pytest.param("[gone]", id="table"),
        pytest.param("gone:", id="key"),
        pytest.param("## Gone", id="section"),
    ],
)
@pytest.mark.parametrize("weak", [False, True])
def test_a_name_that_is_nowhere_contradicts(anchor: str, weak: bool) -> None:
    content = "[table]\nkey:\n## Part\nx\n"
    named = hunk("-x", "+y", weak=anchor) if weak else hunk("-x", "+y", at=[anchor])
    failure = refused(content, named)
    assert (failure.fault, failure.positions) == (Fault.ANCHOR_MISSING, (3,))


@pytest.mark.parametrize(
    "anchor",
    [
        pytest.param("add more checks", id="prose"),
        pytest.param("class attributes", id="a part of the code"),
        pytest.param("update the calls of gone()", id="prose with a call"),
        pytest.param("gone = 1", id="a line of code"),
        pytest.param("[gone]", id="a table where there are none"),
        pytest.param("# gone", id="a comment"),
        pytest.param("Changes:", id="a word with a colon"),
    ],
)
def test_an_anchor_that_names_nothing_is_noted(anchor: str) -> None:
    (verdict,) = locate("a\nx\n", hunk("-x", "+y", at=[anchor]))
    assert isinstance(verdict, Placement)
    assert verdict.notes == (f"the anchor `{anchor}` is not in the file",)
    (verdict,) = locate("a\nx\n", hunk("-x", "+y", weak=anchor))
    assert isinstance(verdict, Placement)
    assert verdict.notes == ()


@pytest.mark.parametrize(
    ("content", "anchor"),
    [
        pytest.param("def f(a, b):\n  x\n", "def f(a):", id="another signature"),
        pytest.param("async def f(a):\n  x\n", "def f(a, b):", id="another modifier"),
        pytest.param("static long f(int a)\n{\n  x\n", "int f(char *a)", id="other types"),
        pytest.param("func (s *S) F(a int) {\n  x\n", "func (s *S) F() {", id="a method"),
        pytest.param("impl<T> A for B<T> {\n  x\n", "impl A for B {", id="an implementation"),
        pytest.param("class A {\n  get() {\n  x\n", "get(a) {", id="without a keyword"),
    ],
)
def test_what_an_anchor_names_is_found_by_its_name(content: str, anchor: str) -> None:
    assert placed(content, hunk("-  x", at=[anchor])) == [
        (content.split("\n").index("  x"), "unique")
    ]
    other = anchor.replace("f(", "g(").replace("F(", "G(").replace("B {", "C {")
    other = other.replace("get(", "set(")
    assert refused(content, hunk("-  x", at=[other])).reason is Reason.CONTRADICTED


def test_a_method_of_another_type_is_another_one() -> None:
    content = "func (s *S) F() {\n  x\n}\nfunc (t *T) G() {\n}\n"
    assert refused(content, hunk("-  x", at=["func (t *T) F() {"])).reason is Reason.CONTRADICTED
    assert placed(content, hunk("-  x", at=["func F() {"])) == [(1, "unique")]


def test_a_name_that_the_patch_itself_writes_is_no_contradiction() -> None:
    content = "def f():\n  a\n  x\n"
    renamed = hunk("-def f():", "+def g():", "   a")
    below = replace(hunk("-  x", "+  y", at=["def g():"]), ordinal=2)
    results = locate(content, renamed, below)
    assert all(isinstance(result, Placement) for result in results)
    assert refused(content, hunk("-  x", at=["def g():"])).reason is Reason.CONTRADICTED


def test_one_anchor_of_several_that_is_nowhere_contradicts() -> None:
    anchors = ["class Two:", "class Three:", "def stop(self):"]
    assert refused(METHODS, hunk(*GO, at=anchors)).reason is Reason.CONTRADICTED


def test_a_weak_anchor_disambiguates() -> None:
    content = "def f():\n    x\ndef g():\n    x\n"
    assert placed(content, hunk("-    x", weak="def g():")) == [(3, "anchor")]
    assert ambiguous(content, hunk("-    x", weak="def h():")) == (1, 3)


@pytest.mark.parametrize(
    ("start", "found"),
    [
        pytest.param(0, [(0, "stated line number")], id="the first place"),
        pytest.param(4, [(4, "stated line number")], id="the last place"),
        pytest.param(1, [], id="one line off"),
        pytest.param(3, [], id="one line off the other way"),
        pytest.param(9, [], id="past the end"),
        pytest.param(None, [], id="not stated"),
    ],
)
def test_a_number_decides_only_where_it_is_exact(
    start: int | None, found: list[tuple[int, str]]
) -> None:
    assert placed("x\na\nx\nb\nx\n", hunk("-x", "+y", start=start)) == found


FILLED = "".join(f"x\n{number}\n" for number in range(40))
SPARSE = "".join("x\n" if number % 10 == 0 else f"{number}\n" for number in range(80))


def test_a_number_alone_does_not_choose_among_many_near_candidates() -> None:
    assert len(ambiguous(FILLED, hunk("-x", "+y", start=40))) == 40
    assert placed(SPARSE, hunk("-x", "+y", start=40)) == [(40, "stated line number")]


def test_a_confirmed_number_chooses_among_many_candidates() -> None:
    exact, off = hunk("-3", "+three", start=7), hunk("-3", "+three")
    number = (40, "stated line number")
    assert placed(FILLED, hunk("-x", "+y", start=40), exact) == [number, (7, "unique")]
    verdict, _ = locate(FILLED, hunk("-x", "+y", start=40), off)
    assert isinstance(verdict, Failure)
    methods = f"def f():\n{FILLED}def g():\n{FILLED}"
    assert placed(methods, hunk("-x", "+y", weak="def f():", start=41)) == [
        (41, "stated line number")
    ]


def test_a_number_and_a_heading_that_disagree_are_ambiguous() -> None:
    content = "def f():\n    x\ndef g():\n    x\n"
    assert ambiguous(content, hunk("-    x", weak="def g():", start=1)) == (1, 3)
    assert placed(content, hunk("-    x", weak="def g():", start=3)) == [(3, "anchor")]


def test_a_wrong_number_does_not_contradict_the_only_candidate() -> None:
    assert placed("a\nx\nb\n", hunk("-x", "+y", start=70)) == [(1, "unique")]


def test_a_number_does_not_choose_what_the_anchor_ruled_out() -> None:
    assert ambiguous(METHODS, hunk(*GO, at=["class Two:"], start=2)) == (9, 12)
    assert placed(METHODS, hunk(*GO, at=["class Two:"], start=9)) == [(9, "stated line number")]


def test_the_end_of_the_file_comes_before_the_anchor() -> None:
    content = "def f():\n    x\ndef g():\n    x\n"
    failure = refused(content, hunk("-    x", at=["def f():"], end=True))
    assert (failure.reason, failure.positions) == (Reason.CONTRADICTED, (3,))
    assert placed(content, hunk("-    x", at=["def g():"], end=True)) == [(3, "end of file")]


def test_an_anchor_may_be_the_first_line_of_its_hunk() -> None:
    content = "class A:\n  def f():\n    a\n  def g():\n    b\nclass B:\n  def f():\n    c\n"
    inner = hunk("   def f():", "-    c", at=["class B:", "def f():"])
    assert placed(content, inner) == [(6, "unique")]


def test_two_hunks_may_begin_at_the_same_numbered_line() -> None:
    content = "f\na\nb\nx\nf\na\nb\nz\n"
    hunks = [hunk(" f", "-a", start=start) for start in (0, None)]
    hunks += [hunk(" f", " a", "-b", start=start) for start in (0, None)]
    assert placed(content, hunks[0], hunks[2]) == [(0, "stated line number")] * 2
    assert placed(content, hunks[1], hunks[3]) == [
        (0, "order of the hunks"),
        (4, "order of the hunks"),
    ]


def test_the_anchor_comes_before_the_order() -> None:
    content = "def f():\n    x\n    a\ndef g():\n    x\n"
    pair = (hunk("-    x", at=["def f():"]), hunk("-    a", "+    b"))
    assert placed(content, *pair) == [(1, "anchor"), (2, "unique")]
    assert placed(content, *reversed(pair)) == [(2, "unique"), (1, "anchor")]


def test_the_order_comes_before_the_number() -> None:
    pair = (hunk("-a", "+b"), hunk("-x", "+y", start=0))
    assert placed("x\na\nx\n", *pair) == [(1, "unique"), (2, "order of the hunks")]


def test_the_order_is_not_evidence_against_the_numbers() -> None:
    pair = (hunk("-a", "+b", start=9), hunk("-x", "+y", start=4))
    assert isinstance(locate("x\na\nx\n", *pair)[1], Failure)
    later = (pair[0], hunk("-x", "+y", start=14))
    assert placed("x\na\nx\n", *later) == [(1, "unique"), (2, "order of the hunks")]


def test_the_order_of_unordered_hunks_is_not_evidence() -> None:
    pair, text = [hunk("-a", "+b"), hunk("-x", "+y")], Text.from_bytes(b"x\na\nx\n")
    for ordered, kind in ((True, Placement), (False, Failure)):
        _, verdict = locate_hunks(pair, text, Matching(ordered=ordered))
        assert isinstance(verdict, kind)


def test_a_hunk_that_is_not_found_does_not_affect_the_order() -> None:
    verdicts = placed("x\na\nx\n", hunk("-a", "+b"), hunk("-gone"), hunk("-x", "+y"))
    assert verdicts == [(1, "unique"), (2, "order of the hunks")]


def test_the_order_is_that_of_the_changes_not_of_the_context() -> None:
    first, second = hunk("-b", "+B"), hunk(" a", " b", " c", "-d")
    verdicts = placed("a\nb\nc\nd\nx\ne\nx\n", first, second, hunk("-x", "+y"), hunk("-e"))
    assert [start for start, _ in verdicts] == [1, 0, 4, 5]
    assert verdicts[2][1] == "order of the hunks"


def test_the_anchor_comes_before_the_number() -> None:
    content = "def f():\n    x\ndef g():\n    x\n"
    assert placed(content, hunk("-    x", at=["def f():"], start=3)) == [(1, "anchor")]


def test_that_a_hunk_shows_nothing_below_its_change_is_no_claim_of_the_end() -> None:
    content, other = "  }\n}\nx\n  }\n}\n", hunk("-x")
    assert placed(content, hunk("   }", " }", "+end"), other)[0] == (0, "order of the hunks")
    assert placed(content, hunk(" }", "+end"), other)[0] == (1, "order of the hunks")
