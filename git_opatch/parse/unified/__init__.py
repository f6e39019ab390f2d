"""The unified diff, with correct, invented or missing line numbers."""
