"""Run every text file in `scenarios` with the real program in a real repository."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from documents import kind_of
from sandbox import Ran, Sandbox, Tree
from scenario import Scenario, ScenarioError, place_of, read_scenario

_SCENARIOS = Path(__file__).parent
_FILES = sorted(_SCENARIOS.glob("*/*.txt"))
_DIRECTORIES = {
    *("envelope", "unified", "file-changes", "search-replace", "operations"),
    "string-replace",
    *("framing", "mixed", "documents"),
}


@pytest.mark.parametrize("path", _FILES, ids=lambda path: str(path.relative_to(_SCENARIOS)))
def test_scenario(repo: Sandbox, path: Path) -> None:
    scenario = read_scenario(path.read_bytes())
    _commit(repo, scenario.before)
    before = None if scenario.after else repo.state()
    ran = repo.run(*scenario.words, feed=scenario.feed)
    details = f"{scenario.head['what']} ({scenario.head['source']})\n{ran.out.decode()}{ran.err}"
    assert "Traceback" not in ran.err, details
    assert ran.status == scenario.status, details
    if "refused" in scenario.texts:
        _check_refusal(scenario, repo.run(*scenario.words_for_json, feed=scenario.feed), ran)
    if before is None:
        assert repo.index() == scenario.after, details
        assert repo.files() == scenario.after, details
    else:
        assert repo.state() == before, details
    for part in scenario.lines("report contains"):
        assert part in ran.out.decode() + ran.err


def _commit(repo: Sandbox, tree: Tree) -> None:
    for name, (mode, content) in tree.items():
        repo.write(name, content).chmod(int(mode[-3:], 8))
    repo.commit()


def _check_refusal(scenario: Scenario, ran: Ran, as_text: Ran) -> None:
    """Check the reasons and places, and that the document says what the text says."""
    document = json.loads(ran.out)
    failures = document.get("patches", [document])[0]["failures"]
    assert [place_of(failure) for failure in failures] == scenario.lines("refused")
    said = [line.strip() for line in (as_text.out.decode() + as_text.err).splitlines()]
    counts = Counter((failure["path"], failure["reason"]) for failure in failures)
    for failure in failures:
        if failure["hunk"]:
            assert failure["kind"] == kind_of(failure["reason"])
        lines = [line.strip() for line in failure["rendered"].splitlines()]
        if counts[failure["path"], failure["reason"]] > 1:  # it may be said once for several
            assert failure["path"] is None or any(failure["path"] in line for line in said)
        elif document["status"] == "already_applied":
            assert lines[0] in said
        else:
            assert set(lines) <= set(said)
    if scenario.status == 1 and "patches" not in document:
        assert said[-1] == document["summary"]


def test_every_directory_has_applied_refused_and_malformed_scenarios() -> None:
    assert len(_FILES) >= 120
    statuses: dict[str, set[int]] = {}
    for path in _FILES:
        scenario = read_scenario(path.read_bytes())
        statuses.setdefault(path.parent.name, set()).add(scenario.status)
    malformed = statuses.pop("malformed")
    assert malformed == {128}
    assert set(statuses) == _DIRECTORIES
    for directory, found in statuses.items():
        assert {0, 1, 128} <= found, directory


_WHOLE = "what: w\nsource: https://example.com\n%%% before a\nx\n%%% given\ny\n%%% after a\nz\n"


def test_a_scenario_is_read_as_it_is_written() -> None:
    scenario = read_scenario(
        b"what: w\nsource: https://example.com https://example.org\nstatus: 1\n"
        b"command: git opatch check --argv -- apply_patch {given}\n"
        b"%%% before 'a b' crlf executable\nx\ny\n%%% before empty\n%%% given bom no-newline\ny\n"
        b"%%% refused\none\n\n two\n"
    )
    assert scenario.before == {"a b": ("100755", b"x\r\ny\r\n"), "empty": ("100644", b"")}
    assert scenario.words[2:] == ["check", "--argv", "--", "apply_patch", "\ufeffy"]
    assert (scenario.feed, scenario.status) == (b"", 1)
    assert scenario.lines("refused") == ["one", " two"]
    plain = read_scenario(_WHOLE.replace("given", "given escaped").replace("y", r"\x00\r").encode())
    assert (plain.words, plain.feed, plain.status) == (["git", "opatch", "apply"], b"\0\r\n", 0)
    part = "FILE_PATCH, overhang\nstatus: 1\ncommand: git opatch apply --partial"
    assert read_scenario(_WHOLE.replace("https://example.com", part).encode()).status == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("what: w\n", "", "the head has no `what:`"),
        ("source: https://example.com\n", "", "the head has no `source:`"),
        ("https://", "file://", "is no public place"),
        ("https://example.com", "FILE_PATCH", "is no public place"),
        ("what: w\n", "what: w\nwhat: v\n", "`what` stands twice"),
        ("what: w\n", "what: w\n\n", "is no `key: value`"),
        ("what: w\n", "what: w\ncolour: red\n", "unknown key `colour`"),
        ("what: w\n", "what: w\nstatus: bad\n", "is no exit status"),
        ("what: w\n", "what: w\nstatus: 1\n", "goes with a `status:`"),
        ("%%% after a\nz", "%%% refused\nz", "goes with a `status:`"),
        ("%%% after a\nz", "%%% after a\nx", "after is the same as before"),
        ("%%% after a\nz\n", "", "nothing is expected"),
        ("%%% after a", "%%% refused\nm\n%%% after a", "not both"),
        ("%%% after a", "%%% after", "names no file"),
        ("%%% after a", "%%% after a\n%%% after a", "`%%% after a` stands twice"),
        ("%%% after a", "%%% afterwards a", "is no section"),
        ("%%% after a", "%%% after a lf", "unknown flag `lf`"),
        ("%%% given\ny\n", "", "no `%%% given`"),
        ("%%% given\ny\n", "%%% given\n%%% given\n", "`%%% given` stands twice"),
        ("%%% given\ny\n", "%%% given\n%%%\ny\n", "is no section"),
    ],
)
def test_a_malformed_scenario_is_refused(old: str, new: str, message: str) -> None:
    assert read_scenario(_WHOLE.encode())
    assert old in _WHOLE
    with pytest.raises(ScenarioError) as caught:
        read_scenario(_WHOLE.replace(old, new, 1).encode())
    assert message in str(caught.value)
