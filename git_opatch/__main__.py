"""The entry point of `git-opatch` and of `python -m git_opatch`.

Until the command line is parsed, an interrupt ends the program at once, as it ends git: nothing is
written that early, and an exception would show the traceback of some import.
"""

import os
import sys

from git_opatch.agent import quick

_NO_POSIX = """\
error: git opatch needs a POSIX system, such as Linux or macOS
  on Windows, run it in WSL, the Windows Subsystem for Linux
"""


def main() -> None:
    """Run the command line and exit with its status."""
    if quick.is_answered(sys.argv[1:]):
        os._exit(0)
    try:
        import fcntl  # noqa: F401
    except ImportError:
        sys.stderr.write(_NO_POSIX)
        sys.exit(128)
    from git_opatch.cli import interrupts

    interrupts.end_at_once()
    from git_opatch.cli import startup

    startup.disable_garbage_collection()
    startup.skip_version_check()
    from git_opatch.cli.main import register, run, words_of

    words = words_of(sys.argv[1:])
    register(words)
    try:
        interrupts.raise_once()
        status = run(words)
        interrupts.ignore()  # all is written, and the status is known
    except KeyboardInterrupt:
        status = interrupts.report()
    startup.exit_at_once(status)


if __name__ == "__main__":
    main()
