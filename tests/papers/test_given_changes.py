"""Fields that a user changes in the scenarios of papers: where they exist, and messages about mistakes."""

import pytest
from small_paper import PAPER

import manypath as mp
from manypath.errors import UserError
from manypath.papers import registry
from manypath.papers.given_changes import near_places, places_of, reach_of, switch_of, with_changes


def scenarios(paper, names=None):
    return {case: paper.experiments.scenario(case, paper.quick) for case in paper.experiments.cases(paper.quick, names)}


def reach(changes):
    return reach_of(changes, {PAPER.name: scenarios(PAPER)})[PAPER.name]


def scenario():
    return next(iter(scenarios(PAPER).values()))


def test_a_scenario_of_each_experiment_of_a_paper_is_unchanged_by_its_own_values():
    for paper in registry().values():
        for name in paper.quick.grids:
            own = next(iter(scenarios(paper, {name}).values()))
            flow, fields = next(iter(own.model_dump()["flows"].items()))
            changed = with_changes(own, {f"flows.{flow}.start": fields["start"], "measure": own.measure})
            assert changed.document() == own.document()


def test_a_change_equals_the_same_change_in_python():
    plain = scenario()
    by_hand = plain.but(flows={**plain.flows, "cmt": plain.flows["cmt"].but(send_buffer="30 kB")})
    assert with_changes(plain, {"flows.cmt.send_buffer": "30 kB"}) == by_hand


def test_a_star_stands_for_every_flow_and_every_link_in_both_directions():
    changed = with_changes(scenario(), {"flows.*.send_buffer": "30 kB", "network.links.*.queue": mp.CoDel()})
    assert {flow.send_buffer for flow in changed.flows.values()} == {30_000}
    assert len(changed.network.links) == 4
    assert {link.queue for link in changed.network.links.values()} == {mp.CoDel()}


def test_a_value_is_a_table_as_in_a_file_and_a_later_place_may_be_inside_of_it():
    queue = {"kind": "red", "min": 30, "max": 90}
    changed = with_changes(scenario(), {"network.links.*.queue": queue, "network.links.south.queue.max": 60})
    assert changed.network.links["south"].queue == mp.Red(min=30, max=60)
    assert changed.network.links["north"].queue == mp.Red(min=30, max=90)
    assert queue["max"] == 90


def test_a_place_may_be_an_item_of_a_list():
    assert with_changes(scenario(), {"flows.cmt.paths.0": "north", "flows.cmt.paths.1": "south"}).flows[
        "cmt"
    ].paths == ("north", "south")


def test_scenarios_without_the_field_or_with_its_value_are_not_changed():
    plain = scenario()
    assert with_changes(plain, {"flows.bulk.send_buffer": "30 kB"}) is plain
    found = reach({"network.links.north.rate": "1 Mbit/s"})
    assert (len(found.changed), found.equal, found.without) == (2, 1, 0)
    assert found.varied == {"network.links.north.rate": ("short",)}
    assert reach({"flows.cmt.sack_every": 1}).varied == {}


def test_a_field_of_some_scenarios_only_is_changed_where_it_exists(impact):
    found = reach_of({"flows.single.cc": "cubic"}, {impact.name: scenarios(impact, {"figure5", "worked-example"})})
    assert {case.experiment for case in found[impact.name].changed} == {"figure5"}
    assert found[impact.name].without == 1


@pytest.mark.parametrize(
    ("place", "near"),
    [
        ("flows.cmt.sendbuffer", "flows.cmt.send_buffer"),
        ("flows.*.sendbuffer", "flows.*.send_buffer"),
        ("flows.bulk.send_buffer", "flows.*.send_buffer"),
        ("send_buffer", "flows.*.send_buffer"),
        ("network.link.south.queue", "network.links.south.queue"),
        ("network.disjoint.south.rate", "network.links.south.rate"),
    ],
)
def test_an_unknown_field_is_refused_with_near_ones(place, near):
    known = places_of(scenario().model_dump())
    assert near in near_places(place, known)
    assert len(set(known)) == len(known)
    with pytest.raises(UserError) as refused:
        reach({place: "1 MB"})
    said = str(refused.value)
    assert said.startswith(f"{place}: no scenario of small has this field: did you mean ")
    assert f'"{near}"' in said


def test_a_field_that_is_similar_to_none_is_refused_with_an_example():
    with pytest.raises(UserError, match=r"^zzz: no scenario of small has this field: give a place such as flows\.\*\."):
        reach({"zzz": 1})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"flows.cmt.send_buffer": "1 XB"}, 'flows.cmt.send_buffer: "1 XB" is no size'),
        ({"flows.*.send_buffer": "1 XB"}, 'flows.cmt.send_buffer: "1 XB" is no size'),
        ({"flows.cmt.cc": "lai"}, 'flows.cmt.cc: there is no congestion control "lai": did you mean "lia"?'),
        ({"network.links.*.queue": {"kind": "red", "min": 90, "max": 30}}, "max 30 is not above min 90"),
        ({"network.links.north": "1 Mbit/s"}, "network.links.north: "),
        ({"flows.cmt.paths": ["east"]}, 'flows.cmt.paths: "east" is no path of the network'),
    ],
)
def test_a_wrong_value_is_refused_in_one_line_with_field_value_and_remedy(changes, said):
    with pytest.raises(UserError) as refused:
        reach(changes)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not str(refused.value).startswith("short")


def test_a_value_that_is_wrong_in_some_scenarios_only_is_refused_with_the_first_of_them(impact):
    with pytest.raises(UserError, match=r'^figure2-left \(.*\): flows.cmt.paths: "north" is no path of the network'):
        reach_of({"flows.cmt.paths": ["north"]}, {impact.name: scenarios(impact)})


@pytest.mark.parametrize("changes", [{}, "flows.cmt.cc=lia", {1: "lia"}])
def test_what_is_no_change_is_refused(changes):
    with pytest.raises(UserError, match=r"^changes: "):
        switch_of(changes)


def test_a_paper_without_the_field_has_no_reach(impact, kernel):
    both = {paper.name: scenarios(paper, {"figure5"}) for paper in (impact, kernel)}
    assert set(reach_of({"flows.mptcp.cc": "olia"}, both)) == {kernel.name}


def test_an_empty_place_is_refused_by_the_name_of_the_argument():
    for place in ("", "  "):
        with pytest.raises(UserError, match=r'^changes: " *" is no place of a field: give a place such as flows'):
            switch_of({place: 20})


@pytest.mark.parametrize(
    "value", [0, "0 %", {"kind": "bernoulli", "p": 0}, {"kind": "bit-error", "rate": 0}, mp.NoLoss(), mp.Bernoulli(p=0)]
)
def test_a_loss_model_without_losses_is_the_same_value_as_no_losses(value):
    for place in ("network.links.*.loss", "network.access.loss"):
        found = reach({place: value})
        assert (found.changed, found.equal) == ((), 3)
    assert len(reach({"network.links.*.loss": 0.01}).changed) == 3


def test_default_parameters_of_a_congestion_control_are_the_same_value():
    plain = scenario()
    own = plain.but(flows={**plain.flows, "cmt": plain.flows["cmt"].but(cc="bmc")})
    assert with_changes(own, {"flows.cmt.cc": "bmc:shares=1,gain=0.5"}) == own
    assert with_changes(own, {"flows.cmt.cc": "bmc:shares=2"}).flows["cmt"].cc == "bmc:shares=2"


def test_a_later_place_may_be_a_default_field_of_an_earlier_value():
    places = {"network.links.*.queue": {"kind": "codel"}, "network.links.*.queue.target": "10 ms"}
    assert len(reach(places).changed) == 3
    links = with_changes(scenario(), places).network.links.values()
    assert {link.queue for link in links} == {mp.CoDel(target="10 ms")}


def test_a_field_that_an_earlier_change_removes_is_named_with_that_change():
    both = {"network.links.*.queue": {"kind": "red", "min": 30, "max": 90}, "network.links.*.queue.packetz": 20}
    with pytest.raises(UserError, match=r"^network\.links\.\*\.queue\.packetz: no scenario of small has"):
        reach(both)
    gone = {"network.access": None, "network.access.delay": "1 ms"}
    with pytest.raises(UserError, match=r"^network\.access\.delay: does not exist after the change network\.access = "):
        reach(gone)
    mine = {"flows.cmt": {"transport": "tcp", "path": "north", "start": "0 s"}, "flows.cmt.nr_sack": False}
    with pytest.raises(UserError, match=r"^flows\.cmt\.nr_sack: does not exist after the change flows\.cmt = \{"):
        reach(mine)


@pytest.mark.parametrize("place", ["*", "network.*.*.*"])
def test_a_value_for_many_fields_has_one_line_for_all_of_its_mistakes(place):
    with pytest.raises(
        UserError, match=rf"\(\d+ other fields of {place.replace('.', '[.]').replace('*', '[*]')} cannot"
    ) as no:
        reach({place: 1})
    assert "\n" not in str(no.value)


def test_a_part_without_its_required_fields_says_that_it_replaces_the_whole():
    with pytest.raises(UserError) as refused:
        reach({"network.links.*": {"queue": {"packets": 20}}})
    assert str(refused.value).endswith(
        "replaces the whole part, which then lacks rate: give it all, or change only network.links.*.queue.packets"
    )
    assert "\n" not in str(refused.value)
