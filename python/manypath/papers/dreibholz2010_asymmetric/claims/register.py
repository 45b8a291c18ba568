"""The decorator that registers this paper's claims, and functions that read payload rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from manypath.papers.claim import Claims
from manypath.papers.dreibholz2010_asymmetric.names import CMT, LOSSY
from manypath.papers.evidence import Evidence, Level, Sample

claim = Claims()


DROP_TAIL = "splitting behind drop-tail queues"
ALMOST_EQUAL_PATHS = "CMT/RP on almost symmetric paths"
GROWTH_OF_RP = "growth of windows under CMT/RP"
ORDERED_TRANSFER = "mechanisms for ordered transfer"
"""Facts, each of several claims."""


def rate(results: Evidence, experiment: str, **factors: Level) -> Sample:
    """Return the payload rate of the flow in each replication, Mbit/s."""
    return results.goodput(experiment, CMT, **factors)


def rates(
    results: Evidence, experiment: str, over: Mapping[str, Iterable[Level]], **factors: Level
) -> dict[tuple[Level, ...], Sample]:
    """Return the payload rate of the flow at every combination of the factors in `over`, Mbit/s."""
    return {
        levels: rate(results, experiment, **factors, **dict(zip(over, levels, strict=True)))
        for levels in product(*over.values())
    }


def along(results: Evidence, experiment: str, factor: str, **factors: Level) -> dict[float, Sample]:
    """Return the payload rate of the flow at each level of one factor, Mbit/s."""
    return {
        level: rate(results, experiment, **factors, **{factor: level}) for level in results.levels(experiment, factor)
    }


def counted(results: Evidence, counter: str, experiment: str, **factors: Level) -> Sample:
    """Return a counter of the flow in each replication."""
    return results.of_outcomes(lambda outcome: float(outcome["flows"][CMT][counter]), experiment, **factors)


def lossy(results: Evidence, experiment: str) -> list[float]:
    """Return the bit error rates of an experiment with frequent losses."""
    return results.levels(experiment, "errors", lambda errors: errors >= LOSSY)
