"""Tables of simulations on pages are those of the stored results."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

import pytest
from blocks import ROOT, pages

from manypath.anchors.table import RATES

RESULTS = ROOT / "docs/results"

MARKED = re.compile(r"<!-- begin: make results (?P<name>\S+) -->.*?<!-- end -->", re.DOTALL)
"""A table that `make results` wrote."""


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module `docs/builder/results.py`."""
    monkeypatch.syspath_prepend(ROOT / "docs/builder")
    return importlib.import_module("results")


def tables() -> dict[str, str]:
    """Return every marked part of all pages by the name of its table."""
    return {found["name"]: found[0] for page in pages() for found in MARKED.finditer(page.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("name", sorted(path.stem for path in RESULTS.glob("*.json")))
def test_a_table_on_a_page_is_that_of_its_stored_results(name: str, results: ModuleType):
    assert tables()[name] == results.block(name, results.stored(name))


@pytest.mark.usefixtures("results")
def test_every_table_has_a_simulation_and_stored_results():
    simulations = importlib.import_module("simulations").TABLES
    assert set(simulations) == set(tables()) == {path.stem for path in RESULTS.glob("*.json")}
    for name, table in simulations.items():
        assert f"make results {name} -->" in (ROOT / "docs" / table.page).read_text(encoding="utf-8")


def test_the_shares_of_unequal_paths_are_those_of_the_anchors():
    page = (ROOT / "docs/explanation/congestion-controls.md").read_text(encoding="utf-8")
    found = re.search(r"^\| (`ewtcp` .*) \|\n\|[-| ]+\|\n\| (.*) \|$", page, re.MULTILINE)
    assert found is not None
    shown = dict(zip(found[1].replace("`", "").split(" | "), found[2].split(" | "), strict=True))
    rates = {name: RATES[name]["0.1%+0.4%"] for name in shown}
    assert shown == {
        name: f"{better / (better + worse):.0%}".replace("%", " %") for name, (better, worse) in rates.items()
    }


def test_a_table_is_written_between_its_marks_only(results: ModuleType):
    found = {"date": "2026-11-25", "engine": "e", "seed": 1, "runs": 3, "heads": ["a"], "rows": [["1 ± 0"]]}
    page = results.with_table("before\n<!-- begin: make results t -->old<!-- end -->\nafter", "t", found)
    assert page.startswith("before\n<!-- begin: make results t -->\n\n| a |\n| --- |\n| 1 ± 0 |\n\nMeans of 3 runs")
    assert page.endswith("<!-- end -->\nafter")
    assert "old" not in page


def test_a_page_without_the_marks_is_refused(results: ModuleType):
    with pytest.raises(ValueError, match="0 places for the table t"):
        results.with_table("a page", "t", {})
