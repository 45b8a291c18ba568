"""Measurement beside simulation: the same scenarios, run by both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from manypath.campaign import Campaign, Results
from manypath.campaign.runners import SIMULATOR, Runner
from manypath.scenario import Scenario
from manypath.testbed.congestion import loaded
from manypath.testbed.runner import Testbed
from manypath.testbed.verdict import judge


@dataclass(frozen=True)
class Row:
    """One number, measured and simulated.

    Attributes
    ----------
    cc : str
        The congestion control.
    flow : str
        Whose goodput it is, in Mbit/s; ``share`` is the first flow's over the second's.
    measured, simulated : float
        Means over the runs.
    measured_half_width, simulated_half_width : float
        Of their 95 % intervals; not a number after one run.
    within : bool
        Whether both are equivalent within 10 % of what is simulated: two one-sided tests, 5 %.
    runs, simulations : int
        Repetitions of each.
    marked : int
        Measured runs that say that they are not to be trusted.
    """

    cc: str
    flow: str
    measured: float
    measured_half_width: float
    simulated: float
    simulated_half_width: float
    within: bool
    runs: int
    simulations: int
    marked: int

    @property
    def ratio(self) -> float:
        """Measured over simulated; not a number if nothing is simulated to arrive."""
        return self.measured / self.simulated if self.simulated else float("nan")


def beside(
    scenario: Callable[[str], Scenario],
    controls: Sequence[str],
    *,
    runs: int = 10,
    simulations: int | None = None,
    seed: int = 1,
    store: str | Path | None = "runs",
    at_once: int = 1,
    tries: int = 1,
) -> list[Row]:
    """Run scenarios on the kernel's own stacks and in the simulator, and set the goodput of their flows side by side.

    Parameters
    ----------
    scenario
        A function that makes a scenario of the name of a congestion control, ``cc``.
    controls
        These names; the kernel gets what it lacks meanwhile.
    runs
        Repetitions of each on the kernel.
    simulations
        Repetitions in the simulator, which is so much faster; as many if None.
    seed
        With the repetition it fixes the chance of links and starts; a kernel has chance of its own.
    store
        Folder of results; None keeps nothing.
    at_once
        Measurements that go on side by side; more than the machine bears make packets late, and runs say so.
    tries
        How often a run is measured until it does not say so; the last time counts.

    Returns
    -------
    list of Row
        One for each control and flow, and one for the share where there are two flows.

    Raises
    ------
    UserError
        If the kernel cannot run a scenario, or a program of the testbed is not installed.
    """

    def campaign(runner: Runner, replications: int) -> Campaign:
        return Campaign(scenario, {"cc": list(controls)}, replications=replications, seed=seed, runner=runner)

    # The kernel gets congestion controls where it plays a flow.
    transports = {flow.transport for cc in controls for flow in scenario(cc).flows.values()}
    with loaded(controls if transports & KERNEL_PLAYS else ()):
        measured = campaign(Testbed(tries), runs).run(store, at_once, title="measured")
    simulated = campaign(SIMULATOR, simulations or runs).run(store, title="simulated")
    return [row for cc in controls for row in _rows(cc, measured.select(cc=cc), simulated.select(cc=cc))]


def _rows(cc: str, measured: Results, simulated: Results) -> Iterator[Row]:
    """The rows of a congestion control."""
    flows = list(dict.fromkeys(measured.flows["flow"]))
    samples = {flow: _goodput(measured, simulated, flow) for flow in flows}
    if len(flows) == PAIR:
        first, second = samples.values()
        samples["share"] = (first[0] / second[0], first[1] / second[1])
    marked = int((measured.runs["marks"] != "").sum())
    for flow, (ours, theirs) in samples.items():
        verdict = judge(ours, theirs)
        yield Row(
            cc=cc,
            flow=flow,
            measured=verdict.measured,
            measured_half_width=verdict.measured_half_width,
            simulated=verdict.simulated,
            simulated_half_width=verdict.simulated_half_width,
            within=verdict.word == "equivalent",
            runs=len(ours),
            simulations=len(theirs),
            marked=marked,
        )


def _goodput(measured: Results, simulated: Results, flow: str) -> tuple[np.ndarray, np.ndarray]:
    return measured.values("goodput", flow=flow).to_numpy(), simulated.values("goodput", flow=flow).to_numpy()


KERNEL_PLAYS = frozenset({"tcp", "mptcp"})
"""Transports of the kernel's own stacks."""

PAIR = 2
"""The number of flows for which a share is computed."""
