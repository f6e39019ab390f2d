"""Answer at once the events that do not concern the hook: before anything else is imported.

An agent runs the hook before each of its calls, and most of them neither apply a patch nor edit a
file. Such an event has none of the words below in it: no client escapes their characters in JSON.
"""

import io
import os
import sys

_WORDS = (b"apply", b"*** ", b"@@", b"<<<<<<<", b"<FILE_CHANGES")
"""What calls of `apply_patch`, in all spellings, and bare patches have."""
_EDITORS = (
    *(b'"edit"', b'"multiedit"', b'"write"', b'"notebookedit"'),
    *(b'"replace"', b'"write_file"', b'"create"'),
)
"""The names of the tools that edit files, in lower case."""
_INTERRUPTED = 130


def is_answered(arguments: list[str]) -> bool:
    """Return whether `arguments` run the hook, and the event on standard input needs no answer.

    If it may need one, standard input is again as it was.
    """
    if arguments[:1] != ["agent-hook"] or "-h" in arguments or "--help" in arguments:
        return False
    if sys.stdin is None:
        return False
    try:
        event = sys.stdin.buffer.read()
    except KeyboardInterrupt:
        os.write(2, b"error: interrupted\n")
        os._exit(_INTERRUPTED)
    if _is_of_no_concern(event):
        return True
    sys.stdin = io.TextIOWrapper(io.BytesIO(event), "utf-8")
    return False


def _is_of_no_concern(event: bytes) -> bool:
    if b'"tool_input":{' not in event and b'"tool_input": {' not in event:
        return False
    lower = event.lower()
    return not any(word in event for word in _WORDS) and not any(name in lower for name in _EDITORS)
