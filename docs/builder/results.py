"""Runs the simulations whose tables are in the documentation, stores their results, and writes the tables.

`make results` runs all of them, `make results TABLE=name` only one. Results are stored in `docs/results/`, and a test
compares the pages with them.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from manypath import _native
from manypath.campaign import Campaign
from manypath.given_losses import ideal
from manypath.papers.evaluation import evaluate
from manypath.papers.paired import estimate
from manypath.papers.paper import Paper
from manypath.scenario import Link, Mptcp, Saturated, Scenario, disjoint
from manypath.theory import fluid

ROOT = Path(__file__).parents[2]
"""The root folder of the repository."""

STORED = ROOT / "docs/results"
"""One JSON file for each table."""

SEED = 1
"""Seed of all runs."""


@dataclass(frozen=True)
class Column:
    """A column with a measurement.

    Attributes
    ----------
    head : str
        Its heading.
    measure : callable
        Function that returns the value of one run from its outcome.
    variant : str
        The variant of the row's scenario that is measured.
    """

    head: str
    measure: Callable[[Mapping[str, Any]], float]
    variant: str = ""


@dataclass(frozen=True)
class Simulated:
    """A table of simulations of one scenario for each row, or of several variants of it.

    Attributes
    ----------
    page : str
        The page, below `docs`.
    heads : tuple of str
        Headings of the columns that name a row.
    rows : mapping
        For each row, its cells in these columns; the scenario of each variant.
    columns : tuple of Column
        The measurements.
    runs : int
        Replications of each scenario.
    """

    page: str
    heads: tuple[str, ...]
    rows: Mapping[tuple[str, ...], Mapping[str, Scenario]]
    columns: tuple[Column, ...]
    runs: int

    def compute(self) -> dict[str, Any]:
        """Run all scenarios, and return the table as data."""
        scenarios = {(row, variant): each for row, every in self.rows.items() for variant, each in every.items()}
        names = {str(key): key for key in scenarios}
        campaign = Campaign(
            lambda case: scenarios[names[case]], [{"case": name} for name in names], replications=self.runs, seed=SEED
        )
        results = campaign.run(store=None, title=self.page)
        outcomes: dict[Any, list[Mapping[str, Any]]] = {}
        for cell, outcome in results.outcomes:
            outcomes.setdefault(names[cell.factors["case"]], []).append(outcome)

        def entry(row: tuple[str, ...], column: Column) -> str:
            return estimate(np.array([column.measure(each) for each in outcomes[row, column.variant]], dtype=float))

        rows = [[*row, *(entry(row, column) for column in self.columns)] for row in self.rows]
        heads = [*self.heads, *(column.head for column in self.columns)]
        return _document(heads, rows, self.runs, campaign.runner.version, results.runs["digest"])


@dataclass(frozen=True)
class Studied:
    """A table of a study of our own, with quick precision.

    Attributes
    ----------
    page : str
        The page, below `docs`.
    study : Paper
        The study.
    name : str
        The name of its table.
    """

    page: str
    study: Paper
    name: str

    def compute(self) -> dict[str, Any]:
        """Run the study, and return the table as data."""
        part = evaluate([self.study], store=ROOT / "runs").papers[0]
        [(table, rows)] = [each for each in self.study.filled_tables(part.evidence) if each[0].name == self.name]
        runs = part.precision.replications
        return _document(table.head, rows, runs, part.engine, part.evidence.digests())


@dataclass(frozen=True)
class Idealised:
    """A table of congestion controls on paths with given losses: the fluid model beside ideal mode.

    Attributes
    ----------
    page : str
        The page, below `docs`.
    cases : tuple
        The congestion control, the losses and the round-trip times of each row.
    runs : int
        Runs of ideal mode.
    """

    page: str
    cases: tuple[tuple[str, tuple[float, ...], tuple[str, ...]], ...]
    runs: int

    def compute(self) -> dict[str, Any]:
        """Compute both models, and return the table as data. Rates are those of packets that arrive."""
        heads = ("control", "losses", "round-trip times", "fluid", "ideal mode")
        rows = []
        for cc, losses, rtts in self.cases:
            flow = Mptcp(paths=_names(losses), cc=cc, option_bytes="0 B", app=Saturated(message="1460 B"))
            ways = map(_way, losses, rtts)
            network = disjoint(**dict(zip(_names(losses), ways, strict=True)))
            scenario = Scenario(network=network, flows={"flow": flow}, warmup="1 s", measure="1 s")
            rates = fluid(scenario).equilibrium().goodput["flow"]
            found = ideal(cc, losses, list(rtts), runs=self.runs, seed=SEED)
            arrived = [
                f"{path.mean * (1.0 - loss):.0f} ± {path.half_width * (1.0 - loss):.0f}"
                for path, loss in zip(found.paths, losses, strict=True)
            ]
            rows.append(
                [
                    cc,
                    ", ".join(f"{loss * 100:g} %" for loss in losses),
                    ", ".join(rtts),
                    ", ".join(f"{rate:.0f}" for rate in rates),
                    ", ".join(arrived),
                ]
            )
        return _document(heads, rows, self.runs, _native.engine_version(), [row[-1] for row in rows])


def _names(losses: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"path{number}" for number in range(1, len(losses) + 1))


def _way(loss: float, rtt: str) -> tuple[Link, Link]:
    """Return both directions of a path that is never full."""
    link = Link(rate="1 Gbit/s", delay=f"{float(rtt.removesuffix(' ms')) / 2.0:g} ms", overhead=0)
    return link.but(loss=loss), link


def _document(
    heads: Iterable[str], rows: Iterable[Sequence[str]], runs: int, engine: str, digests: Iterable[str]
) -> dict[str, Any]:
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "engine": engine,
        "seed": SEED,
        "runs": runs,
        "digest": hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16],
        "heads": list(heads),
        "rows": [list(row) for row in rows],
    }


def block(name: str, found: Mapping[str, Any]) -> str:
    """Return the part of a page between the marks of a table, the marks included."""
    heads, rows = found["heads"], found["rows"]
    lines = [heads, ["---"] * len(heads), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    runs = (
        f"Means of {found['runs']} runs with 95 % intervals: engine `{found['engine']}`, seed {found['seed']}, "
        f"{found['date']}. `make results TABLE={name}` repeats them."
    )
    return f"<!-- begin: make results {name} -->\n\n{table}\n\n{runs}\n\n<!-- end -->"


def with_table(text: str, name: str, found: Mapping[str, Any]) -> str:
    """Return the text of a page with a new table between its marks."""
    marks = re.compile(rf"<!-- begin: make results {re.escape(name)} -->.*?<!-- end -->", re.DOTALL)
    new, count = marks.subn(lambda _: block(name, found), text)
    if count != 1:
        raise ValueError(f"the page has {count} places for the table {name}, not 1")
    return new


def stored(name: str) -> dict[str, Any]:
    """Return the stored results of a table."""
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))


def write(name: str, page: str) -> None:
    """Write the table of stored results into its page."""
    path = ROOT / "docs" / page
    path.write_text(with_table(path.read_text(encoding="utf-8"), name, stored(name)), encoding="utf-8")


def main(names: Sequence[str]) -> None:
    """Run, store and write the named tables, or all."""
    from simulations import TABLES

    for name in names or TABLES:
        found = TABLES[name].compute()
        text = json.dumps(found, ensure_ascii=False, indent=1)
        (STORED / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        write(name, TABLES[name].page)


if __name__ == "__main__":
    main(sys.argv[1:])
