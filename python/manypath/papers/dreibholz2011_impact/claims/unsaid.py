"""Claims for sentences that had none: the rate of a window, plain CMT beside TCP, halved windows, small thresholds."""

from __future__ import annotations

from functools import partial

import numpy as np

from manypath.papers.check import Check
from manypath.papers.dreibholz import ALL, MPTCP, RPV1
from manypath.papers.dreibholz2011_impact.claims.register import claim
from manypath.papers.dreibholz2011_impact.claims.suspects import SETTINGS
from manypath.papers.dreibholz2011_impact.names import CMT, SINGLE
from manypath.papers.evidence import Evidence
from manypath.papers.history import READ_AGAIN, Added, Revised
from manypath.papers.predicates import below, near
from manypath.papers.traces import Trace, mean_or_nan
from manypath.papers.words import SIMILAR, SLIGHT
from manypath.rows import Outcome

PATHS = ("south", "north")


@claim(
    "C-000-38",
    place="II, equation 1",
    kind="theory",
    figure=5,
    says="A window of c bytes limits the rate to c over the round-trip time.",
    history=(
        Added(READ_AGAIN, "it holds"),
        Revised(
            READ_AGAIN,
            "the mean rate is below the mean of the window over the smoothed round-trip time",
            "the mean of the data in flight, which is the rate times the round-trip time, is below the mean window "
            "plus a packet",
            "equation 1 has the round-trip time, not its smoothed estimate, which stays high while a queue drains; and "
            "SCTP begins a packet if the window has any room (RFC 4960 section 6.1 B)",
            "contradicted",
        ),
    ),
)
def a_window_limits_the_rate(results: Evidence) -> Check:
    """Compare the mean data in flight with the mean window of each path (Little's law)."""
    excess = {
        (cc, path): results.of_outcomes(partial(_beyond_window, path=path), "figure5", cc=cc)
        for cc in ALL
        for path in PATHS
    }
    return below(excess, 1452.0, what="data in flight beyond the window", unit="bytes")


@claim(
    "C-000-39",
    place="III-A",
    kind="mechanism",
    figure=2,
    suspects=SETTINGS,
    says="Plain CMT behaves like a TCP flow on each of its paths.",
    history=(
        Added(READ_AGAIN, "contradicted; drop-tail queues punish the flow with fewer acknowledgements, as in C-000-4"),
    ),
)
def plain_cmt_behaves_like_tcp(results: Evidence) -> Check:
    """Compare the flow on a path that it shares with a TCP flow, of two disjoint paths, with that TCP flow."""
    on_shared = results.goodput_on("beside-tcp", CMT, "path1")
    tcp = results.goodput("beside-tcp", SINGLE)
    return near(on_shared / tcp, 1.0, within=SIMILAR, what="CMT on the shared path over TCP", unit="")


@claim(
    "C-000-40",
    place="III-C",
    kind="mechanism",
    figure=5,
    says="On a loss, MPTCP-like control halves the window of the path only, as standard SCTP does.",
    history=(Added(READ_AGAIN, "it holds"),),
)
def mptcp_like_halves_one_window(results: Evidence) -> Check:
    """Compare the depth of reductions on both paths with 1/2."""
    depths = {path: results.of_traces(partial(_depth, path=path), "figure5", cc=MPTCP) for path in PATHS}
    return near(depths, 0.5, within=0.05, what="part of the window removed by a loss", unit="")


@claim(
    "C-000-41",
    place="VI-B.1, VI-C",
    kind="mechanism",
    figure=3,
    says="The reason of the slow growth under CMT/RPv1: the slow-start threshold of the southern path is a small part "
    "of the sum.",
    history=(
        Added(READ_AGAIN, "it holds; windows of that run were known, thresholds were not"),
        Revised(
            READ_AGAIN,
            "less than half of the sum",
            "less than a quarter",
            "the text says small, for which all papers have 25 %",
            "holds",
        ),
    ),
)
def the_southern_threshold_is_small(results: Evidence) -> Check:
    """Require less than a quarter of the sum for the path with 5 of 5.25 Mbit/s."""
    part = results.of_traces(_threshold_of_the_south, "figure3-windows", cc=RPV1)
    return below(part, SLIGHT, what="threshold of the southern path", unit="of the sum")


def _beyond_window(outcome: Outcome, path: str) -> float:
    """Return the mean outstanding data of a path minus its mean window, bytes."""
    found = outcome["flows"][CMT]["paths"][path]
    return float(found["outstanding"] - found["cwnd"])


def _depth(trace: Trace, path: str) -> float:
    """Return the mean part of the window that fast retransmissions removed, after the first slow start."""
    return mean_or_nan(trace.paths[CMT, path].settled().fast_cut_depths())


def _threshold_of_the_south(trace: Trace) -> float:
    """Return the mean part of the southern threshold in the sum of both, while both paths have one."""
    south, north = (trace.paths[CMT, path].ssthresh for path in PATHS)
    known = np.isfinite(south) & np.isfinite(north)
    return mean_or_nan(south[known] / (south[known] + north[known]))
