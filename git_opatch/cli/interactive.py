"""`apply --interactive`: ask for each part of a patch, with the answers of `git add -p`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TextIO

from git_opatch.cli.hunk_editor import HunkEditor
from git_opatch.git.repository import Repository
from git_opatch.model.errors import Interrupted, UsageError
from git_opatch.model.options import Options
from git_opatch.model.patch import Hunk, Operation, Patch
from git_opatch.model.selection import (
    Key,
    Part,
    Selected,
    keep,
    parts_of,
    with_hunks,
)
from git_opatch.model.text import visible
from git_opatch.plan.patch_paths import resolve_paths
from git_opatch.plan.plan import Plan
from git_opatch.report.columns import heading, part_lines
from git_opatch.report.outcome import Outcome
from git_opatch.report.placements import left_out_verdicts, refused_parts
from git_opatch.report.terminal import show
from git_opatch.report.view import view_of

_HELP = """\
y - {0} this hunk
n - do not {0} this hunk
q - quit; do not {0} this hunk or any of the remaining ones
a - {0} this hunk and all later hunks in the file
d - do not {0} this hunk or any of the later hunks in the file
j - leave this hunk undecided, see next undecided hunk
k - leave this hunk undecided, see previous undecided hunk
e - manually edit the current hunk
? - print help
"""
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
    patch = selected.patch
    plan, parts = plan_parts(patch), parts_of(patch)
    refused = refused_parts(parts, plan.failures)
    known = {key for part in parts for key in part.keys}
    others = [each for each in plan.failures if each.key not in known]
    with _terminal() as answers:
        if others or len(refused) == len(parts):
            return selected
        show(left_out_verdicts(parts, plan), sys.stderr, settings)
        resolved = resolve_paths(patch, options, repository.top)
        files = view_of(Outcome(options, resolved, plan, whole=patch), None).files
        views = {part.key: (file, part) for file in files for part in file.parts}

        def draw(part: Part) -> None:
            file, view = views[part.key]
            width = get_terminal_size().columns
            show([*heading(file, width), *part_lines(view, width)], sys.stderr, settings)

        def applies(part: Part, edited: Hunk) -> bool:
            trial = plan_parts(with_hunks(patch, {part.key: edited}))
            return part.key not in refused_parts([part], trial.failures)

        questions = _Questions(
            [part for part in parts if part.key not in refused],
            draw,
            answers,
            "undo" if options.reverse else "apply",
            HunkEditor(repository, answers),
            applies,
        )
        chosen = questions.ask()
    if not chosen:
        return Selected(Patch(()))
    kept = chosen | refused.keys() if options.partial else chosen
    rest, left_out = keep(patch, [part for part in parts if part.key not in kept])
    return Selected(with_hunks(rest, questions.edited), (*selected.left_out, *left_out))


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


class _Questions:
    """Asks for one part after the other: each is shown, and decided by a letter."""

    def __init__(
        self,
        parts: Sequence[Part],
        show_part: Callable[[Part], None],
        answers: TextIO,
        verb: str,
        editor: HunkEditor,
        applies: Callable[[Part, Hunk], bool],
    ) -> None:
        self._parts = parts
        self._show = show_part
        self._answers = answers
        self._verb = verb
        self._editor = editor
        self._applies = applies
        self.edited: dict[Key, Hunk] = {}
        """The hunks that the user edited."""
        self._wanted: list[bool | None] = [None] * len(parts)
        self._at = 0

    def ask(self) -> set[Key]:
        """Ask until all is decided, or the user quits; return what is wanted."""
        actions: Mapping[str, Callable[[], None]] = {
            "y": lambda: self._decide([self._at], wanted=True),
            "n": lambda: self._decide([self._at], wanted=False),
            "a": lambda: self._decide(self._rest_of_file(), wanted=True),
            "d": lambda: self._decide(self._rest_of_file(), wanted=False),
            "j": lambda: self._go(self._open_after(), "No next hunk"),
            "k": lambda: self._go(self._open_before(), "No previous hunk"),
            "e": self._edit,
            "?": lambda: self._say(_HELP.format(self._verb)),
        }
        shown = -1
        while None in self._wanted:
            if shown != self._at:
                self._show(self._parts[self._at])
                shown = self._at
            answer = self._answer(self._question())
            if answer in (None, "q"):
                break
            if answer in actions:
                actions[answer]()
            else:  # also several letters: which of them is meant, nobody knows
                self._say(f"unknown answer '{visible(answer or '')}'\n{_HELP.format(self._verb)}")
        return {part.key for part, wanted in zip(self._parts, self._wanted, strict=True) if wanted}

    def _question(self) -> str:
        part = self._parts[self._at]
        what = _WHAT.get(part.section.operation, "hunk") if part.hunk is None else "hunk"
        keys = "y,n,q,a,d" + ",j" * bool(self._open_after()) + ",k" * bool(self._open_before())
        keys += ",e" * (self._editable() is not None) + ",?"
        number = f"({self._at + 1}/{len(self._parts)})"
        return f"{number} {self._verb.capitalize()} this {what} [{keys}]? "

    def _say(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def _answer(self, question: str) -> str | None:
        """Ask, and return the answer in lower case; None at the end of the input."""
        self._say(question)
        try:
            line = self._answers.readline()
        except KeyboardInterrupt:
            self._say("\n")
            raise Interrupted("interrupted; nothing was changed") from None
        if not line:
            self._say("\n")
            return None
        return line.strip().lower()

    def _decide(self, indexes: Sequence[int], *, wanted: bool) -> None:
        for index in indexes:
            if self._wanted[index] is None:
                self._wanted[index] = wanted
        self._at = next(iter(self._open_after() or self._open_before()[::-1]), 0)

    def _edit(self) -> None:
        """Let the user edit the hunk until it applies, or it is left as it was."""
        part, hunk = self._parts[self._at], self._editable()
        if hunk is None:
            self._say("Sorry, cannot edit this hunk\n")
            return
        while True:
            edited = self._editor.edit(self.edited.get(part.key, hunk))
            if edited is not None and self._applies(part, edited):
                self.edited[part.key] = edited
                self._decide([self._at], wanted=True)
                return
            if self._answer(_AGAIN) not in ("y", "yes"):
                return

    def _editable(self) -> Hunk | None:
        """Return the hunk that is asked for, if it shows all of its lines."""
        hunk = self._parts[self._at].hunk
        shows_all = hunk is not None and hunk.replacement is None and not hunk.removed_ranges
        return hunk if shows_all else None

    def _rest_of_file(self) -> list[int]:
        names = set(self._parts[self._at].section.names)
        later = range(self._at, len(self._parts))
        return [at for at in later if not names.isdisjoint(self._parts[at].section.names)]

    def _go(self, indexes: Sequence[int], otherwise: str) -> None:
        if indexes:
            self._at = indexes[0]
        else:
            self._say(f"{otherwise}\n")

    def _open_after(self) -> list[int]:
        """List the undecided parts behind this one, the nearest first."""
        later = range(self._at + 1, len(self._parts))
        return [index for index in later if self._wanted[index] is None]

    def _open_before(self) -> list[int]:
        """List those before it, the nearest first."""
        return [index for index in reversed(range(self._at)) if self._wanted[index] is None]
