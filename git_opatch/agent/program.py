"""How other programs start this one, and which events are answered before anything is imported.

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


_NAME = "git-opatch"
_START = "from git_opatch.__main__ import main; main()"


def program_words() -> tuple[str, ...]:
    """Return the words that start `git opatch`: the program that runs now, by absolute path.

    Where it was not installed as a program, that is Python with its module, and without the current
    directory among the places that it imports from.
    """
    started = sys.argv[0]
    beside = os.path.join(os.path.dirname(sys.executable), _NAME)
    for path in (started, beside):
        if os.path.basename(path) == _NAME and os.path.dirname(path) and os.access(path, os.X_OK):
            return (os.path.abspath(path),)
    return (os.path.abspath(sys.executable), "-P", "-m", "git_opatch")


def hook_words() -> tuple[str, ...]:
    """Return the words that start the hook: Python itself, by absolute path (D305).

    The program that an installer writes may import more than the answer to most events takes.
    """
    if not sys.executable:
        return program_words()
    return (os.path.abspath(sys.executable), "-P", "-c", _START)
