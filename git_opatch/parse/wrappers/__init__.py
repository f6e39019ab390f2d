"""What is around a patch: Markdown fences, shell text, mail."""
