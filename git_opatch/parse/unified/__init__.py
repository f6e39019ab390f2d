"""The unified diff, with numbers right, invented or left out."""

HINT = rb"diff --git |--- "
UNREAD = rb"\*{15}|\+\+\+ "
"""Lines of diffs in a form that is not read (see `unread`)."""
