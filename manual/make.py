"""Generate the manual page and the completions from the commands' own help.

python manual/make.py
"""

from __future__ import annotations

from pathlib import Path

import completion
from commands import read_commands
from git_opatch import __version__
from page import page

_HERE = Path(__file__).parent
TOP = _HERE.parent


def generate() -> dict[Path, str]:
    """Generate the text of each file."""
    commands = read_commands()
    template = (_HERE / "git-opatch.1.in").read_text("utf-8")
    return {
        TOP / "manual" / "git-opatch.1": page(template, commands, __version__),
        TOP / "completions" / "git-opatch.bash": completion.bash(commands),
        TOP / "completions" / "_git-opatch": completion.zsh(commands),
        TOP / "completions" / "git-opatch.fish": completion.fish(commands),
    }


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text, "utf-8")
