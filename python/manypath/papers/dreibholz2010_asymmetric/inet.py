"""Goodput of the repaired INET 4.5.4 at one point of figure 4, from the table `inet_points.csv`."""

from __future__ import annotations

import csv
from functools import cache

from manypath.papers import kept
from manypath.papers.dreibholz2010_asymmetric.names import CMT, INETS, PLOTTED
from manypath.papers.paper import ReferencePoint, Spread

CAPACITY = 100
"""Capacity of the queues, packets."""


@cache
def inet_points() -> tuple[ReferencePoint, ...]:
    """Return INET's points, each once for each set of settings that is run here."""
    table = kept.file_of("dreibholz2010_asymmetric", "inet_points.csv").read_text("utf-8")
    rows = csv.DictReader(line for line in table.splitlines() if not line.startswith("#"))
    return tuple(_point(row, settings) for row in rows for settings in (PLOTTED, INETS))


def _point(row: dict[str, str], settings: str) -> ReferencePoint:
    rate = float(row["cmt"])
    factors = {**{name: row[name] for name in ("split", "by", "nr")}, "settings": settings}
    return ReferencePoint(experiment="figure4-inet", factors=factors, goodput={CMT: Spread(rate, rate, rate)})
