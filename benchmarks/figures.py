"""Write the figures of the pages: run what measures them, and put its tables where they belong.

    python benchmarks/figures.py --repos CLONE... --typed CASES --seed 7 [--only moved-on,typed]

A table of a page is between two lines, `<!-- figures: NAME -->` and `<!-- end -->`; `TABLES` has
the command of each name. Written are the day, the seed, the repositories, and the first table that
the command prints. What is not measured again keeps its text, and so its day; so does a table whose
`--typed`, `--codex` or `--python` is not given. Other figures, of what was measured once, are text.
"""

from __future__ import annotations

import argparse
import datetime
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from arguments import names_of, parser_of

_TOP = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "benchmarks/README.md")
BLOCK = re.compile(r"(?ms)^(<!-- figures: ([\w-]+) -->\n).*?^(<!-- end -->)$")
_DRAWN = "{repos} --seed {seed} --jobs {jobs}"
TABLES = {
    "typed": "model_diffs.py --cases {typed} --python {python}",
    "drawn": f"grammar.py {_DRAWN} --cases 2000",
    "moved-on": f"moved_on.py {_DRAWN} --cases 5000",
    "sent-again": f"sent_again.py {_DRAWN} --cases 30000",
    "late": f"travel.py {_DRAWN} --cases 400",
    "suite": "suite.py judge {suite} --tools opatch,git-apply,git-apply-lenient,patch,mpatch,codex "
    "--codex {codex} --python {python} --jobs {jobs}",
    "speed": "speed.py --peers codex --codex {codex}",
}
"""The command of each table, below `benchmarks/`."""


def main() -> None:
    """Measure, and write the pages."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="figures-") as directory:
        values = _values(options, Path(directory))
        for name in options.only:
            if all(values[key] for key in re.findall(r"{(\w+)}", TABLES[name])):
                write(name, _measured(name, values))
            else:
                print(f"{name}: skipped, since it needs more", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("--repos", type=Path, nargs="+", default=[], help="repositories to draw from")
    add("--typed", default="", help="the cases of collect_diffs.py")
    add("--codex", default="", help="the native codex program")
    add("--python", default="", help="a Python that has mpatch")
    add("--seed", default="1", help="another seed draws other cases")
    add("--jobs", default="1", help="processes (1)")
    add("--only", type=names_of(TABLES), default=list(TABLES), help=",".join(TABLES))
    return parser.parse_args()


def _values(options: argparse.Namespace, directory: Path) -> dict[str, str]:
    """What the placeholders of commands stand for."""
    values = {
        key: shlex.quote(value)
        for key, value in vars(options).items()
        if isinstance(value, str) and value
    }
    values = dict.fromkeys(("typed", "codex", "python"), "") | values
    suite = directory / "suite"
    if "suite" in options.only:
        _run(f"suite.py export {suite}")
    return values | {"repos": shlex.join(map(str, options.repos)), "suite": str(suite)}


def _run(command: str) -> str:
    words = [sys.executable, *shlex.split(f"{_TOP}/benchmarks/{command}")]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def _measured(name: str, values: Mapping[str, str]) -> str:
    """The text of a table: the day, what was drawn from, and the table."""
    command = TABLES[name]
    table = re.findall(r"(?m)(?:^\|.*\n)+", _run(command.format(**values)))[0]
    day = datetime.datetime.now(tz=datetime.UTC).strftime("%-d %B %Y")
    names = [path.removesuffix("/repo").split("/")[-1] for path in shlex.split(values["repos"])]
    drawn = f", seed {values['seed']}; {', '.join(names)}" if "{repos}" in command else ""
    return "\n".join([f"{day}{drawn}:", "", table])


def write(name: str, text: str) -> None:
    """Put the text of a table into the pages that have it."""
    for path in PAGES:
        page = (_TOP / path).read_text()
        for block in BLOCK.finditer(page):
            if block[2] == name:
                page = page.replace(block[0], f"{block[1]}\n{text}\n{block[3]}")
        (_TOP / path).write_text(page)


if __name__ == "__main__":
    main()
