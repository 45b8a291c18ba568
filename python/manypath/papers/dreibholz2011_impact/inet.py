"""Goodput measured with INET 4.5.4, repaired, at points of this paper; read from a table beside this file."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from manypath.papers.dreibholz2011_impact.names import MPTCP, PLAIN, RPV1, RPV2
from manypath.papers.paper import Point

CONTROLS = {"cmt": PLAIN, "cmtrpv1": RPV1, "cmtrpv2": RPV2, "lia": MPTCP}
"""INET's names of the controls. Its `off` is no multipath control, and not used."""


@cache
def inet_points() -> tuple[Point, ...]:
    """Return the points whose gap acknowledgements count as non-renegable at once, as the paper describes."""
    lines = files("manypath.papers.dreibholz2011_impact").joinpath("inet_points.csv").read_text("utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return tuple(_point(row) for row in rows)


def _point(row: dict[str, str]) -> Point:
    experiment = row["experiment"]
    factor = "south" if experiment == "figure4-left" else "paths"
    level = float(row["level"]) if factor == "south" else int(row["level"])
    return Point(
        experiment=experiment,
        factors={"cc": CONTROLS[row["cc"]], factor: level},
        multipath=float(row["cmt"]),
        single=float(row["single"]),
        multipath_range=(float(row["cmt_min"]), float(row["cmt_max"])),
        single_range=(float(row["single_min"]), float(row["single_max"])),
    )
