"""Search-and-replace blocks, as aider, Cline and Roo define them."""

# The last alternative is a near miss of a marker (see `diagnose`). It needs the newline, so that it
# matches in a text, but not a line alone, as where a diff may end.
HINT = (
    rb"(?:<{5,9}|-{5,9})[ \t]*(?i:SEARCH)\b|(?:>{5,9}|\+{5,9})[ \t]*(?i:REPLACE)\b"
    rb"|(?<![ \t])<{4,}[ \t]*\w[^\n]*\n"
)
