"""Calls of `apply_patch`: detect them, verify them, and answer the hooks of agents."""
