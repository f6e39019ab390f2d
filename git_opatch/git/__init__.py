"""The only package that starts git, and the only importer of GitPython."""
