"""`git opatch prompt`: how to write patches, for a language model."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

import typer

from git_opatch.model.options import Format
from git_opatch.report.terminal import write_data

_RULES = "rules"
"""The rules that every format shares."""

PromptFormat = Annotated[
    Format, typer.Option("--format", help="The format that the model is to write.")
]


def prompt(patch_format: PromptFormat = Format.ENVELOPE) -> None:
    """Print instructions for a language model: how to write a patch that applies.

    The format with an example, what makes a hunk apply, and the mistakes to avoid, in Markdown and
    in under 400 words; add them to the model's own instructions.
    """
    directory = files("git_opatch") / "prompts"
    parts = [(directory / f"{name}.md").read_bytes() for name in (patch_format.value, _RULES)]
    write_data(b"".join(parts))
