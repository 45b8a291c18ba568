"""Time to fail over: RTO.Max, Path.Max.Retrans and the potentially failed state of RFC 7829."""

from __future__ import annotations

from manypath.papers.evidence import Evidence
from manypath.papers.experiment import Grid, Precision
from manypath.papers.paired import estimate
from manypath.papers.paper import Paper, Setting, Table
from manypath.studies.failover.figures import RULES, figure
from manypath.studies.failover.scenarios import FILE, WAYS, end, experiment

LIMITS = (1, 4, 16, 60)
"""RTO.Max, s."""

RETRANSMISSIONS = (0, 1, 2, 3, 5)
"""Path.Max.Retrans."""

GRIDS: dict[str, Grid] = {
    "failover": {
        "concurrent": tuple(WAYS.values()),
        "rto_max": LIMITS,
        "retransmissions": RETRANSMISSIONS,
        "potentially_failed": tuple(RULES),
    },
    "undisturbed": {"concurrent": tuple(WAYS.values())},
}


def _delays(results: Evidence) -> list[tuple[str, ...]]:
    """Return by how much the failure delays the end of the transfer, for the constants that the RFCs recommend."""
    rows = []
    for way, concurrent in WAYS.items():
        undisturbed = results.of_outcomes(end, "undisturbed", concurrent=concurrent)
        for rule, words in RULES.items():
            for count in RETRANSMISSIONS:
                ends = results.of_outcomes(
                    end,
                    "failover",
                    concurrent=concurrent,
                    rto_max=60,
                    retransmissions=count,
                    potentially_failed=rule,
                )
                rows.append((way, words, str(count), estimate(ends), estimate(ends - undisturbed)))
    return rows


def _precision(name: str, replications: int) -> Precision:
    return Precision(
        name=name, replications=replications, trials=replications, curves=0, warmup="0 s", measure="400 s", grids=GRIDS
    )


QUICK, FULL = _precision("quick", 5), _precision("full", 40)

STUDY = Paper(
    name="failover",
    tag="",
    title="Time to fail over",
    citation="",
    summary="A path fails for good in the middle of a transfer. How long the transfer takes to end depends on how soon "
    "the sender gives the path up: on how often its timer may expire (Path.Max.Retrans), on how long the timer may "
    "become (RTO.Max), and on whether a path is avoided at its first error already (RFC 7829). Every transfer must "
    "end, with every byte.",
    setup=(
        Setting(
            "paths", "", "two of 10 Mbit/s and 10 ms, drop-tail queues of 50 packets", "equal, so only time is lost"
        ),
        Setting("transfer", "", "20 MB in ordered messages of 1452 bytes", "16.7 s over one path"),
        Setting("failure", "", "the first path, there and back, after 5 s", "in the middle of the transfer"),
        Setting("buffers", "", "250 kB at both ends", "five times what one path needs"),
        Setting("RTO.Initial, RTO.Min", "RFC 9260: 1 s", "1 s"),
        Setting(
            "Association.Max.Retrans", "RFC 9260: 10", "2 (Path.Max.Retrans + 1)", "not below what both paths need"
        ),
    ),
    quick=QUICK,
    full=FULL,
    mutated=QUICK,
    experiments=experiment,
    figures=tuple(figure.all()),
    claims=(),
    tables=(
        Table(
            "Ends and delays",
            "With RTO.Max of 60 s, as RFC 9260 recommends: when the transfer ends, and how much later than over paths "
            "that work; seconds with 95 % intervals.",
            ("paths", "rule", "Path.Max.Retrans", "end", "delay"),
            _delays,
        ),
    ),
    flows=(FILE,),
)
