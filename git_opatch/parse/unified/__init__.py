"""The unified diff, with correct, invented or missing line numbers."""

HINT = rb"diff --git |--- "
UNSUPPORTED_HINT = rb"\*{15}|\+\+\+ "
"""How lines of diffs in an unsupported format begin (see `unsupported`)."""
