"""Phase effects: whether goodputs on drop-tail queues depend on hosts that are exact to the nanosecond ([F92])."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from manypath.arguments import whole
from manypath.campaign.campaign import Campaign
from manypath.campaign.progress import Progress, check_progress
from manypath.campaign.reserved import check_columns
from manypath.campaign.results import Results, simulated
from manypath.errors import UserError
from manypath.quantity import RATE, SPAN
from manypath.scenario import DropTail, Link, Network, Path, Scenario, Sctp
from manypath.stats.compare import paired

if TYPE_CHECKING:
    import pandas as pd


def check_phase(
    results: Results,
    *,
    replications: int = 10,
    store: str | File | None = None,
    workers: int | None = None,
    progress: Progress | bool = False,
) -> pd.DataFrame:
    """Repeat some runs of a campaign with jitter at the hosts, and compare the goodputs.

    Simulated hosts are exact, so packets may arrive at a full drop-tail queue in the same order for seconds, and one
    flow then has most of the losses. The repeated runs have a random delay of each packet before the first link of its
    path, uniform up to the transmission time of one packet at the slowest full drop-tail queue of the path, in both
    directions. That removes phase effects.

    Parameters
    ----------
    results
        Results of simulations, or a part of them from `Results.select`. Scenarios in which no drop-tail queue dropped
        packets are left out.
    replications
        Number of replications, starting with the first, 2 or more.
    store
        Folder for the runs with jitter; None stores nothing.
    workers
        Number of threads; one for each core if None.
    progress
        As in `Campaign.run`.

    Returns
    -------
    DataFrame
        For each scenario and flow: ``exact`` and ``jittered``, the mean goodputs without and with jitter in Mbit/s;
        ``difference``, with jitter minus without, and ``half_width`` of its interval. All intervals together have a
        confidence of 95 % (Bonferroni). ``depends`` is True if the interval does not contain 0, and the difference is
        more than 2 % of the goodput: the jitter makes round-trip times a little longer, which changes it, too.

    Raises
    ------
    UserError
        If the results have no runs, are not simulations or have one replication, or a factor has the name of a column
        of this frame.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms", queue=mp.DropTail(packets=20)))
    >>> flows = {name: mp.Tcp(path="south", app=mp.Saturated(message="1460 B")) for name in ("a", "b")}
    >>> scenario = mp.Scenario(network=network, flows=flows, measure="5 s")
    >>> results = mp.Campaign(scenario, replications=3).run(store=None, progress=False)
    >>> mp.check_phase(results)[["flow", "exact", "jittered", "depends"]].round(2)
      flow  exact  jittered  depends
    0    a   2.50      2.54    False
    1    b   2.35      2.30    False
    """
    import pandas as pd

    simulated("check_phase", results, "repeated with jitter")
    check_columns("check_phase", results.factors, COLUMNS)
    most = whole("replications", replications, "number of repetitions", least=FEWEST)
    check_progress(progress)
    scenarios = [(factors, part, _jittered(part)) for factors, part in results.by_scenario()]
    full = [(factors, part, scenario) for factors, part, scenario in scenarios if scenario is not None]
    if not full:
        return pd.DataFrame(columns=[*results.factors, "flow", *COLUMNS])
    runs = min(most, *(len(part) for _, part, _ in full))
    if runs < FEWEST:
        raise UserError("check_phase: a scenario has one replication, so no interval: give results with 2 or more")
    seed = full[0][1].outcomes[0][0].seed
    campaign = Campaign(
        lambda scenario: full[scenario][2], {"scenario": list(range(len(full)))}, replications=runs, seed=seed
    )
    found = campaign.run(store, workers, progress, title="with jitter")
    return _compared(full, found, runs)


def _compared(full: list[tuple[Mapping[str, Any], Results, Scenario]], found: Results, runs: int) -> pd.DataFrame:
    """Return the frame of `check_phase`."""
    import pandas as pd

    pairs = [(number, factors, part, flow) for number, (factors, part, each) in enumerate(full) for flow in each.flows]
    rows: list[dict[str, Any]] = []
    for number, factors, part, flow in pairs:
        exact = part.values("goodput", flow=flow).iloc[:runs].to_numpy()
        jittered = found.values("goodput", scenario=number, flow=flow).to_numpy()
        difference = paired(jittered, exact, 1 - (1 - CONFIDENCE) / len(pairs)).difference
        depends = abs(difference.mean) > max(difference.half_width, LEAST * exact.mean())
        means = {"exact": exact.mean(), "jittered": jittered.mean(), "difference": difference.mean}
        rows.append({**factors, "flow": flow, **means, "half_width": difference.half_width, "depends": bool(depends)})
    return pd.DataFrame(rows)


def _jittered(part: Results) -> Scenario | None:
    """Return the scenario of these results with jitter; None if no drop-tail queue was full."""
    scenario = Scenario.from_document(json.loads(part.outcomes[0][0].document))
    dropped = part.links.groupby("link")["dropped"].max()
    full = {
        name
        for name, link in scenario.network.links.items()
        if isinstance(link.queue, DropTail) and dropped.get(name, 0) > 0
    }
    network = scenario.network
    packets = {
        path: max([_packet(flow) for flow in scenario.flows.values() if path in flow.paths], default=0)
        for path in network.paths
    }
    crossed = {name for name, path in network.paths.items() if full & {*path.forward, *path.reverse} and packets[name]}
    if not crossed:
        return None
    return scenario.but(network=_with_jitter(network, {name: packets[name] for name in crossed}, full))


def _with_jitter(network: Network, packets: Mapping[str, int], full: Iterable[str]) -> Network:
    """Return the network with a link of random delay before the first core link of paths, in both directions."""
    fast = RATE.show(max(RATE.parse("1 Gbit/s"), *(10 * link.rate for link in network.links.values())))
    links, paths = dict(network.links), dict(network.paths)
    for name, packet in packets.items():
        path = network.paths[name]
        slowest = min((links[each] for each in {*path.forward, *path.reverse} & {*full}), key=lambda link: link.rate)
        longest = round(8e9 * (packet + slowest.overhead) / slowest.rate)
        wire = Link(rate=fast, jitter=SPAN.show(longest), queue=DropTail(packets=ROOM), overhead="0 B")
        own = [_free(f"{name}: jitter {way}", links) for way in ("there", "back")]
        links |= dict.fromkeys(own, wire)
        paths[name] = Path(forward=(own[0], *path.forward), reverse=(own[1], *path.reverse))
    return Network(links=links, paths=paths, access=network.access)


def _packet(flow: Any) -> int:
    """Return the size of a full packet of a flow, bytes."""
    return flow.mtu if isinstance(flow, Sctp) else flow.mss + HEADERS


def _free(name: str, taken: Mapping[str, Link]) -> str:
    return name if name not in taken else _free(f"{name}'", taken)


COLUMNS = ("exact", "jittered", "difference", "half_width", "depends")
"""Columns of the check beside the factors and the flow."""

FEWEST = 2
"""Smallest number of replications with an interval."""

CONFIDENCE = 0.95
"""Confidence of all intervals together."""

LEAST = 0.02
"""Smallest change of a goodput that is reported, as a share of it."""

HEADERS = 40
"""IP and TCP headers without options, bytes."""

ROOM = 10_000
"""Limit of the queues before the jitter, packets: they are never full."""
