"""Operations in JSON, and any patch inside a JSON string."""

# A bare string must have an escape, since a patch has more than one line.
JSON = rb'\{\s*+["\']|\[\s*+["\'\[{]|"(?:\*\*\* |[^"\\\r\n]*+\\)'
"""How JSON begins that can hold either."""
