"""Goodput of the repaired INET 4.5.4 at points of this paper, from the table `inet_points.csv`."""

from __future__ import annotations

import csv
from functools import cache

from manypath.papers import kept
from manypath.papers.dreibholz import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.dreibholz2011_impact.names import CMT, SINGLE
from manypath.papers.paper import ReferencePoint, Spread

CONTROLS = {"cmt": PLAIN, "cmtrpv1": RPV1, "cmtrpv2": RPV2, "lia": MPTCP}
"""The controls by their names in INET. Its `off` is not a multipath control and is not used."""


@cache
def inet_points() -> tuple[ReferencePoint, ...]:
    """Return INET's points; there all gap acknowledgements are non-renegable at once, as in the paper."""
    lines = kept.file_of("dreibholz2011_impact", "inet_points.csv").read_text("utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return tuple(_point(row) for row in rows)


def _point(row: dict[str, str]) -> ReferencePoint:
    experiment = row["experiment"]
    factor = "south" if experiment == "figure4-left" else "paths"
    level = float(row["level"]) if factor == "south" else int(row["level"])
    return ReferencePoint(
        experiment=experiment,
        factors={"cc": CONTROLS[row["cc"]], factor: level},
        goodput={
            flow: Spread(float(row[column]), float(row[f"{column}_min"]), float(row[f"{column}_max"]))
            for flow, column in ((CMT, "cmt"), (SINGLE, "single"))
        },
    )
