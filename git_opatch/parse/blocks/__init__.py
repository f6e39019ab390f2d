"""Search-and-replace blocks, as aider, Cline and Roo have them."""

# In a text, a newline follows what is only meant as a marker (see `mistaken`); a line that is
# looked at alone, as where a diff may end, has none, and so is a marker only as it should be.
HINT = (
    rb"(?:<{5,9}|-{5,9})[ \t]*(?i:SEARCH)\b|(?:>{5,9}|\+{5,9})[ \t]*(?i:REPLACE)\b"
    rb"|(?<![ \t])<{4,}[ \t]*\w[^\n]*\n"
)
