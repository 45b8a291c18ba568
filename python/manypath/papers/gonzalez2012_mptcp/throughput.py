"""Throughput at the senders: whole packets with data, including retransmissions, as in the paper."""

from __future__ import annotations

import numpy as np

from manypath.papers.evidence import Evidence, Level, Sample
from manypath.papers.gonzalez2012_mptcp.names import MPTCP, PATHS, RIVALS, SHEETS


def throughput(results: Evidence, experiment: str, flow: str, **factors: Level) -> Sample:
    """Return the throughput of a flow in each replication, Mbit/s."""
    return results.of_outcomes(lambda outcome: outcome["flows"][flow]["throughput"] / 1e6, experiment, **factors)


def throughput_on(results: Evidence, experiment: str, flow: str, path: str, **factors: Level) -> Sample:
    """Return the throughput of a flow on one of its paths in each replication, Mbit/s."""
    return results.of_outcomes(
        lambda outcome: outcome["flows"][flow]["paths"][path]["throughput"] / 1e6, experiment, **factors
    )


def beside(results: Evidence, number: int, flow: str, cc: str) -> Sample:
    """Return the throughput of a flow in a scenario with TCP cross traffic, Mbit/s."""
    return throughput(results, SHEETS[number].experiment, flow, cc=cc)


def subflow(results: Evidence, number: int, path: str, cc: str) -> Sample:
    """Return the throughput of a subflow in a scenario with TCP cross traffic, Mbit/s."""
    return throughput_on(results, SHEETS[number].experiment, MPTCP, path, cc=cc)


def single(results: Evidence, number: int, path: str) -> Sample:
    """Return the throughput of a TCP connection in place of the subflow, mean of the two connections there, Mbit/s."""
    both = [throughput(results, "single", flow, scenario=number, path=path) for flow in (MPTCP, RIVALS[path])]
    return np.mean(both, axis=0)


def links() -> list[tuple[int, str]]:
    """Return the number of each scenario with each of its links."""
    return [(number, path) for number in SHEETS for path in PATHS]
