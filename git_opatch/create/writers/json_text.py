"""Write objects of JSON, one on a line, in a list."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping


def write_list(objects: Iterable[Mapping[str, str]]) -> bytes:
    """Write `objects` as a list; what is not UTF-8 stays as it is."""
    lines = ",\n".join(f"  {json.dumps(each, ensure_ascii=False)}" for each in objects)
    return f"[\n{lines}\n]\n".encode("utf-8", "surrogateescape")


def text_of(data: bytes) -> str:
    """Decode what goes into a string of JSON."""
    return data.decode("utf-8", "surrogateescape")
