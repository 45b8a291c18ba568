"""The Jupyter notebooks equal the marimo notebooks, run without marimo, and show their results."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest
from blocks import ROOT
from nbclient import NotebookClient

from lists import cases

sys.path.insert(0, str(ROOT / "docs/builder"))
from notebooks import notebook

SOURCES = sorted(ROOT.glob("examples/*.py"))

RESULTS = {"figure_in_ten_lines": "image/svg+xml", "second_path": "text/html", "share_of_a_bottleneck": "text/html"}
"""A text in the output of the last cell of each notebook."""

FIRST = "second_path"
"""The notebook that the gate runs under Jupyter. The long list runs the others, and the gate all of them as scripts."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_jupyter_notebook_equals_its_converted_source(source: Path):
    written = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert written == notebook(source.read_text(encoding="utf-8")), f"{source.name} has changed: make docs writes it"


@pytest.mark.parametrize(
    "source",
    cases(SOURCES, long=lambda source: source.stem != FIRST),
    ids=lambda path: path.stem,
)
def test_a_jupyter_notebook_runs_without_marimo_and_shows_its_result(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Jupyter must find only the kernel of this interpreter, and no settings of the user.
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    played = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    nbformat.validate(played)
    assert "marimo" not in "".join(cell.source for cell in played.cells)
    NotebookClient(played, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    results = [output for output in played.cells[-1].outputs if output.output_type == "execute_result"]
    assert [RESULTS[source.stem] in result.data for result in results] == [True]


def test_a_menu_becomes_a_variable_with_its_choices():
    source = """
@app.cell
def _(mo):
    queue = mo.ui.dropdown(["red", "drop-tail"], value="red", label="queue")
    mo.vstack([queue])
    return (queue,)


@app.cell
def _(queue):
    print(queue.value)
    return
"""
    cells = nbformat.reads(notebook(source), as_version=4).cells
    assert [cell.source for cell in cells] == ['queue = "red"  # queue: red or drop-tail', "print(queue)"]
