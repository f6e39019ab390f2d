"""Ctrl-C: one line, status 130 and no traceback, at any moment (D122).

A terminal sends it to all processes, and git, which runs us, sends it once more to us. So the first
one counts, and the others are ignored while what was begun is restored. Python's own handler shows
a traceback until ours is there, so nothing is imported for it: `signal` itself would import `enum`
and much else, and what it is made of is built into the interpreter.
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


def end_at_once() -> None:
    """End the program at the next interrupt: nothing is being written now."""
    _signal.signal(_signal.SIGINT, _end)


def raise_once() -> None:
    """Raise `KeyboardInterrupt` at the next interrupt, and ignore those after it."""
    _Interrupt.reported = False
    sys.unraisablehook = _unraisable
    _signal.signal(_signal.SIGINT, _raise)


def was_raised() -> bool:
    """Whether an interrupt was raised.

    Then whatever comes out of the run is that interrupt: it may be raised in any line of a
    library, and be wrapped there (Python 3.11 makes it a `RuntimeError` while a class is built).
    """
    return _Interrupt.raised


def ignore() -> None:
    """Ignore interrupts: the user is told how the run ends. Programs that we start do not.

    In this order: an interrupt in between must not find that somebody else will tell.
    """
    _signal.signal(_signal.SIGINT, _ignore)
    _Interrupt.reported = True


def report() -> int:
    """Say that the run was interrupted, if nobody did; gives the exit status."""
    if not _Interrupt.reported:
        ignore()
        try:  # noqa: SIM105 - contextlib takes time to import
            os.write(2, _LINE)
        except OSError:
            pass  # nobody reads it
    return STATUS


def _end(_number: int, _frame: "FrameType | None") -> None:
    os._exit(report())


def _raise(_number: int, _frame: "FrameType | None") -> None:
    _signal.signal(_signal.SIGINT, _ignore)
    _Interrupt.raised = True
    raise KeyboardInterrupt


def _ignore(_number: int, _frame: "FrameType | None") -> None:
    pass


def _unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """End the program where an interrupt was raised in a finalizer, which would swallow it."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        os._exit(report())
    sys.__unraisablehook__(unraisable)
