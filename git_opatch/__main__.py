"""The entry point of `git-opatch` and of `python -m git_opatch`.

Until the command line is parsed, an interrupt ends the program at once, as it ends git: nothing is
written that early, and an exception would show the traceback of some import.
"""

import signal
import sys

from git_opatch.cli import startup


def main() -> None:
    """Run the command line and exit with its status."""
    startup.disable_garbage_collection()
    startup.skip_version_check()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from git_opatch.cli.main import register, run

    register(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    startup.exit_at_once(status)


if __name__ == "__main__":
    main()
