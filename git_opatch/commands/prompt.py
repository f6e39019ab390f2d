"""`git opatch prompt`: what to tell a model, so that it writes patches that can be taken."""

from __future__ import annotations

from importlib.resources import files

from git_opatch.commands import choices
from git_opatch.options import Dialect
from git_opatch.report.terminal import write_data

_RULES = "rules"
"""What holds in every form."""


def prompt(dialect: choices.InDialect = Dialect.ENVELOPE) -> None:
    """Print instructions for a language model: how to write a patch that is taken here.

    The form with an example, what makes a hunk land, and the mistakes to avoid, in Markdown and in
    under 400 words; add them to the model's own instructions.
    """
    folder = files("git_opatch") / "prompts"
    parts = [(folder / f"{name}.md").read_bytes() for name in (dialect.value, _RULES)]
    write_data(b"".join(parts))
