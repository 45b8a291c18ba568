"""Converts each marimo notebook of examples/ to a Jupyter notebook: `make docs`.

A Jupyter notebook needs no marimo. Texts become Markdown cells. Each slider or menu becomes a variable with the initial
value, which the user can edit.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
"""The folder of the notebooks."""


def notebook(source: str) -> str:
    """Return the Jupyter notebook of a marimo notebook's source, as JSON."""
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    cells = [cell for function in functions for cell in _cells(source, function)]
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cells(source: str, function: ast.FunctionDef) -> list[dict[str, Any]]:
    """Return the Jupyter cells of one marimo cell: its text if it has one, then its code."""
    lines = source.splitlines()
    texts: list[str] = []
    code: list[str] = []
    line = function.body[0].lineno
    for statement in function.body:
        end = statement.end_lineno or statement.lineno
        # Include comments and blank lines above the statement.
        segment = "\n".join(lines[line - 1 : end])
        line = end + 1
        text = _text(statement)
        if text is not None:
            texts.append(text)
        elif not _is_for_marimo(statement):
            code.append(_plain(segment, statement))
    joined = textwrap.dedent("\n".join(code)).strip()
    return [*map(_text_cell, texts), *([_code_cell(joined)] if joined else [])]


def _text(statement: ast.stmt) -> str | None:
    """Return the text of a call of `mo.md`, or None for another statement."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="md"), args=[ast.Constant(value=str(text))])):
            return textwrap.dedent(text).strip()
    return None


def _is_for_marimo(statement: ast.stmt) -> bool:
    """Return whether a statement is specific to marimo: imports of marimo, layouts, the returned names of a cell."""
    match statement:
        case ast.Import(names=[ast.alias(name="marimo")]) | ast.Return():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="mo")))):
            return True
    return False


def _plain(segment: str, statement: ast.stmt) -> str:
    """Return code with sliders and menus replaced by their initial value, and their label as a comment."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function) as call):
            if ast.unparse(function).startswith("mo.ui."):
                return " " * statement.col_offset + f"{name} = {_beginning(call)}"
    return re.sub(r"\b([a-z]\w*)\.value\b", r"\1", segment)


def _beginning(call: ast.Call) -> str:
    """Return the initial value of a slider or menu, with its label, and choices of a menu, as a comment."""
    arguments = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    choices = ast.literal_eval(call.args[0])
    label = f"{arguments['label']}: {' or '.join(choices)}" if isinstance(choices, list) else arguments["label"]
    return f"{json.dumps(arguments['value'])}  # {label}"


def _text_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code_cell(code: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": "",
        "metadata": {},
        "outputs": [],
        "source": code.splitlines(keepends=True),
    }


if __name__ == "__main__":
    for path in sorted(EXAMPLES.glob("*.py")):
        path.with_suffix(".ipynb").write_text(notebook(path.read_text(encoding="utf-8")), encoding="utf-8")
