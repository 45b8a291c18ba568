"""Time to fail over: RTO.Max, Path.Max.Retrans, the potentially failed state of RFC 7829, and buffers."""

from __future__ import annotations

from manypath.papers.evidence import Evidence
from manypath.papers.experiment import Grid, Precision
from manypath.papers.paired import estimate
from manypath.papers.paper import Paper, PaperTable, Setting
from manypath.studies.failover.figures import RULES, figure
from manypath.studies.failover.scenarios import FILE, WAYS, end, end_at_best, experiment

LIMITS = (1, 4, 16, 60)
"""RTO.Max, s."""

RETRANSMISSIONS = (0, 1, 2, 3, 5)
"""Path.Max.Retrans."""

BUFFERS = (125_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000)
"""Send and receive buffer, bytes."""

GRIDS: dict[str, Grid] = {
    "failover": {
        "concurrent": tuple(WAYS.values()),
        "rto_max": LIMITS,
        "retransmissions": RETRANSMISSIONS,
        "potentially_failed": tuple(RULES),
    },
    "buffers": {"buffer": BUFFERS, "ordered": (True, False), "potentially_failed": tuple(RULES)},
    "undisturbed": {"concurrent": tuple(WAYS.values())},
}


def _delays(results: Evidence) -> list[tuple[str, ...]]:
    """Return the ends and delays of the transfer, for the RTO.Max that RFC 9260 recommends."""
    rows = []
    for way, concurrent in WAYS.items():
        best = end_at_best(results, concurrent)
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
                rows.append((way, words, str(count), estimate(ends), estimate(ends - best)))
    return rows


def _ends_over_buffers(results: Evidence) -> list[tuple[str, ...]]:
    """Return the end of the transfer over both paths, for each buffer size."""

    def ends(size: int, ordered: bool, rule: int) -> str:
        return estimate(results.of_outcomes(end, "buffers", buffer=size, ordered=ordered, potentially_failed=rule))

    return [
        (f"{size / 1e6:g}", *(ends(size, ordered, rule) for ordered in (True, False) for rule in RULES))
        for size in BUFFERS
    ]


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
    summary="A path fails permanently during a transfer, and the sender detects the failure by timeouts. With RFC 9260 "
    "the sender tries the path again at every timeout, until their number exceeds Path.Max.Retrans: with the constants "
    "that the RFC recommends, this delays the transfer by about a minute. The use of both paths at once does not help: "
    "every timeout sends one new packet on the failed path, and with ordered delivery and small buffers this packet "
    "blocks the other path. With RFC 7829 the sender avoids the path after its first timeout, so the delay is about 1 "
    "s, the smallest RTO, for every Path.Max.Retrans and RTO.Max. Without RFC 7829 both paths at once reach this delay "
    "only with unordered messages, or with buffers that hold the rest of the transfer.",
    setup=(
        Setting(
            "paths",
            "",
            "two of 10 Mbit/s and 10 ms, drop-tail queues of 50 packets",
            "equal, so that only the delay matters",
        ),
        Setting(
            "transfer",
            "",
            "20 MB in ordered messages of 1452 bytes; in figure 2 also unordered",
            "16.7 s over one path",
        ),
        Setting("failure", "", "the first path, both directions, after 5 s", "during the transfer"),
        Setting(
            "buffers",
            "",
            "250 kB at both ends; in figure 2 up to 8 MB",
            "ten times the bandwidth-delay product of a path",
        ),
        Setting("RTO.Initial, RTO.Min", "RFC 9260: 1 s", "1 s"),
        Setting("PotentiallyFailed.Max.Retrans", "RFC 7829: 0", "0, or RFC 7829 off"),
        Setting("Association.Max.Retrans", "RFC 9260: 10", "2 (Path.Max.Retrans + 1)", "enough for both paths"),
    ),
    quick=QUICK,
    full=FULL,
    mutated=QUICK,
    experiments=experiment,
    figures=tuple(figure.all()),
    claims=(),
    tables=(
        PaperTable(
            "Ends and delays",
            "With RTO.Max of 60 s, as RFC 9260 recommends: end of the transfer, and delay compared with a sender that "
            "detects the failure immediately; seconds with 95 % intervals.",
            ("paths", "rule", "Path.Max.Retrans", "end", "delay"),
            _delays,
        ),
        PaperTable(
            "Ends over buffers",
            "Both paths at once, Path.Max.Retrans of 5 and RTO.Max of 60 s: end of the transfer, seconds with 95 % "
            "intervals.",
            (
                "buffers in MB",
                *(f"{order}, {words}" for order in ("ordered", "unordered") for words in RULES.values()),
            ),
            _ends_over_buffers,
        ),
    ),
    flows=(FILE,),
)
