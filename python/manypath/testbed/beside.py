"""The same scenarios, measured on real stacks and simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from manypath.arguments import MOST_SIMULATIONS, each_once, function, of_kind, texts, whole
from manypath.campaign import Campaign, Results
from manypath.campaign.runners import SIMULATOR, Runner
from manypath.errors import UserError, quoted
from manypath.scenario import Scenario
from manypath.testbed.congestion import loaded
from manypath.testbed.runner import Testbed
from manypath.testbed.stacks import assigned, at_once_of, check_flows, runs_of
from manypath.testbed.verdict import judge


@dataclass(frozen=True)
class MeasuredQuantity:
    """The goodput of a flow, or the share of two flows, measured and simulated.

    Attributes
    ----------
    cc : str
        The congestion control.
    flow : str
        The name of the flow; ``share`` is the goodput of the first flow divided by that of the second flow.
    measured, simulated : float
        Means over the runs: goodput in Mbit/s, or the share.
    measured_half_width, simulated_half_width : float
        Half widths of their 95 % confidence intervals; NaN after one run.
    within : bool
        Whether both are equivalent within 10 % of the simulated mean: two one-sided tests at 5 %.
    runs, simulations : int
        Numbers of measured and simulated runs.
    marked : int
        Number of measured runs with marks. These runs are unreliable.
    stack : str
        The stack that ran the flow; empty for ``share``.
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
    stack: str = ""

    @property
    def ratio(self) -> float:
        """Measured divided by simulated mean; NaN if the simulated mean is 0."""
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
    stacks: Mapping[str, str] | None = None,
    events: str | PathLike[str] | None = None,
    checked: Callable[[], object] | None = None,
) -> list[MeasuredQuantity]:
    """Run scenarios on real stacks and in the simulator, and compare the goodput of their flows.

    Parameters
    ----------
    scenario
        A function that returns the scenario for the name of a congestion control, ``cc``.
    controls
        Names of congestion controls; those that the kernel lacks are loaded during the measurement.
    runs
        Measured runs of each scenario.
    simulations
        Simulated runs of each scenario; equal to `runs` if None.
    seed
        Seed of links and of starting times, together with the number of the run. Stacks have their own random numbers.
    store
        Folder of results; with None results are not stored.
    at_once
        Number of concurrent measurements. If the machine is overloaded, packets are late and runs are marked.
    tries
        The largest number of measurements of a run that has marks; the last measurement counts.
    stacks
        The stack of each flow, as for `Testbed`.
    events
        Folder for the events of each run, as for `Testbed`; needs `at_once` 1.
    checked
        Called after all scenarios were found valid and before the first measurement, for example for a calibration.

    Returns
    -------
    list of MeasuredQuantity
        One row for each control and flow, and one row for the share if there are two flows.

    Raises
    ------
    UserError
        If an argument is invalid, a stack cannot run its flow, or a program of the testbed is not installed.
    """

    def campaign(runner: Runner, replications: int) -> Campaign:
        return Campaign(scenario, {"cc": list(controls)}, replications=replications, seed=seed, runner=runner)

    controls = _named(controls)
    at_once_of(at_once)
    runs_of("runs", runs)
    if simulations is not None:
        whole("simulations", simulations, "number of runs", least=1, below=MOST_SIMULATIONS + 1)
    if events is not None and at_once > 1:
        raise UserError(f"events: are those of one run at a time, but at_once is {at_once}: give 1")
    if not callable(scenario):
        raise UserError(
            f"scenario: {quoted(scenario)} cannot be called: give a function of a congestion control's name"
        )
    function("checked", checked, "no argument")
    runner = Testbed(tries, stacks, events=events)
    run_by, kernel_controls = _stacks(scenario, controls, runner.stacks)
    measurements = campaign(runner, runs)
    with loaded(kernel_controls):
        runner.prepare(measurements.cells, at_once)
        if checked is not None:
            checked()
        measured = measurements.run(store, at_once, title="measured")
    simulated = campaign(SIMULATOR, simulations or runs).run(store, title="simulated")
    return [row for cc in controls for row in _rows(cc, measured.select(cc=cc), simulated.select(cc=cc), run_by)]


def _named(controls: Sequence[str]) -> list[str]:
    """Return the names of congestion controls; raise `UserError` if there are none, or one is given twice."""
    names = texts("controls", controls, "names of congestion controls")
    if not names:
        raise UserError("controls: is empty: give one or more names of congestion controls")
    each_once("controls", names, "congestion control")
    return names


def _stacks(
    scenario: Callable[[str], Scenario], controls: Sequence[str], chosen: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the stack of each flow, and the congestion controls of the flows that the kernel runs."""
    made = [of_kind("scenario", scenario(cc), Scenario, "a function that returns one") for cc in controls]
    scenarios = [
        {name: {"transport": flow.transport, "cc": flow.cc} for name, flow in each.flows.items()} for each in made
    ]
    check_flows(chosen, scenarios)
    run_by, kernel_controls = {}, []
    for flows in scenarios:
        for name, contestant in assigned(chosen, flows).items():
            run_by[name] = contestant.name
            if contestant.name == KERNEL:
                kernel_controls.append(flows[name]["cc"])
    return run_by, kernel_controls


def _rows(cc: str, measured: Results, simulated: Results, run_by: Mapping[str, str]) -> Iterator[MeasuredQuantity]:
    """Return one row for each flow under a congestion control, and the row of the share if there are two flows."""
    flows = list(dict.fromkeys(measured.flows["flow"]))
    samples = {flow: _goodput(measured, simulated, flow) for flow in flows}
    if len(flows) == PAIR:
        first, second = samples.values()
        samples["share"] = (first[0] / second[0], first[1] / second[1])
    marked = int((measured.runs["marks"] != "").sum())
    for flow, (ours, theirs) in samples.items():
        verdict = judge(ours, theirs)
        yield MeasuredQuantity(
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
            stack=run_by.get(flow, ""),
        )


def _goodput(measured: Results, simulated: Results, flow: str) -> tuple[np.ndarray, np.ndarray]:
    return measured.values("goodput", flow=flow).to_numpy(), simulated.values("goodput", flow=flow).to_numpy()


KERNEL = "kernel"
"""Name of the contestant that uses the congestion controls of the kernel."""

PAIR = 2
"""The number of flows for which a share is computed."""
