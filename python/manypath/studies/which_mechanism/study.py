"""Which mechanism matters when: the five mechanisms of [D10] on paths with three kinds of asymmetry."""

from __future__ import annotations

from dataclasses import replace

from manypath.papers.experiment import Grid, Precision
from manypath.papers.paper import Paper, Setting
from manypath.studies.which_mechanism.figures import figure
from manypath.studies.which_mechanism.scenarios import ASYMMETRIES, CMT, MECHANISMS, ORDERS, experiment
from manypath.studies.which_mechanism.tables import TABLES

GRIDS: dict[str, Grid] = {
    "factorial": {"asymmetry": tuple(ASYMMETRIES), "ordered": tuple(ORDERS), **dict.fromkeys(MECHANISMS, (False, True))}
}
"""All combinations of mechanisms for every asymmetry and order: 192 cases."""

# Rates change over tens of seconds: in 90 of the 192 cases, those from 5 s to 20 s were not shown to be those of the
# whole run.
FULL = Precision(name="full", replications=20, trials=20, curves=0, warmup="19 s", measure="60 s", grids=GRIDS)
QUICK = replace(FULL, name="quick", replications=4, trials=4)

STUDY = Paper(
    name="which_mechanism",
    tag="",
    title="Which mechanism matters when",
    citation="",
    summary="Buffer splitting, NR-SACK, chunk rescheduling, smart fast retransmission and packet drop reports all help "
    "unequal paths, but each helps other paths. A full factorial experiment runs every combination of the five, on "
    "paths with different rates, errors or delays. It separates the effect of each mechanism alone from effects that "
    "need two mechanisms.",
    setup=(
        Setting("paths", "[D10]: two, 100 Mbit/s, 1 ms", "the same; the second path has one difference"),
        Setting("queues", "[D10]: RED 20/80/0.02", "the same"),
        Setting("messages", "[D10]: 1452 bytes", "the same"),
        Setting(
            "buffers",
            "[D10]: 250 and 125 kB; 2.5 and 1.25 MB over delay; ordered 2.5 and 2.5 MB",
            "the same",
            "so that the effects explain its figures 5 and 7",
        ),
        Setting(
            "congestion control",
            "[D10]: plain CMT and CMT/RP",
            "plain CMT",
            "the study is about mechanisms, not coupling",
        ),
    ),
    quick=QUICK,
    full=FULL,
    mutated=QUICK,
    experiments=experiment,
    figures=tuple(figure.all()),
    claims=(),
    tables=TABLES,
    flows=(CMT,),
)
