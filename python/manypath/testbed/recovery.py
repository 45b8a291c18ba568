"""Recovery from a path that goes down and up again: each stack is measured, and simulated with the same seeds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manypath.arguments import seed_of, texts, truth
from manypath.campaign import Cell
from manypath.campaign.compute import Computation
from manypath.campaign.runners import chance
from manypath.errors import UserError, quoted, remedy
from manypath.run import run
from manypath.scenario import Event, Mptcp, Rto, Saturated, Scenario, Sctp, Start, Tcp, disjoint
from manypath.studies.failover.figures import RULES
from manypath.studies.failover.scenarios import BUFFER, LINK, NEVER
from manypath.testbed.runner import AROUND, SETTLING, Testbed
from manypath.testbed.stacks import runs_of

FLOW = "flow"
"""Name of the flow of each scenario."""

FAILING, OTHER = "first", "second"
"""Names of the paths and of their links."""


@dataclass(frozen=True)
class Contestant:
    """A stack with the settings of its flow.

    Attributes
    ----------
    title : str
        Name in tables and figures.
    stack : str
        The stack by the names of `manypath measure --stack`.
    flow : Sctp, Mptcp or Tcp
        The flow that it runs.
    """

    title: str
    stack: str
    flow: Sctp | Mptcp | Tcp


@dataclass(frozen=True)
class Times:
    """Recovery in one run, in seconds. A time that is not over at the end of the run has the rest of the run.

    Attributes
    ----------
    resumed : float
        From the failure of the path to the end of the last silence of the receiver that began before the path was up
        again; 0 if there was none.
    rejoined : float
        From the end of the failure until the path carries data again.
    course : array
        Received payload in Mbit/s in intervals of `BIN` seconds.
    marks : str
        Reasons not to trust the run.
    tries : int
        Number of measurements.
    """

    resumed: float
    rejoined: float
    course: NDArray[np.float64]
    marks: str = ""
    tries: int = 1


@dataclass(frozen=True)
class Recovery:
    """The runs of one contestant; the n-th measured and the n-th simulated run have the same seed."""

    contestant: Contestant
    measured: Sequence[Times]
    simulated: Sequence[Times]

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks of each marked run."""
        return tuple(run.marks for run in self.measured if run.marks)

    @property
    def again(self) -> int:
        """The number of measurements that were repeated because they were disturbed."""
        return sum(run.tries - 1 for run in self.measured)


class RecoveryPlan:
    """A plan of the measurements.

    Parameters
    ----------
    stacks
        The stacks to run; all if None.
    quick
        Whether to run each contestant 2 times instead of 10 times.
    runs
        Number of runs of each contestant; None for that number.
    seed
        Seed of the flows' starting times, together with the number of the run.
    tries
        The largest number of measurements of a run that has marks; the last measurement counts.
    """

    def __init__(
        self,
        *,
        stacks: Sequence[str] | None = None,
        quick: bool = False,
        runs: int | None = None,
        seed: int = 1,
        tries: int = 3,
    ) -> None:
        known = tuple(dict.fromkeys(each.stack for each in CONTESTANTS))
        wanted = known if stacks is None else texts("stacks", stacks, "a list of names")
        for name in wanted or [""]:
            if name not in known:
                raise UserError(f"stacks: there is no {quoted(name)}: {remedy(name, known)}")
        self.contestants = tuple(each for each in CONTESTANTS if each.stack in wanted)
        usual = QUICK_RUNS if truth("quick", quick) else FULL_RUNS
        self.runs = usual if runs is None else runs_of("runs", runs)
        self.seed = seed_of(seed)
        names = dict.fromkeys(each.stack for each in self.contestants)
        self.runners = {stack: Testbed(tries, {"": stack}, EVERY) for stack in names}

    def prepare(self, at_once: int) -> None:
        """Check that every stack can run its flows on this machine.

        Raises
        ------
        UserError
            If a stack cannot run a flow.
        """
        for stack, runner in self.runners.items():
            runner.prepare(list(self._cells(stack, 0).values()), at_once)

    def missing(self, store: Path) -> int:
        """Return the number of measurements that the store lacks."""
        return sum(
            Computation(runner, store, progress=False).missing(
                [cell for number in range(self.runs) for cell in self._cells(stack, number).values()]
            )
            for stack, runner in self.runners.items()
        )

    def seconds(self, missing: int, at_once: int) -> float:
        """Return the duration of this number of measurements in seconds."""
        return missing * (END + SETTLING + AROUND) / min(at_once, len(self.contestants))

    def run(self, store: Path, at_once: int, told: Callable[[str], None] = lambda _: None) -> list[Recovery]:
        """Measure what the store lacks, simulate, and return all results.

        Stacks alternate: each contestant runs once before any runs again.

        Raises
        ------
        UserError
            If this machine cannot run a flow.
        Stopped
            After Ctrl-C; the store has the finished runs.
        """
        measured: dict[str, list[Times]] = {each.title: [] for each in self.contestants}
        with ExitStack() as contexts:
            computations = {
                stack: contexts.enter_context(Computation(runner, store, at_once, title=f"measured by {stack}"))
                for stack, runner in self.runners.items()
            }
            for number in range(self.runs):
                for stack, computation in computations.items():
                    told(f"run {number + 1} of {self.runs}: {stack}")
                    cells = self._cells(stack, number)
                    computation.recall(cells.values())
                    computation.complete(list(cells.values()))
                    for title, (_, outcome) in zip(cells, computation.outcomes(cells.values()), strict=True):
                        measured[title].append(of_measurement(json.loads(outcome)))
        return [
            Recovery(each, measured[each.title], [self._simulated(each, number) for number in range(self.runs)])
            for each in self.contestants
        ]

    def _cells(self, stack: str, number: int) -> dict[str, Cell]:
        """Return one run of each contestant of a stack, by its title."""
        return {
            each.title: Cell({"contestant": each.title}, scenario(each.flow).document(), self.seed, number)
            for each in self.contestants
            if each.stack == stack
        }

    def _simulated(self, contestant: Contestant, number: int) -> Times:
        whole = scenario(contestant.flow)
        seed = chance(Cell({}, whole.document(), self.seed, number))
        return of_simulation(run(whole, seed=seed, series=f"{1000 * EVERY:g} ms").series)


def scenario(flow: Sctp | Mptcp | Tcp) -> Scenario:
    """Return a flow over the links of the failover study. The first link is down for a time, in both directions."""
    link = LINK.but(overhead="0 B")
    events = (Event(at=f"{DOWN:g} s", change="down"), Event(at=f"{UP:g} s", change="up"))
    network = disjoint(**{FAILING: link.but(events=events), OTHER: link}).but(access=None)
    return Scenario(network=network, flows={FLOW: flow}, warmup="1 s", measure=f"{END - 1:g} s")


def of_measurement(outcome: Mapping[str, Any]) -> Times:
    """Return the recovery in a measured run, from its course."""
    received = np.array(outcome["course"]["received"][FLOW])
    carried = np.array(outcome["course"]["links"][FAILING])
    has_come = np.diff(received[:, 1], prepend=0.0) > 0
    rates = 8e-6 * np.diff(carried[:, 1]) / np.diff(carried[:, 0])
    bins = np.arange(0.0, END + BIN / 2, BIN)
    course = 8e-6 * np.diff(np.interp(bins, *_stepped(received))) / BIN
    return Times(
        resumed(received[has_come, 0]),
        rejoined(carried[1:, 0], rates),
        course,
        marks=outcome["marks"],
        tries=outcome["tries"],
    )


def _stepped(received: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return instants and received bytes between which linear interpolation is valid: nothing arrives in a silence."""
    at, total = received.T
    silent = np.flatnonzero(np.diff(at) > SILENCE)
    return np.insert(at, silent + 1, at[silent + 1] - TINY), np.insert(total, silent + 1, total[silent])


def of_simulation(series: Mapping[str, Any]) -> Times:
    """Return the recovery in a simulated run, from its samples."""
    flows, paths = series["flows"], series["paths"]
    failing = paths[paths["path"] == FAILING]
    # Payload arrives over the paths and waits in the receiver until it is in order
    arrived = paths.groupby("time")["goodput"].sum().cumsum() * EVERY
    delivered = arrived - 8e-6 * flows.set_index("time")["reorder_buffer"].reindex(arrived.index).fillna(0.0)
    bins = np.arange(0.0, END + BIN / 2, BIN)
    course = np.diff(np.interp(bins, arrived.index.to_numpy(), delivered.to_numpy())) / BIN
    return Times(
        resumed(flows["time"][flows["latency"].notna()].to_numpy()),
        rejoined(failing["time"].to_numpy(), failing["throughput"].to_numpy()),
        np.maximum(course, 0.0),
    )


def resumed(instants: NDArray[np.float64]) -> float:
    """Return `Times.resumed` from the instants at which payload was received."""
    inside = np.append(instants[instants < END], END)
    begins, ends = inside[:-1], inside[1:]
    silences = ends[(ends - begins > SILENCE) & (begins < UP) & (ends > DOWN)]
    return float(silences[-1] - DOWN) if len(silences) else 0.0


def rejoined(instants: NDArray[np.float64], rates: NDArray[np.float64]) -> float:
    """Return `Times.rejoined` from the rates of the failing path in Mbit/s in the intervals that end at `instants`."""
    first = instants[(instants > UP) & (rates >= CARRIES)]
    return float(min(first[0], END) - UP) if len(first) else END - UP


def is_over(value: float, since: float) -> bool:
    """Whether a time that began at `since` was over at the end of the run."""
    return value < END - since - EVERY


def _sctp(rule: int) -> Sctp:
    """Return an association with the constants of the failover study, which uses both paths at once."""
    return Sctp(
        paths=(FAILING, OTHER),
        rto=Rto(initial="1 s", min="1 s", max="60 s"),
        path_max_retransmissions=RETRANSMISSIONS,
        association_max_retransmissions=2 * (RETRANSMISSIONS + 1),
        potentially_failed_after=None if rule == NEVER else rule,
        send_buffer=f"{BUFFER} B",
        receive_buffer=f"{BUFFER} B",
        start=START,
        app=Saturated(message="1452 B", ordered=True),
    )


def _contestants() -> Iterator[Contestant]:
    for stack, title in (("manypath", "our stack"), ("usrsctp", "usrsctp")):
        for rule, words in RULES.items():
            yield Contestant(f"{title}, {words}", stack, _sctp(rule))
    buffers = {"send_buffer": f"{BUFFER} B", "receive_buffer": f"{BUFFER} B", "start": START}
    mptcp = Mptcp(paths=(FAILING, OTHER), cc="newreno", option_bytes="36 B", **buffers)
    yield Contestant("kernel, MPTCP", "kernel", mptcp)
    yield Contestant("kernel, TCP", "kernel", Tcp(path=FAILING, option_bytes="12 B", **buffers))


RETRANSMISSIONS = 5
"""Path.Max.Retrans. RFC 9260 §16"""

START = Start(latest="100 ms")
"""Starting time of the flow."""

DOWN, UP, END = 5.0, 15.0, 30.0
"""Seconds at which the path goes down and up, and at which the run ends."""

EVERY, BIN = 0.1, 0.5
"""Seconds between two samples, and length of the intervals of a course."""

SILENCE = 0.3
"""Seconds without received payload above which a flow is silent: three samples."""

TINY = 1e-3
"""Seconds in which the first payload after a silence arrives."""

CARRIES = 1.0
"""Rate in Mbit/s from which the path carries data: a tenth of its rate, more than heartbeats and single probes."""

QUICK_RUNS, FULL_RUNS = 2, 10
"""Runs of each contestant."""

CONTESTANTS = tuple(_contestants())
"""All contestants."""

FASTEST = 10.0
"""Rate of the links in Mbit/s, at which a calibration must be good."""

TITLE = "recovery of each stack from a path that goes down and up"
"""Description in one line."""
