"""The options of commands that draw a page for a browser."""

from typing import NamedTuple

from git_opatch.model.errors import UsageError


class PageOptions(NamedTuple):
    """Whether to draw a page, and where it goes."""

    html: bool = False
    output: str = ""
    opens: bool = False

    def require_useful(self, *, json: bool) -> None:
        """Raise `UsageError` for options that have no effect without a page, or beside it."""
        if self.html and json:
            raise UsageError("--html and --json exclude one another")
        if not self.html and (self.output or self.opens):
            raise UsageError(f"{'--output' if self.output else '--open'} requires --html")

    def deliver(self, page: bytes) -> None:
        """Write `page`, and open it. Raises `InputError`."""
        from git_opatch.report.pages import deliver

        deliver(page, self.output, opens=self.opens)
