"""A format is a row of the table and a module: every wrapper reads it, and none knows it.

The package is copied, and a toy format is added to the copy, in these two places.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import git_opatch

_PACKAGE = Path(git_opatch.__file__).parent
_ROW = """\
    Format.TOY: Syntax(
        "toy",
        rb"%% patch ",
        rb"%% patch ",
        rb"%% end",
        rb"%% patch|%% end",
    ),
"""
_PARSER = '''
"""A file, and the lines to replace in it."""

import os

from git_opatch.model.patch import FilePatch, Operation
from git_opatch.parse.hunks import Hunks


def starts(scanner):
    return scanner.line.startswith(b"%% patch ")


def parse(scanner):
    number, path = scanner.number, os.fsdecode(scanner.line[9:].strip())
    scanner.at += 1
    hunks = Hunks(scanner, bare=True).read(
        lambda hunks: None if scanner.line.startswith(b"%% end") else bool(hunks.take_lines())
    )
    if not scanner.more:
        scanner.report_no_end("toy", b"%% end", scanner.end, number)
        return
    scanner.at += 1
    scanner.section(FilePatch(Operation.UPDATE, path, path, hunks, number=number))
'''
_PROGRAM = """
import json, sys
from git_opatch.model.errors import ParseError
from git_opatch.parse import parse_patch

def lines(text):
    try:
        files = parse_patch(text).files
    except ParseError as error:
        return str(error)
    written = lambda hunk: [line.prefix.value + line.text.decode() for line in hunk.lines]
    return [[file.directory, file.path, *written(hunk)] for file in files for hunk in file.hunks]

print(json.dumps({name: lines(text) for name, text in json.load(sys.stdin).items()}))
"""
_MAIL = """\
From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001
From: A <a@b.example>
Date: Mon, 17 Sep 2001 00:00:00 +0000
Subject: [PATCH] x

Because.
---

"""
TOY = '%% patch src/a.py\n one\n-two\n+  "zwei" $x\n%% end\n'
_HEREDOC = f"apply_patch <<'EOF'\n{TOY}EOF\n"
_QUOTED = TOY.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
WRAPPED = {
    "alone": TOY,
    "in prose": f"Do this:\n\n{TOY}\nDone.\n",
    "CRLF": TOY.replace("\n", "\r\n"),
    "a byte-order mark": "\ufeff" + TOY,
    "a fence": f"```toy\n{TOY}```\n",
    "a fence in a list": "1. So:\n\n" + textwrap.indent(f"```\n{TOY}```\n", "   "),
    "indentation": "1. So:\n\n" + textwrap.indent(TOY, "   "),
    "a heredoc": _HEREDOC,
    "a heredoc with a directory": f"cd lib && {_HEREDOC}",
    "a heredoc of tabs": "apply_patch <<-EOF\n" + textwrap.indent(TOY, "\t") + "\tEOF\n",
    "a heredoc without a command": f"<<'EOF'\n{TOY}EOF\n",
    "a heredoc without an end": f"apply_patch <<'EOF'\n{TOY}",
    "an indented heredoc": textwrap.indent(_HEREDOC, "  "),
    "cat": f"cat <<'EOF' | apply_patch\n{TOY}EOF\n",
    "git apply": f"git apply <<'EOF'\n{TOY}EOF\n",
    "single quotes": f"apply_patch '{TOY}'\n",
    "double quotes": f'apply_patch "{_QUOTED}"\n',
    "a script": "bash -lc '" + _HEREDOC.replace("'EOF'", '"EOF"') + "'\n",
    "mail": _MAIL + TOY,
    "a string of JSON": json.dumps(TOY),
    "a member of JSON": json.dumps({"workdir": "lib", "patch": TOY}),
    "a call in JSON": json.dumps({"function": {"arguments": json.dumps({"input": TOY})}}),
    "a command in JSON": json.dumps({"command": ["apply_patch", TOY]}),
    "a heredoc in JSON": json.dumps({"cmd": "x", "command": ["bash", "-lc", _HEREDOC]}),
    "beside another format": f"{TOY}*** Begin Patch\n*** Delete File: b\n*** End Patch\n",
}
_IN_A_DIRECTORY = ("a heredoc with a directory", "a member of JSON")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a copy of the package that has the toy format, too."""
    top = tmp_path_factory.mktemp("toy")
    copy = top / "git_opatch"
    shutil.copytree(_PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    table, options = copy / "parse" / "grammar.py", copy / "model" / "options.py"
    last_row = '}\n"""The formats of lines.'
    table.write_text(table.read_text().replace(last_row, _ROW + last_row, 1))
    options.write_text(
        re.sub(r"(    ENVELOPE = .*\n)", r'\1    TOY = "toy"\n', options.read_text(), count=1)
    )
    (copy / "parse" / "toy.py").write_text(_PARSER)
    return top


def _read(package: Path, texts: dict[str, str]) -> dict[str, object]:
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps(texts),
        capture_output=True,
        check=True,
        text=True,
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def test_a_format_is_read_through_every_wrapper(package: Path) -> None:
    lines = ["src/a.py", " one", "-two", '+  "zwei" $x']
    expected = {name: [["lib" if name in _IN_A_DIRECTORY else "", *lines]] for name in WRAPPED}
    assert _read(package, WRAPPED) == expected


def test_a_part_of_it_in_what_is_not_read_is_an_error(package: Path) -> None:
    found = _read(
        package,
        {
            "cut": TOY.removesuffix("%% end\n"),
            "another member": json.dumps({"unread": TOY}),
            "another command": f"cat > f <<'EOF'\n{TOY}EOF\n",
            "prose": "Nothing to do.\n",
        },
    )
    assert "is missing" in str(found["cut"])
    assert "there is a patch here" in str(found["another member"])
    assert "is not a supported command" in str(found["another command"])
    assert "no line begins one, such as " in str(found["prose"])
