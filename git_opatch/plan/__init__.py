"""Plan a patch against its base: everything is decided, nothing is written."""
