"""git opatch: apply patches as language models write them, exactly or not at all."""

__version__ = "0.1.0"
