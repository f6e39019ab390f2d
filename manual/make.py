"""Generate the manual page, the completions and tables of options from the commands' own help, and
the schema and the tables of `--json` from its tables of fields.

python manual/make.py
"""

from __future__ import annotations

from pathlib import Path

import completion
from commands import read_commands
from git_opatch import __version__
from json_fields import schema, with_fields
from option_tables import with_options
from page import page

_HERE = Path(__file__).parent
TOP = _HERE.parent
_PAGE, _JSON = TOP / "docs" / "commands.md", TOP / "docs" / "json.md"


def generate() -> dict[Path, str]:
    """Generate the text of each file."""
    commands = read_commands()
    template = (_HERE / "git-opatch.1.in").read_text("utf-8")
    return {
        _PAGE: with_options(_PAGE.read_text("utf-8"), commands),
        _JSON: with_fields(_JSON.read_text("utf-8")),
        TOP / "git_opatch" / "report" / "schema.json": schema(),
        TOP / "manual" / "git-opatch.1": page(template, commands, __version__),
        TOP / "completions" / "git-opatch.bash": completion.bash(commands),
        TOP / "completions" / "_git-opatch": completion.zsh(commands),
        TOP / "completions" / "git-opatch.fish": completion.fish(commands),
    }


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text, "utf-8")
