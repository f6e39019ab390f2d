"""The `<FILE_CHANGES>` container of udiffx, and its directives."""

CONTAINER = b"FILE_CHANGES"
NEW, PATCH, APPEND = b"FILE_NEW", b"FILE_PATCH", b"FILE_APPEND"
COPY, RENAME, DELETE = b"FILE_COPY", b"FILE_RENAME", b"FILE_DELETE"

_NAMES = b"|".join((CONTAINER, NEW, PATCH, APPEND, COPY, RENAME, DELETE))
TAG = rb"</?[ \t]*(?:" + _NAMES + rb")(?![A-Z_a-z0-9-])"
"""A tag of this format, up to the end of its name."""
