"""`apply --interactive`: ask for each part of a patch, with the answers of `git add -p`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TextIO

from git_opatch.cli.hunk_editor import HunkEditor
from git_opatch.git.repository import Repository
from git_opatch.model.errors import Interrupted, UsageError
from git_opatch.model.options import Options
from git_opatch.model.patch import Hunk, Operation, Patch
from git_opatch.model.selection import Key, Part, Selected, keep, parts_of, with_hunks
from git_opatch.model.text import visible
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.report.placements import (
    Surroundings,
    left_out_verdicts,
    part_lines,
    refused_parts,
    surroundings_of,
)
from git_opatch.report.terminal import show_styled_on

_HELP = """\
y - {0} this hunk
n - do not {0} this hunk
q - quit; do not {0} this hunk or any of the remaining ones
a - {0} this hunk and all later hunks in the file
d - do not {0} this hunk or any of the later hunks in the file
j - leave this hunk undecided, see next undecided hunk
k - leave this hunk undecided, see previous undecided hunk
e - manually edit the current hunk
? - print help"""


_AGAIN = 'Your edited hunk does not apply. Edit again (saying "no" discards!) [y/n]? '
_WHAT = {
    Operation.ADD: "addition",
    Operation.DELETE: "deletion",
    Operation.MOVE: "move",
    Operation.COPY: "copy",
}


def choose(
    selected: Selected,
    plan_parts: Callable[[Patch], Plan],
    repository: Repository,
    options: Options,
    settings: Mapping[str, str],
) -> Selected:
    """Ask at the terminal which of the selected parts to apply; what stays undecided is left out.

    `plan_parts` plans the parts that apply: those that it refuses are named and left out, or
    with `Options.partial` stay selected beside what is chosen, for the caller to report. If it
    refuses all, or something that is not of a part, nothing is asked, and all stays selected: then
    the reasons are for the caller to report, too. The patch is empty if nothing is chosen. Raises
    `UsageError` without a terminal.
    """
    plan = plan_parts(selected.patch)
    parts = parts_of(selected.patch)
    refused = refused_parts(parts, plan.failures)
    with _terminal() as answers:
        if refused.keys() >= {part.key for part in parts} or _has_others(plan, parts):
            return selected
        apply = [part for part in parts if part.key not in refused]
        lines = [*left_out_verdicts(parts, plan)]
        show_styled_on(sys.stderr, [[(line, "")] for line in lines], settings)
        top = str(repository.top or "")
        around = surroundings_of(plan, resolve_paths(selected.patch, options.directory, top))
        verb = "undo" if options.reverse else "apply"
        trial = _Trial(selected.patch, plan_parts, HunkEditor(repository, answers))
        questions = _Questions(apply, around, answers, settings, verb, trial)
        wanted = questions.ask()
    chosen = {part.key for part, is_wanted in zip(apply, wanted, strict=True) if is_wanted}
    if not chosen:
        return Selected(Patch(()))
    kept = chosen | refused.keys() if options.partial else chosen
    left_out = [part for part in parts if part.key not in kept]
    rest, left_out_now = keep(selected.patch, left_out)
    return Selected(with_hunks(rest, questions.edited), (*selected.left_out, *left_out_now))


class _Trial(NamedTuple):
    """Edits a hunk, and plans the patch with it."""

    patch: Patch
    plan: Callable[[Patch], Plan]
    editor: HunkEditor

    def refuses(self, part: Part, edited: Hunk) -> bool:
        """Whether `part` does not apply with the `edited` hunk."""
        plan = self.plan(with_hunks(self.patch, {part.key: edited}))
        return part.key in refused_parts([part], plan.failures)


def _has_others(plan: Plan, parts: Sequence[Part]) -> bool:
    """Whether something is refused that is not of a part, such as a file that was expected."""
    keys = {key for part in parts for key in (part.key, part.whole)}
    return any((each.source, each.section_line, each.hunk) not in keys for each in plan.failures)


@contextmanager
def _terminal() -> Iterator[TextIO]:
    """Open what answers are read from: standard input may be the patch.

    Raises `UsageError` if there is no terminal.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        yield sys.stdin
        return
    try:
        stream = open("/dev/tty")  # noqa: SIM115 - closed below
    except OSError:
        raise UsageError(
            "not a terminal, so --interactive cannot ask\n"
            "  `--only` and `--except` choose hunks; `git opatch show --hunks` lists them"
        ) from None
    with stream:
        yield stream


def _is_editable(part: Part) -> bool:
    """Return whether a part is a hunk that shows all of its lines."""
    return part.hunk is not None and part.hunk.replacement is None and not part.hunk.removed_ranges


class _Questions:
    """Asks for one part after the other."""

    def __init__(
        self,
        parts: Sequence[Part],
        around: Mapping[Key, Surroundings],
        answers: TextIO,
        settings: Mapping[str, str],
        verb: str,
        trial: _Trial,
    ) -> None:
        self._parts = parts
        self._around = around
        self._answers = answers
        self._settings = settings
        self._verb = verb
        self._trial = trial
        self.edited: dict[Key, Hunk] = {}
        """The hunks that the user edited."""
        self._wanted: list[bool | None] = [None] * len(parts)
        self._at = 0
        self._shown = -1

    def ask(self) -> list[bool]:
        """Ask until all is decided, or the user quits."""
        actions: Mapping[str, Callable[[], None]] = {
            "y": lambda: self._decide([self._at], wanted=True),
            "n": lambda: self._decide([self._at], wanted=False),
            "a": lambda: self._decide(self._rest_of_file(), wanted=True),
            "d": lambda: self._decide(self._rest_of_file(), wanted=False),
            "j": lambda: self._go(range(self._at + 1, len(self._parts)), "No next hunk"),
            "k": lambda: self._go(reversed(range(self._at)), "No previous hunk"),
            "e": self._edit,
        }
        while None in self._wanted:
            answer = self._read()
            if answer is None or answer == "q":
                break
            if len(answer) > 1:  # as git 2.46 has it; which of them is meant, nobody knows
                sys.stderr.write(f"Only one letter is expected, got '{visible(answer)}'\n")
                continue
            actions.get(answer, partial(self._help, answer))()
        return [bool(wanted) for wanted in self._wanted]

    def _read(self) -> str | None:
        """Show the part, unless it is shown, and return the answer; None at its end."""
        part = self._parts[self._at]
        if self._shown != self._at:
            lines = part_lines(part, self._around.get(part.key))
            show_styled_on(sys.stderr, lines, self._settings)
            self._shown = self._at
        what = _WHAT.get(part.section.operation, "hunk") if part.hunk is None else "hunk"
        keys = "y,n,q,a,d" + ",j" * self._is_open(range(self._at + 1, len(self._parts)))
        keys += ",k" * self._is_open(range(self._at)) + ",e" * _is_editable(part) + ",?"
        number = f"({self._at + 1}/{len(self._parts)})"
        return self._answer(f"{number} {self._verb.capitalize()} this {what} [{keys}]? ")

    def _answer(self, question: str) -> str | None:
        """Ask, and return the answer in lower case; None at the end of the input."""
        sys.stderr.write(question)
        sys.stderr.flush()
        try:
            line = self._answers.readline()
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            raise Interrupted("interrupted; nothing was changed") from None
        if not line:
            sys.stderr.write("\n")
            return None
        return line.strip().lower()

    def _decide(self, indexes: Sequence[int], *, wanted: bool) -> None:
        for index in indexes:
            if self._wanted[index] is None:
                self._wanted[index] = wanted
        undecided = [at for at, decided in enumerate(self._wanted) if decided is None]
        self._at = next((at for at in undecided if at > self._at), (undecided or [0])[0])

    def _edit(self) -> None:
        """Let the user edit the hunk until it applies, or it is left as it was."""
        part = self._parts[self._at]
        hunk = self.edited.get(part.key, part.hunk)
        if hunk is None or not _is_editable(part):
            sys.stderr.write("Sorry, cannot edit this hunk\n")
            return
        while True:
            edited = self._trial.editor.edit(hunk)
            if edited is not None and not self._trial.refuses(part, edited):
                self.edited[part.key] = edited
                self._decide([self._at], wanted=True)
                return
            question = 'Your edited hunk does not apply. Edit again (saying "no" discards!) [y/n]? '
            if self._answer(question) not in ("y", "yes"):
                return

    def _rest_of_file(self) -> list[int]:
        paths = self._parts[self._at].paths
        later = range(self._at, len(self._parts))
        return [index for index in later if self._parts[index].paths & paths]

    def _go(self, indexes: Iterator[int] | range, otherwise: str) -> None:
        found = next((index for index in indexes if self._wanted[index] is None), None)
        if found is None:
            sys.stderr.write(otherwise + "\n")
        else:
            self._at = found

    def _is_open(self, indexes: range) -> bool:
        """Return whether one of these parts is undecided."""
        return any(self._wanted[index] is None for index in indexes)

    def _help(self, unknown: str = "") -> None:
        if unknown not in ("", "?"):
            sys.stderr.write(f"unknown answer '{visible(unknown)}'\n")
        sys.stderr.write(_HELP.format(self._verb) + "\n")
