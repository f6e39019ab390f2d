"""`git opatch prompt`: how to write patches, for a language model."""

from __future__ import annotations

from enum import Enum
from importlib.resources import files

from git_opatch.model.errors import UsageError
from git_opatch.model.options import Format
from git_opatch.report.terminal import write_data

_RULES = "rules"
"""The rules that every format shares."""


class Grammar(Enum):
    """The notations of the envelope's grammar."""

    LARK = "lark"
    """Lark's, as OpenAI's custom tools and llguidance take it."""
    GBNF = "gbnf"
    """llama.cpp's."""


def prompt(patch_format: Format = Format.ENVELOPE, grammar: Grammar | None = None) -> None:
    """Print instructions for a language model: how to write a patch that applies.

    The format with an example, what makes a hunk apply, and the mistakes to avoid, in Markdown and
    in under 400 words; add them to the model's own instructions.
    """
    directory = files("git_opatch") / "prompts"
    if grammar is not None:
        if patch_format is not Format.ENVELOPE:
            raise UsageError(f"--grammar is for envelopes; there is none for {patch_format.value}")
        write_data((directory / f"envelope.{grammar.value}").read_bytes())
        return
    parts = [(directory / f"{name}.md").read_bytes() for name in (patch_format.value, _RULES)]
    write_data(b"".join(parts))
