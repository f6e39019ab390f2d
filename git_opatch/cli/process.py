"""The process: how it starts and ends fast, and what a Ctrl-C does to it (D122).

A Ctrl-C is one line, status 130 and no traceback, at any moment. A terminal sends it to all
processes, and git, which runs us, sends it once more to us. So the first one counts, and the others
are ignored while what was begun is restored. Python's own handler shows a traceback until ours is
there, so nothing is imported for it: `signal` itself would import `enum` and much else, and what it
is made of is built into the interpreter.

What saves time says how much. `benchmarks/speed.py` measures a small `git opatch apply`, and
`tests/project/test_layers.py` tests that help and a command import no more than they need.
"""

import _signal  # type: ignore[import-not-found]
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

STATUS = 130
_LINE = b"error: interrupted\n"


class _Interrupt:
    """Whether one was raised, and whether the user was told."""

    raised = reported = False


def end_on_interrupt() -> None:
    """End the program at the next interrupt: nothing is being written now."""
    _signal.signal(_signal.SIGINT, _end)


def raise_interrupt_once() -> None:
    """Raise `KeyboardInterrupt` at the next interrupt, and ignore those after it."""
    _Interrupt.reported = False
    sys.unraisablehook = _unraisable
    _signal.signal(_signal.SIGINT, _raise)


def was_interrupted() -> bool:
    """Whether an interrupt was raised.

    Then whatever comes out of the run is that interrupt: it may be raised in any line of a
    library, and be wrapped there (Python 3.11 makes it a `RuntimeError` while a class is built).
    """
    return _Interrupt.raised


def ignore_interrupts() -> None:
    """Ignore interrupts: the user is told how the run ends. Programs that we start do not.

    In this order: an interrupt in between must not find that somebody else will tell.
    """
    _signal.signal(_signal.SIGINT, _ignore)
    _Interrupt.reported = True


def report_interrupt() -> int:
    """Say that the run was interrupted, if nobody did; gives the exit status."""
    if not _Interrupt.reported:
        ignore_interrupts()
        try:  # noqa: SIM105 - contextlib takes time to import
            os.write(2, _LINE)
        except OSError:
            pass  # nobody reads it
    return STATUS


def _end(_number: int, _frame: "FrameType | None") -> None:
    os._exit(report_interrupt())


def _raise(_number: int, _frame: "FrameType | None") -> None:
    _signal.signal(_signal.SIGINT, _ignore)
    _Interrupt.raised = True
    raise KeyboardInterrupt


def _ignore(_number: int, _frame: "FrameType | None") -> None:
    pass


def _unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """End the program where an interrupt was raised in a finalizer, which would swallow it."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        os._exit(report_interrupt())
    sys.__unraisablehook__(unraisable)


def start_fast() -> None:
    """Collect no garbage, which saves a tenth of a run, and let GitPython not ask git's version.

    A run is short and makes few reference cycles. GitPython would run `git version` twice when it
    is imported, which takes 8 ms: it looks for git under a name that cannot be run. Its commands
    have the name `git` all the same, and the variable is removed after the import
    (`git/runner.py`).
    """
    import gc

    gc.disable()
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    os.environ.setdefault("GIT_PYTHON_GIT_EXECUTABLE", os.devnull)


def exit_at_once(status: int) -> None:
    """Exit without finalizing the interpreter, module by module, which takes 25 ms.

    If a stream cannot be flushed, exit in the ordinary way: Python has a status for that.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(status)
    os._exit(status)
