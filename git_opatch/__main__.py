"""The entry point of `git-opatch` and of `python -m git_opatch`.

Until the command line is read, an interrupt ends the program at once, as it ends git: it
does no harm that early, and would be answered with a traceback from some import.
"""

import signal
import sys


def main() -> None:
    """Run the command line and exit with its status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from git_opatch.cli import run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(status)


if __name__ == "__main__":
    main()
