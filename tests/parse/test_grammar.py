"""The grammars for constrained decoding: what they generate is parsed, and models' patches fit."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_opatch import parse_patch
from git_opatch.model.options import Format

_RULE = re.compile(r"(?m)^(\w+)\s*:(?::=)?\s*(.+)$")
_TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"|/(?P<regex>(?:[^/\\]|\\.)+)/|(?P<set>\[(?:[^\]\\]|\\.)*\])'
    r"|(?P<rule>\w+)|(?P<other>[()|?*+]|\s+)"
)
_EXAMPLES = [
    "*** Begin Patch\n*** Update File: src/a b.py\n@@ class A:\n@@ def x():\n a\n-b\n+c\n"
    "*** End of File\n*** End Patch\n",
    "*** Begin Patch\n*** Add File: app/[id]/(x)/é.tsx\n+\n+a\t\n*** Delete File: b\n"
    "*** End Patch\n",
    "*** Begin Patch\n*** Update File: a\n*** Move to: b/c\n@@\n+a\n@@\n-b\n c\n*** End Patch\n",
]
_OUTSIDE = [
    "*** Begin Patch\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a\n@@\n a\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a\n@@\n-a\nb\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: a\n@@\n-a\n",
    "*** Begin Patch\n*** Add File: a\nb\n*** End Patch\n",
    "*** Begin Patch\n*** Add File: a\\b\n+b\n*** End Patch\n",
    "*** Begin Patch\n*** Add File: a/\n+b\n*** End Patch\n",
]


def _regex_of(notation: str) -> str:
    """Return the whole grammar, which is not recursive, as one regular expression."""
    text = (files("git_opatch") / "prompts" / f"envelope.{notation}").read_text()
    rules = dict(_RULE.findall(text))
    assert len(rules) == text.count("\n") - text.count("\n\n")

    def expand(name: str) -> str:
        parts, at = [], 0
        for token in _TOKEN.finditer(rules[name]):
            assert token.start() == at, rules[name][at:]
            at = token.end()
            if token["text"] is not None:
                literal = token["text"].replace("\\n", "\n").replace('\\"', '"')
                parts.append(f"(?:{re.escape(literal)})")
            elif token["rule"]:
                parts.append(f"(?:{expand(token['rule'])})")
            else:
                other = (token["other"] or "").strip().replace("(", "(?:")
                regex = token["regex"] or ""
                parts.append(token["set"] or (f"(?:{regex})" if regex else other))
        assert at == len(rules[name])
        return "".join(parts)

    return expand("root" if notation == "gbnf" else "start")


_GRAMMARS = {notation: re.compile(_regex_of(notation)) for notation in ("lark", "gbnf")}
_SENTENCES = {name: st.from_regex(regex, fullmatch=True) for name, regex in _GRAMMARS.items()}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("notation", _GRAMMARS)
@given(data=st.data())
def test_every_sentence_is_parsed(notation: str, data: st.DataObject) -> None:
    text = data.draw(_SENTENCES[notation])
    patch = parse_patch(text.encode("utf-8", "surrogatepass"), patch_format=Format.ENVELOPE)
    markers = re.findall(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.*)$", text)
    assert [section.path for section in patch.files] == markers
    changed = sum(line[:1] in ("+", "-") for line in text.split("\n"))
    assert changed == sum(
        line.prefix.value != " "
        for file in patch.files
        for hunk in file.hunks
        for line in hunk.lines
    )


@pytest.mark.parametrize("notation", _GRAMMARS)
@pytest.mark.parametrize("text", _EXAMPLES)
def test_what_models_are_told_to_write_fits(notation: str, text: str) -> None:
    assert _GRAMMARS[notation].fullmatch(text)
    assert parse_patch(text).files


@pytest.mark.parametrize("notation", _GRAMMARS)
@pytest.mark.parametrize("text", _OUTSIDE)
def test_what_would_be_refused_does_not_fit(notation: str, text: str) -> None:
    assert not _GRAMMARS[notation].fullmatch(text)


@pytest.mark.parametrize("notation", _GRAMMARS)
def test_the_example_of_the_prompt_fits(notation: str) -> None:
    prompt = (files("git_opatch") / "prompts" / "envelope.md").read_text()
    (example,) = re.findall(r"(?ms)^```\n(.*?)^```$", prompt)
    assert _GRAMMARS[notation].fullmatch(example)
