"""`python -m manypath.bench.training` runs a little of everything, while a training build counts branches and calls.

`make profile` does it; the release build is then laid out by the counts. So what is run here decides how fast the
engine is, never what it computes. A row of the benchmark and a case of a paper weigh about the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from manypath import _native
from manypath.bench.rows import ROWS
from manypath.papers import registry
from manypath.scenario import Scenario


def training() -> Iterator[Scenario]:
    """Iterate over each row of the benchmark, cut short, and a spread of each paper's and study's cases."""
    for row in ROWS.values():
        whole = row()
        yield whole.but(measure=f"{whole.measure // CUT} ns")
    for paper in registry().values():
        cases = list(paper.experiments.cases(paper.quick))
        spread = islice(cases, 0, None, max(1, len(cases) // PER_PAPER))
        yield from (paper.experiments.scenario(case, paper.quick) for case in spread)


CUT = 20
"""By how much the rows are cut: each then takes a few tenths of a second."""

PER_PAPER = 16
"""About so many cases of each paper."""

if __name__ == "__main__":
    for scenario in training():
        _native.run(scenario.document(), 1, 0)
