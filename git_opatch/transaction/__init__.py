"""All or nothing: the lock, the record, git's writing, and how it is undone after a failure."""
