"""The three goals of resource pooling on the page of the explorer."""

from __future__ import annotations

import threading

import pytest

import manypath as mp
from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.fair import Fair, fair
from manypath.explore.goals import Goal, goals
from manypath.explore.state import State
from short_state import answered, small

SATURATED = {"app": {"kind": "saturated", "message": "1452 B"}, "send_buffer": "2 MB", "receive_buffer": "2 MB"}
LINK = presets.default().scenario.network.links["south"]


def measured(state: State) -> State:
    """Return a state with the times of the first state of the page."""
    return state.but(scenario=state.scenario.but(warmup="5 s", measure="35 s"))


def found(state: State) -> list[Goal]:
    """Return the goals of a state."""
    return goals(state, answered(state), fair(state, threading.Event()))


def lights(state: State) -> list[str]:
    return [goal.light for goal in found(state)]


def test_coupled_and_uncoupled_flows_reach_different_goals():
    state = measured(small())
    for cc, third in (("newreno", "does not hold"), ("lia", "holds")):
        coupled = state.but(scenario=state.with_cc(cc))
        answer, shares = answered(coupled), fair(coupled, threading.Event())
        first, second, last = goals(coupled, answer, shares)
        # An uncoupled flow takes as much of a path as a single-path flow, and no load moves away.
        assert [first.light, second.light, last.light] == ["holds", "holds", third]
        best = max(shares.best_path, key=lambda path: shares.best_path[path])
        assert f"{shares.best_path[best]:.2f} Mbit/s as a single-path flow on {best}" in first.numbers
        own = answer.result.paths["goodput"]["multipath", "south"]
        assert second.numbers == (
            f"{own:.2f} Mbit/s of multipath on south, {shares.best_path['south']:.2f} Mbit/s as a single-path flow on "
            "south"
        )
        assert f"{shares.uncoupled['south']:.2f} Mbit/s with the uncoupled control newreno" in last.numbers


def test_paths_over_one_bottleneck_count_together():
    state = changed(presets.preset(presets.OWN, "One shared bottleneck"), "links\tbottleneck\tqueue", "red")
    state = measured(state.but(scenario=state.with_cc("newreno")))
    answer, shares = answered(state), fair(state, threading.Event())
    _, second, third = goals(state, answer, shares)
    goodput = answer.result.goodput["multipath"]
    assert goodput > 1.1 * max(shares.best_path.values())
    assert f"{goodput:.2f} Mbit/s of multipath on path1 and path2" in second.numbers
    assert [second.light, third.light] == ["does not hold", "does not apply"]
    assert "no load can move" in third.numbers


def test_a_rival_need_not_have_a_path_of_the_multipath_flow():
    heading = next(each for each in presets.headings() if "[H09]" in each)
    state = presets.preset(heading, "figure 1.2: rivals = 2, subflows = 2")
    assert state.rival is None
    assert lights(state) == ["holds", "does not hold", "does not apply"]


def test_every_shared_bottleneck_counts_and_faster_links_do_not():
    flows = {
        "multipath": mp.Sctp(paths=["south", "north"], cc="newreno", **SATURATED),
        "r1": mp.Sctp.standard("north", **SATURATED),
        "r2": mp.Sctp.standard("south", **SATURATED),
    }
    state = measured(small(flows=flows))
    answer = answered(state)
    own = {path: float(answer.result.paths["goodput"]["multipath", path]) for path in ("south", "north")}

    def second(**best: float) -> Goal:
        return goals(state, answer, Fair(best, own, {}, "", {}, ""))[1]

    assert second(south=own["south"], north=own["north"]).light == "holds"
    for path, other in (("south", "north"), ("north", "south")):
        harmed = second(**{path: 0.5 * own[path], other: own[other]})
        assert harmed.light == "does not hold"
        assert harmed.numbers.startswith(f"{own[path]:.2f} Mbit/s of multipath on {path}, ")
    fast = LINK.but(rate="100 Mbit/s")
    links = {"wide": fast, "south": LINK, "north": LINK, "other": LINK}
    paths = {
        "south": mp.Path(forward=("wide", "south")),
        "north": mp.Path(forward=("wide", "north")),
        "rest": mp.Path(forward=("wide", "other")),
    }
    apart = {"multipath": flows["multipath"], "r": mp.Sctp.standard("rest", **SATURATED)}
    state = small(network=mp.Network(links=links, paths=paths), flows=apart)
    goal = found(state)[1]
    assert (goal.light, goal.numbers) == ("does not apply", "no other flow shares a bottleneck with multipath")


def test_a_rival_that_needs_little_or_comes_late_is_not_harmed():
    state = measured(small())
    slow = changed(state, "flows\trival\tapp", "cbr")
    assert answered(slow).result.goodput["rival"] == pytest.approx(2.0, rel=0.02)
    assert lights(slow)[1] == "holds"
    assert lights(changed(state, "flows\trival\tstart", "25 s"))[1] == "holds"


def test_a_flow_that_ends_has_no_goals():
    state = changed(measured(small()), "flows\tmultipath\tapp", "transfer")
    state = changed(state, "flows\tmultipath\tapp.size", "2 MB")
    found_ones = found(state)
    assert [goal.light for goal in found_ones] == ["does not apply"] * 3
    assert found_ones[0].numbers.startswith("multipath ended at 2.577 s, ")


def test_no_load_moves_if_no_path_is_less_congested_or_the_application_sends_little():
    state = measured(small())
    lossy = changed(changed(state, "links\tnorth\tloss", "bernoulli"), "links\tnorth\tloss.p", "1 %")
    third = found(lossy)[2]
    assert (third.light, third.numbers.partition(":")[0]) == ("does not apply", "no path is less congested")
    for app, rate in (("cbr", "6 Mbit/s"), ("on-off", "10 Mbit/s")):
        little = changed(changed(state, "flows\tmultipath\tapp", app), "flows\tmultipath\tapp.rate", rate)
        third = found(little)[2]
        assert third.light == "does not apply"
        assert third.numbers.startswith("multipath gets all that its application sends")


def test_a_scenario_without_a_multipath_flow_has_no_goals():
    alone = small().scenario.flows["rival"]
    assert [goal.numbers for goal in found(small(flows={"rival": alone}))] == ["no flow uses several paths"] * 3
