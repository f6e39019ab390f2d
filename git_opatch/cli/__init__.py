"""The command line: the only importer of typer."""
