"""The operations, each from its input to a changed repository: apply, undo, commit, recover."""
