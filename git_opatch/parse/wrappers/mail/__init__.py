"""Mail as `git format-patch` writes it (D66)."""

HINT = rb"From \S+ [A-Z][a-z]{2} [A-Z][a-z]{2} "
