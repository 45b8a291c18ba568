"""Ideal mode: a congestion control alone under given losses, as the square-root formulas assume."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manypath import _native
from manypath.arguments import control, items, seed_of, truth, whole
from manypath.errors import UserError, quoted
from manypath.quantity import SPAN, QuantityError
from manypath.refusal import told
from manypath.scenario.losses import Bernoulli
from manypath.stats import Interval, interval


@dataclass(frozen=True)
class IdealRates:
    """Sending rates of a connection under given losses.

    Attributes
    ----------
    paths : tuple of Interval
        Packets per second on each path, lost ones included: means over the runs with 95 % intervals.
    total : Interval
        Packets per second on all paths.
    settings : dict
        Arguments, seed and engine of the runs.
    """

    paths: tuple[Interval, ...]
    total: Interval
    settings: dict[str, Any]


def ideal(
    cc: str,
    losses: Sequence[float | str],
    rtts: str | Sequence[str],
    *,
    periodic: bool = False,
    packets: int = 1_000_000,
    runs: int = 8,
    seed: int = 1,
) -> IdealRates:
    """Run a congestion control alone, without network and protocol, under losses that do not depend on its rate.

    Each path sends one window per round-trip time, evenly spaced. A packet is lost or acknowledged at once. Losses
    reduce the window at most once per round-trip time. There are no timeouts, and the smallest window is one packet.

    Parameters
    ----------
    cc
        Congestion control by name.
    losses
        Probability of a loss on each path, above 0 and below 1.
    rtts
        Round-trip time of each path, such as ``["100 ms", "50 ms"]``; a single text applies to all paths.
    periodic
        Whether every 1/loss-th packet is lost instead of each with that probability.
    packets
        Packets that are counted in each run, all paths together. A warm-up of a tenth as many precedes them.
    runs
        Independent repetitions.
    seed
        Seed of all runs.

    Returns
    -------
    IdealRates
        Packets per second.

    Raises
    ------
    UserError
        If an argument is invalid.

    Examples
    --------
    >>> import manypath as mp
    >>> rates = mp.ideal("newreno", [0.001], "100 ms", periodic=True, runs=1, packets=100_000)
    >>> round(rates.total.mean)  # sqrt(3/2) / (0.1 sqrt(0.001)) = 387 packets/s
    387
    """
    losses = items("losses", losses, right := "one probability for each path, such as [0.001, 0.004]")
    if not losses:
        raise UserError(f"losses: is empty: give {right}")
    truth("periodic", periodic)
    runs = whole("runs", runs, "number of runs", least=1, below=MOST_RUNS + 1)
    packets = whole("packets", packets, "number of packets", least=1)
    seed = seed_of(seed)
    several = [rtts] * len(losses) if isinstance(rtts, str) else rtts
    times = items("rtts", several, 'one for each path, such as ["100 ms", "50 ms"]')
    if len(times) != len(losses):
        raise UserError(f"rtts: {len(times)} for {len(losses)} losses: give one for each path, or one for all")
    control("cc", cc)
    chances = [_probability(place, loss) for place, loss in enumerate(losses)]
    spans = [_span(place, time) for place, time in enumerate(times)]
    paths = [{"rtt": rtt, "loss": loss, "periodic": periodic} for rtt, loss in zip(spans, chances, strict=True)]
    document = json.dumps({"cc": cc, "paths": paths, "warmup": packets // 10, "packets": packets})
    try:
        rates = [_native.ideal_rates(document, seed, replication) for replication in range(runs)]
    except _native.ScenarioError as error:
        raise UserError(told(error)) from None
    settings = {
        "cc": cc,
        "losses": chances,
        "rtts": [SPAN.show(span) for span in spans],
        "periodic": periodic,
        "packets": packets,
        "runs": runs,
        "seed": seed,
        "engine": _native.engine_version(),
    }
    by_path = tuple(interval(list(values)) for values in zip(*rates, strict=True))
    return IdealRates(by_path, interval([sum(values) for values in rates]), settings)


def _probability(place: int, loss: Any) -> float:
    try:
        chance = Bernoulli(p=loss).p
    except UserError as error:
        raise UserError(str(error).replace("p:", f"losses[{place}]:", 1)) from None
    if not 0 < chance < 1:
        raise UserError(f"losses[{place}]: {loss} has no finite rate: give a probability above 0 and below 1")
    return chance


def _span(place: int, time: Any) -> int:
    try:
        if not isinstance(time, str):
            raise QuantityError(f'{quoted(time)} has no unit: write "100 ms"')
        span = SPAN.parse(time)
    except QuantityError as error:
        raise UserError(f"rtts[{place}]: {error}") from None
    if span == 0:
        raise UserError(f'rtts[{place}]: "{time}" is too short: give 1 ns or more')
    return int(span)


MOST_RUNS = 100_000
"""Largest number of repetitions."""
