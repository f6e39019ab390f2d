"""What stands round a patch: Markdown fences, shell text, mail."""
