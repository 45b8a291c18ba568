"""Functions of the testbed, theory, figures and papers refuse wrong arguments in one line, before any work."""

# pyright: reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import manypath as mp
from manypath import emulation, expect, figures, papers, testbed, theory
from manypath.papers.given_changes import switch_of

LINK = mp.Link(rate="5 Mbit/s", delay="1 ms")
NETWORK = mp.disjoint(a=LINK)
SCENARIO = mp.Scenario(network=NETWORK, flows={"f": mp.Sctp(paths=["a"], start="0 s")}, measure="1 s")
DESCRIBED = expect.Description.from_words(["a: 4 Mbit/s, 20 ms"])
GRID = testbed.GRIDS["sctp"]
PAPER_GRID = testbed.PAPER_GRIDS["dreibholz2012"]
FLUID = theory.Fluid(theory.FORMULAS["lia"], [["x"]], [0.1])
SELF: list[Any] = []
SELF.append(SELF)


class Silent:
    """An object whose `repr` fails."""

    def __repr__(self) -> str:
        raise RuntimeError


def beside(**changes: Any) -> object:
    return testbed.beside(**{"scenario": lambda _: SCENARIO, "controls": ["lia"], "store": None, **changes})


def load(controls: Any) -> None:
    with testbed.loaded(controls):
        pass


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: testbed.Testbed(tries=0), "tries: 0 is not a number of measurements: give 1 or more"),
    (lambda: testbed.Testbed(tries=10**9), "tries: 1000000000 is too large: give 1 to 100"),
    (lambda: testbed.Testbed(stacks=5), 'stacks: 5 are no stacks of flows: give {"": "manypath"}'),
    (lambda: testbed.Testbed(stacks={"": None}), "stacks: None is no text: give the name of a stack: kernel, manypath"),
    (lambda: testbed.Testbed(stacks={5: "kernel"}), "stacks: 5 is no text: give the name of a flow"),
    (lambda: testbed.Testbed(stacks={"": "kernal"}), 'stacks: there is no "kernal": did you mean "kernel"?'),
    (lambda: testbed.Testbed(interval=float("nan")), "interval: nan is not a number above 0"),
    (lambda: testbed.Testbed(interval=1e-9), "interval: 1e-09 is no interval of samples: give 0.01 to 3600 seconds"),
    (lambda: testbed.Testbed(interval="1 s"), 'interval: "1 s" is not a number'),
    (lambda: testbed.Plan("sctp"), 'grid: "sctp" is no Grid: give one of manypath.testbed.GRIDS'),
    (lambda: testbed.Plan(GRID, quick="yes"), 'quick: "yes" is neither true nor false'),
    (lambda: testbed.Plan(GRID, runs=0), "runs: 0 is not a number of runs: give 1 or more"),
    (lambda: testbed.Plan(GRID, most=float("inf")), "most: inf is not a number of runs"),
    (lambda: testbed.Plan(GRID, runs=4, most=2), "most: 2 is less than 4"),
    (lambda: testbed.Plan(GRID, stack=None), "stack: None is no text"),
    (lambda: testbed.Plan(GRID, stack="usrsctq"), 'stack: there is no "usrsctq": did you mean "usrsctp"?'),
    (lambda: testbed.Plan(GRID).run(None, 0), "at_once: 0 is not a number of measurements at once: give 1 or more"),
    (lambda: testbed.PaperPlan(None), "grid: None is no PaperGrid"),
    (lambda: testbed.PaperPlan(PAPER_GRID, runs=10**30), "is too large: give 1 to 1000"),
    (lambda: testbed.PaperPlan(PAPER_GRID, stacks=5), "stacks: 5 is no text: give a list of names"),
    (lambda: testbed.PaperPlan(PAPER_GRID, stacks=[]), 'stacks: dreibholz2012_testbed has no ""'),
    (lambda: testbed.PaperPlan(PAPER_GRID, controls=["cmt-rpv3"]), "controls: dreibholz2012_testbed has no"),
    (lambda: testbed.PaperPlan(PAPER_GRID, quick=True).run("x", 1e9), "at_once: 1000000000.0 is not a number of"),
    (lambda: beside(scenario=SCENARIO), "cannot be called: give a function of a"),
    (lambda: beside(scenario=lambda cc: cc), 'scenario: "lia" is no Scenario: give a function that returns one'),
    (lambda: beside(controls=[]), "controls: is empty: give one or more names"),
    (lambda: beside(controls=None), "controls: None is no text"),
    (lambda: beside(controls=["lia", "lia"]), 'controls: "lia" is given twice: give each congestion control once'),
    (lambda: beside(stacks={"g": "kernel"}), 'stacks: there is no flow "g": known: f'),
    (lambda: beside(runs=0), "runs: 0 is not a number of runs"),
    (lambda: beside(simulations=-1), "simulations: -1 is not a number of runs"),
    (lambda: beside(at_once=10**6), "at_once: 1000000 is too large: give 1 to 256"),
    (lambda: beside(at_once=2, events="x"), "events: are those of one run at a time, but at_once is 2: give 1"),
    (lambda: load(None), "controls: None is no text: give names of congestion controls"),
    (lambda: load(["liaa"]), 'cc: the kernel has no "liaa": did you mean "lia"?'),
    (lambda: testbed.ComparedScenario("x", 5, ("lia",)), "scenario: 5 cannot be called"),
    (lambda: testbed.Grid("x", print, "f", None, None), "full: None is no Size: give a size"),
    (lambda: theory.formula_of(None), "cc: None is no text: give the name of a congestion control"),
    (lambda: theory.formula_of("\ud800"), "cc: there is no congestion control"),
    (lambda: theory.FluidLink(rate=float("nan")), "rate: nan is not a number above 0"),
    (lambda: theory.FluidLink(rate=1, loss=2), "loss: 2 is no probability: give 0 to 1"),
    (lambda: theory.FluidLink(rate=1, queue=float("inf")), "queue: inf is no delay in seconds: give 0 or more"),
    (lambda: theory.Fluid(None, [["x"]], [0.1]), "formula: None is no Formula"),
    (lambda: theory.Fluid(FLUID.formula, "x", [0.1]), 'paths: "x" is no list: give for each path'),
    (lambda: theory.Fluid(FLUID.formula, [[]], [0.1]), "paths[0]: is empty: give one link or more"),
    (lambda: theory.Fluid(FLUID.formula, [["x"]], [0.1, 0.2]), "rtts: there are 2 of them, and paths has 1"),
    (lambda: theory.Fluid(FLUID.formula, [["x"]], [-1]), "rtts[0]: -1 is no time in seconds: give 0 or more"),
    (lambda: theory.equilibrium(None, {"f": FLUID}), "links: None is no table: give links by name"),
    (lambda: theory.equilibrium({"y": theory.FluidLink(9)}, {"f": FLUID}), 'flows.f.paths: "x" is no link: known: y'),
    (lambda: theory.equilibrium({"x": theory.FluidLink(9)}, {}), "flows: is empty: give one or more"),
    (lambda: theory.equilibrium({"x": theory.FluidLink(9)}, {"f": None}), "flows.f: None is no Fluid"),
    (lambda: expect.expect(None, store=None), "description: None is no Description: give Description(...)"),
    (lambda: expect.expect(DESCRIBED, "\udcff", store=None), "cc: there is no congestion control"),
    (lambda: expect.expect(DESCRIBED, [], store=None), "cc: is empty: give one or more congestion controls"),
    (lambda: expect.expect(DESCRIBED, np.array(5), store=None), "cc: array(5) is no text"),
    (lambda: expect.expect(DESCRIBED, runs=10**9, store=None), "runs: 1000000000 is too large: give 1 to 10000"),
    (lambda: expect.Description.from_words(None), "paths: None is no text: give descriptions of paths"),
    (lambda: expect.Description.from_words([b"x"]), "paths: b'x' is no text: give descriptions of paths"),
    (lambda: expect.Description.from_words(["1 Mbit/s, 1 ms"], tcp=5), "tcp: 5 is no text"),
    (lambda: expect.Description.from_words(["1 Mbit/s, 1 ms"], shared=[None]), "shared: None is no text"),
    (lambda: DESCRIBED.rate("b"), 'link: "b" is no link: known: a'),
    (lambda: DESCRIBED.drain(None), "link: None is no text"),
    (lambda: figures.topology(SCENARIO), "is no Network: give the network of a scenario, such as scenario.network"),
    (lambda: figures.topology(NETWORK).rendered(5), "title: 5 is no text: give a title for screen readers"),
    (lambda: figures.course(mp.run(SCENARIO, series="1 s"), flows=0), "flows: 0 is not a number of flows"),
    (lambda: papers.load("dreibholz2013"), 'paper: "dreibholz2013" is no paper: did you mean'),
    (lambda: mp.Link(rate="5 Mbit/s", delay=np.timedelta64(1, "ms")), "delay: "),
    (lambda: mp.Link(rate=np.timedelta64(1, "ms")), "rate: "),
    (lambda: papers.load("D11"), 'paper: "D11" is no paper: did you mean "dreibholz2011_impact", the name of this'),
    (lambda: papers.load("[g12]"), 'paper: "[g12]" is no paper: did you mean "gonzalez2012_mptcp", the name of this'),
    (lambda: papers.load(None), "paper: None is no text: give the name of a paper"),
    (lambda: mp.ideal(None, [0.1], "1 ms"), "cc: None is no text"),
    (lambda: mp.ideal("lia", np.array(5), "1 ms"), "losses: array(5) is no list: give one probability for each path"),
    (lambda: mp.ideal("lia", [], "1 ms"), "losses: is empty: give one probability for each path"),
    (lambda: mp.ideal("lia", [0.1], None), "rtts: None is no list: give one for each path"),
    (lambda: mp.ideal("lia", [0.1], "1 ms", runs=10**9), "runs: 1000000000 is too large: give 1 to 100000"),
    (lambda: emulation.start(emulation.Emulation(network=NETWORK), command=5), "command: 5 is no text"),
    (lambda: emulation.start(emulation.Emulation(network=NETWORK), ["a\0b"]), 'options: "a\\u0000b" has a null'),
    (lambda: mp.Scenario.from_fields({1: 2}), "fields: 1 is no text: give names of fields"),
    (lambda: LINK.model_copy(update=5), "update: 5 is no Mapping"),
    (lambda: LINK.model_copy(deep=pd.NA), "deep: <NA> is neither true nor false"),
    (lambda: expect.Bottleneck(rate="1 Mbit/s", paths=iter([])), "paths: is empty: give 2 or more"),
    (lambda: mp.run(Silent()), "scenario: an object of Silent is no Scenario"),
    (lambda: switch_of({"flows": SELF}), "flows: [[[[[[[[[...]]]]]]]]] has more than 20 levels"),
    (
        lambda: switch_of({"flows.cmt.cc": "lia", "flows.*.cc": "olia"}),
        "flows.cmt.cc: has no effect, because flows.*.cc replaces it: give flows.*.cc first, or one of them",
    ),
    (lambda: switch_of({"flows.f.app.kind": 1, "flows.f": 2}), "flows.f.app.kind: has no effect, because flows.f"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_a_wrong_argument_is_refused_in_one_line(mistake: Callable[[], Any], message: str):
    with pytest.raises(mp.UserError) as error:
        mistake()
    (line,) = str(error.value).splitlines()
    assert message in line
    assert len(line) < 600


WRONG = [None, -1, 10**30, float("nan"), "", "\ud800", b"x", [None], {"a": None}, object(), Silent(), np.array([1, 2])]
"""Values that are invalid for every argument below."""

CALLS: list[tuple[Callable[..., Any], Mapping[str, Any], tuple[str, ...]]] = [
    (testbed.Testbed, {}, ("tries", "stacks", "interval")),
    (testbed.Plan, {"grid": GRID}, ("grid", "quick", "udp", "runs", "most", "seed", "tries", "stack")),
    (testbed.PaperPlan, {"grid": PAPER_GRID}, ("grid", "stacks", "controls", "quick", "runs", "seed", "tries")),
    (beside, {"runs": 0}, ("scenario", "controls", "at_once", "stacks")),
    (load, {}, ("controls",)),
    (theory.Fluid, {"formula": FLUID.formula, "paths": [["x"]], "rtts": [0.1]}, ("formula", "paths", "rtts", "count")),
    (theory.FluidLink, {"rate": 1.0}, ("rate", "loss", "queue")),
    (theory.equilibrium, {"links": {"x": theory.FluidLink(9)}, "flows": {"f": FLUID}}, ("links", "flows")),
    (theory.formula_of, {}, ("name",)),
    (expect.campaign, {"description": DESCRIBED}, ("description", "cc", "runs", "measure", "seed")),
    (expect.Description.from_words, {"paths": ["1 Mbit/s, 1 ms"]}, ("paths", "shared", "tcp")),
    (papers.load, {}, ("name",)),
]


@pytest.mark.parametrize(("call", "right", "names"), CALLS, ids=[call.__qualname__ for call, _, _ in CALLS])
def test_wrong_values_raise_only_user_errors(
    call: Callable[..., Any], right: Mapping[str, Any], names: tuple[str, ...]
):
    for name in names:
        for value in WRONG:
            with contextlib.suppress(mp.UserError):
                call(**{**right, name: value})
