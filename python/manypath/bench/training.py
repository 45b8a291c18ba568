"""`python -m manypath.bench.training`: short runs for the profile-guided build, which counts branches and calls.

`make profile` runs this module; the compiler uses the counts to optimise the release build. So these runs affect the
speed of the engine, not its results. A row of the benchmark and a case of a paper have about the same weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from manypath import _native
from manypath.bench.rows import ROWS
from manypath.papers import registry
from manypath.scenario import Scenario


def training() -> Iterator[Scenario]:
    """Iterate over shortened rows of the benchmark, and a selection of the cases of each paper and study."""
    for row in ROWS.values():
        whole = row()
        yield whole.but(measure=f"{whole.measure // CUT} ns")
    for paper in registry().values():
        cases = list(paper.experiments.cases(paper.quick))
        spread = islice(cases, 0, None, max(1, len(cases) // PER_PAPER))
        yield from (paper.experiments.scenario(case, paper.quick) for case in spread)


CUT = 20
"""Divisor of the measured time of the rows; each then takes a few tenths of a second."""

PER_PAPER = 16
"""Approximate number of cases of each paper."""

if __name__ == "__main__":
    for scenario in training():
        _native.run(scenario.document(), 1, 0)
