"""Goodput measured with INET 4.5.4, repaired, at points of this paper; read from a table beside this file."""

from __future__ import annotations

import csv
from functools import cache

from manypath.papers import kept
from manypath.papers.dreibholz2011_impact.names import CMT, MPTCP, PLAIN, RPV1, RPV2, SINGLE
from manypath.papers.paper import Point, Spread

CONTROLS = {"cmt": PLAIN, "cmtrpv1": RPV1, "cmtrpv2": RPV2, "lia": MPTCP}
"""INET's names of the controls. Its `off` is no multipath control, and not used."""


@cache
def inet_points() -> tuple[Point, ...]:
    """Return the points whose gap acknowledgements count as non-renegable at once, as the paper describes."""
    lines = kept.file_of("dreibholz2011_impact", "inet_points.csv").read_text("utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return tuple(_point(row) for row in rows)


def _point(row: dict[str, str]) -> Point:
    experiment = row["experiment"]
    factor = "south" if experiment == "figure4-left" else "paths"
    level = float(row["level"]) if factor == "south" else int(row["level"])
    return Point(
        experiment=experiment,
        factors={"cc": CONTROLS[row["cc"]], factor: level},
        goodput={
            flow: Spread(float(row[column]), float(row[f"{column}_min"]), float(row[f"{column}_max"]))
            for flow, column in ((CMT, "cmt"), (SINGLE, "single"))
        },
    )
