"""Search-and-replace blocks, as aider, Cline and Roo define them."""
