"""Change the engine at random places, and count the changes that its tests notice.

    python benchmarks/mutation.py [--packages parse,plan] [--count N] [--seed N]

A mutant differs in one place: another comparison, a constant by one, `or` for `and`, a condition
negated, nothing returned, or a statement left out. It is killed if a test of its package fails or
takes five minutes; those that survive are printed. All runs are in a copy of the project.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_PAIRS = ("Lt LtE", "Gt GtE", "Eq NotEq", "Is IsNot", "In NotIn")
_OPPOSITES = {**dict(map(str.split, _PAIRS)), **dict(pair.split()[::-1] for pair in _PAIRS)}
_DROPPED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Continue, ast.Break)


def _places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object, ast.AST]]:
    """Yield a node, the name of a field, its value that makes a mutant, and what that has new."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            nodes = value if isinstance(value, list) else [value]
            for at, node in enumerate(nodes):
                for new in _others(node, name):
                    many = [*nodes[:at], new, *nodes[at + 1 :]]
                    yield parent, name, many if isinstance(value, list) else new, new


def _others(node: object, field: str) -> Iterator[ast.AST]:
    value = getattr(node, "value", None)
    if isinstance(node, ast.cmpop):
        yield getattr(ast, _OPPOSITES[type(node).__name__])()
    elif isinstance(node, ast.Constant) and type(value) is int:
        yield from (ast.Constant(value + step) for step in (1, -1))
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.Return) and value is not None:
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, _DROPPED) and not isinstance(value, ast.Constant):
        yield ast.Pass()
    if isinstance(node, ast.expr) and field == "test":
        yield ast.UnaryOp(ast.Not(), node)


def _is_killed(project: Path, package: str) -> bool:
    words = [sys.executable, "-m", "pytest", "-x", "-n", "0", "--hypothesis-seed", "0"]
    words += [f"tests/{part}" for part in ("cases", package) if (project / "tests" / part).exists()]
    environment = {**os.environ, "PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.Popen(words, cwd=project, env=environment, stdout=subprocess.DEVNULL)
    try:
        return run.wait(300) != 0
    except subprocess.TimeoutExpired:
        run.kill()
        return True


def main() -> None:
    """Print the mutants that survive, and how many were killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", default="locate,complete,parse,plan")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        project = Path(shutil.copytree(_ROOT, f"{name}/copy", ignore=shutil.ignore_patterns(".*")))
        every = []
        for package in args.packages.split(","):
            if _is_killed(project, package):
                sys.exit(f"the tests of {package} fail without any change")
            for path in sorted(project.glob(f"git_opatch/{package}/**/*.py")):
                tree = ast.parse(path.read_text())
                every += [(package, path, tree, place) for place in _places(tree)]
        killed = args.count
        for package, path, tree, place in random.Random(args.seed).sample(every, killed):
            node, field, value, new = place
            before, source = getattr(node, field), path.read_text()
            setattr(node, field, value)
            path.write_text(ast.unparse(tree))
            if not _is_killed(project, package):
                killed -= 1
                line = f"{path.relative_to(project)}:{getattr(node, 'lineno', 0)}"
                print(line, ast.unparse(node if isinstance(node, ast.expr) else new), flush=True)
            setattr(node, field, before)
            path.write_text(source)
    print(f"killed: {killed} of {args.count}")


if __name__ == "__main__":
    main()
