"""Each example in a docstring of the package prints what it shows, and each part of the API has an example.

An example runs as a user pastes it: it imports what it needs. It leaves no files.
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from blocks import ROOT

import manypath as mp

DEFINITIONS = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

WITHOUT = {
    "manypath.dask": "needs a cluster",
    "manypath.figures.draw_curves": "a part of figures of papers",
    "manypath.figures.name_curves": "a part of figures of papers",
    "manypath.figures.printed_handle": "a part of figures of papers",
    "manypath.figures.windows": "a figure of papers; `course` has an example for runs",
    "manypath.papers.evaluate": "its shortest runs take a second",
    "manypath.sctp.Association": "the example of `connect` has one",
    "manypath.sctp.Endpoint": "the example of `listen` has one",
    "manypath.sctp.Events": "a result of `Association.events`",
    "manypath.sctp.Listener": "a result of `listen`",
}
"""Functions and classes of the API without an example, with the reason."""


def docstrings(node: ast.Module | DEFINITIONS, name: str) -> Iterator[tuple[str, str, int]]:
    """Iterate over the docstrings of a module or a definition: qualified name, text and line, from 0."""
    if text := ast.get_docstring(node):
        yield name, text, node.body[0].lineno - 1
    for inner in node.body:
        if isinstance(inner, DEFINITIONS):
            yield from docstrings(inner, f"{name}.{inner.name}")


def examples() -> list[doctest.DocTest]:
    """Return the docstrings with examples. No module is imported, so that all kinds of properties are found."""
    found: list[doctest.DocTest] = []
    parser = doctest.DocTestParser()
    package = ROOT / "python/manypath"
    for file in sorted(package.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if ">>> " in source:
            module = ".".join(file.relative_to(package).with_suffix("").parts)
            for name, text, line in docstrings(ast.parse(source), module):
                example = parser.get_doctest(text, {"__name__": "__main__"}, name, str(file), line)
                if example.examples:
                    found.append(example)
    return found


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_prints_what_it_shows(example: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert any(step.want for step in example.examples), "it shows no output"
    assert not any(doctest.SKIP in step.options for step in example.examples), "it does not run"
    # Without `verbose` doctest reads the options of pytest.
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    failed, _ = runner.run(example, out=report.append)
    assert not failed, "".join(report)
    assert not list(tmp_path.iterdir()), "it leaves files"


def test_each_function_and_class_of_the_api_has_an_example():
    without: set[str] = set()
    for module in (mp, mp.figures, mp.papers, mp.sctp, mp.stats, mp.theory):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isroutine(value) and (not inspect.isclass(value) or issubclass(value, BaseException)):
                continue
            # Records of the modules are arguments and results of functions, whose examples have them.
            is_record = module is not mp and dataclasses.is_dataclass(value)
            if not is_record and ">>> " not in (value.__doc__ or ""):
                without.add(f"{module.__name__}.{name}")
    assert without == WITHOUT.keys()
