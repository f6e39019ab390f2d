"""The `*** Begin Patch` envelope of OpenCode and Codex."""
