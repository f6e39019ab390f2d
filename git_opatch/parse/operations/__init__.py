"""Operations in JSON, and any patch that stands in a string of JSON."""

# A string alone has an escape, since a patch has more than one line.
JSON = rb'\{\s*+["\']|\[\s*+["\'\[{]|"(?:\*\*\* |[^"\\\r\n]*+\\)'
"""How JSON begins that can hold either."""
HINT = JSON + rb"|\*\*\* (?:Add|Update|Delete) File: "
"""An operation's lines, once they are found, are those of an envelope's section."""
