"""The Python code on which the result of a measured run depends: its hash is a part of the testbed's version."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from typing_extensions import override


def sources() -> Iterator[Path]:
    """Return the files that affect the outcome of a run with default stacks, in a fixed order."""
    others = {PACKAGE / name for names in OF_STACKS.values() for name in names}
    for name in PARTS:
        part = PACKAGE / name
        yield from (file for file in (sorted(part.rglob("*.py")) if part.is_dir() else [part]) if file not in others)


def of(stack: str) -> Iterator[Path]:
    """Return the files of a stack that is not a default."""
    return (PACKAGE / name for name in OF_STACKS[stack])


@cache
def version() -> str:
    """Return a hash of the code of `sources`."""
    return code_hash(sources())


def code_hash(files: Iterable[Path]) -> str:
    """Return a hash of the names and the code of files; comments and docstrings do not change it."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0{_code(file.read_text(encoding='utf-8'))}\0".encode())
    return digest.hexdigest()[:8]


def _code(text: str) -> str:
    """Return the statements of a source in a normal form, without comments and docstrings."""
    return ast.unparse(_WithoutDocstrings().visit(ast.parse(text)))


class _WithoutDocstrings(ast.NodeTransformer):
    """Drops statements that are only a string, and `pass`, which may replace a docstring."""

    @override
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_string = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_string else node

    @override
    def visit_Pass(self, node: ast.Pass) -> None:
        return None


OF_STACKS = {"usrsctp": ("testbed/contestants/compiled.py", "testbed/contestants/usrsctp.py")}
"""Files of stacks that are not defaults: only the versions of runs with these stacks depend on them."""

PACKAGE = Path(__file__).parents[1]
"""The folder of the package."""

PARTS = (
    "campaign/runners/runner.py",
    "emulation",
    "outputs.py",
    "programs.py",
    "quantity.py",
    "scenario",
    "testbed/congestion.py",
    "testbed/contestants",
    "testbed/emulation.py",
    "testbed/runner.py",
    "testbed/stacks.py",
)
"""Files and folders of the package that draw seeds, read networks, start programs and evaluate their reports."""
