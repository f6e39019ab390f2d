"""The entry point of `git-opatch` and of `python -m git_opatch`.

Until the command line is read, an interrupt ends the program at once, as it ends git: it
does no harm that early, and would be answered with a traceback from some import.
"""

import gc
import os
import signal
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line and exit with its status."""
    gc.disable()  # a run is short and makes few cycles; to look for them takes a tenth of it
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from git_opatch.cli import register, run

    register(*sys.argv[1:] or [""])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _exit(status)


def _exit(status: int) -> None:
    """Leave at once: to take down the interpreter, module by module, takes 25 ms.

    Where a stream fails, Python has a status of its own.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
