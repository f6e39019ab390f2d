"""The `*** Begin Patch` envelope of OpenCode and Codex."""

HINT = rb"\*{2,}[ \t\f\v]*[A-Za-z]"
