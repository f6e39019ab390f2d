"""The entry point of `git-opatch` and of `python -m git_opatch`.

Until the command line is parsed, an interrupt ends the program at once, as it ends git: nothing is
written that early, and an exception would show the traceback of some import.
"""

import os
import sys

from git_opatch.agent import program

_NO_POSIX = """\
error: git opatch needs a POSIX system, such as Linux or macOS
  on Windows, run it in WSL, the Windows Subsystem for Linux
"""


def main() -> None:
    """Run the command line and exit with its status."""
    if program.is_answered(sys.argv[1:]):
        os._exit(0)
    try:
        import fcntl  # noqa: F401
    except ImportError:
        sys.stderr.write(_NO_POSIX)
        sys.exit(128)
    from git_opatch.cli import process

    process.end_on_interrupt()
    process.start_fast()
    from git_opatch.cli.main import register, run, words_of

    words = words_of(sys.argv[1:])
    register(words)
    try:
        process.raise_interrupt_once()
        status = run(words)
        process.ignore_interrupts()  # all is written, and the status is known
    except KeyboardInterrupt:
        status = process.report_interrupt()
    process.exit_at_once(status)


if __name__ == "__main__":
    main()
