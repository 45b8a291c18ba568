"""A scenario and the document that the engine reads."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import manypath as mp


def test_quantities_become_integers_in_base_units(scenario):
    document = json.loads(scenario().document())
    assert document["network"]["links"]["south"] == {
        "rate": 5_000_000,
        "delay": 1_000_000,
        "jitter": 0,
        "queue": {"kind": "drop-tail", "packets": 100},
        "loss": {"kind": "none"},
        "overhead": 7,
        "events": [],
    }
    assert (document["warmup"], document["measure"]) == (1_000_000_000, 2_000_000_000)


def test_disjoint_paths_share_no_link_in_either_direction(scenario):
    network = scenario().network
    assert list(network.links) == ["south", "south/back", "north", "north/back"]
    assert network.paths["north"] == mp.Path(forward=("north",), reverse=("north/back",))
    assert network.links["north/back"].rate == 10_000_000


def test_paths_over_a_bottleneck_share_its_two_directions():
    network = mp.bottleneck(mp.Link(rate="10 Mbit/s"), paths=3)
    assert list(network.paths) == ["path1", "path2", "path3"]
    assert {path.forward for path in network.paths.values()} == {("bottleneck",)}
    assert {path.reverse for path in network.paths.values()} == {("bottleneck/back",)}


def test_paths_of_a_dumbbell_share_only_its_middle():
    sides = [mp.Link(rate="100 Mbit/s", delay=f"{number} ms") for number in (1, 2, 3, 4)]
    network = mp.dumbbell(mp.Link(rate="10 Mbit/s"), senders=sides[:2], receivers=sides[2:])
    assert network.access is None
    assert network.paths["path2"] == mp.Path(
        forward=("sender2", "bottleneck", "receiver2"),
        reverse=("receiver2/back", "bottleneck/back", "sender2/back"),
    )
    names = [f"{side}{number}" for number in (1, 2) for side in ("sender", "receiver")]
    assert set(network.links) == {each for name in ["bottleneck", *names] for each in (name, f"{name}/back")}
    assert [network.links[name].delay for name in names] == [1_000_000, 3_000_000, 2_000_000, 4_000_000]
    assert all(network.links[f"{name}/back"] == network.links[name] for name in names)


def test_a_file_may_write_a_dumbbell_as_its_three_parts():
    side = {"rate": "100 Mbit/s", "delay": "2 ms"}
    written = {"dumbbell": {"link": {"rate": "10 Mbit/s"}, "senders": [side], "receivers": [side]}}
    scenario = mp.Scenario(network=written, flows={"f": mp.Tcp(path="path1")})
    link = mp.Link(**side)
    assert scenario.network == mp.dumbbell(mp.Link(rate="10 Mbit/s"), [link], [link])


def test_flows_keep_their_order():
    link = mp.Link(rate="1 Mbit/s")
    flows = {name: mp.Sctp(paths=["a"]) for name in ("z", "m", "a")}
    document = mp.Scenario(network=mp.disjoint(a=link), flows=flows).document()
    assert list(json.loads(document)["flows"]) == ["z", "m", "a"]


@pytest.mark.parametrize("name", ["電話", "café", "שלום", "\U0001f469\u200d\U0001f680", "می\u200cکن", "a b"])
def test_names_have_letters_of_every_script(scenario, name: str):
    link = mp.Link(rate="1 Mbit/s", delay="1 ms")
    named = mp.Scenario(network=mp.disjoint(**{name: link}), flows={name: mp.Sctp(paths=[name])})
    assert list(named.network.paths) == [name]


def test_equal_scenarios_have_equal_documents(scenario):
    written = scenario(north="10 Mbit/s")
    in_numbers = mp.Scenario.from_document(json.loads(written.document()))
    assert in_numbers == written
    assert in_numbers.document() == scenario(north="10000 kbit/s").document()


def test_but_returns_a_changed_copy_of_a_link():
    first = mp.Link(rate="5 Mbit/s", delay="1 ms")
    second = first.but(rate="10 Mbit/s")
    assert (first.rate, second.rate) == (5_000_000, 10_000_000)
    assert second.delay == first.delay
    assert mp.Link(rate=second.rate, delay=first.delay) == second
    with pytest.raises(mp.UserError, match=r'delay: 10 Mbit/s is no time: write "20 ms"'):
        mp.Link(rate="1 Mbit/s", delay=second.rate)
    with pytest.raises(mp.UserError, match="rate: 0 bit/s is too small: give more than 0 bit/s"):
        first.but(rate=0)


def test_short_forms_of_ranges():
    assert mp.Saturated(message="1452 B").message == mp.Sizes(min="1452 B", max="1452 B")
    assert mp.Saturated(message=("500 B", "1452 B")).message == mp.Sizes(min="500 B", max="1452 B")
    assert mp.Sctp(paths=["a"], start="3 s").start == mp.Start(earliest="3 s", latest="3 s")


def test_events_of_a_link_become_changes_of_the_document():
    link = mp.Link(
        rate="5 Mbit/s",
        events=[
            mp.Event(at="1 s", change="down"),
            mp.Event(at="2 s", change="up"),
            mp.Event(at="3 s", rate="1 Mbit/s"),
            mp.Event(at="4 s", delay="20 ms"),
            mp.Event(at="5 s", loss=0.01),
        ],
    )
    scenario = mp.Scenario(network=mp.disjoint(a=link), flows={"f": mp.Sctp(paths=["a"])})
    events = json.loads(scenario.document())["network"]["links"]["a"]["events"]
    assert [event["change"] for event in events] == [
        "down",
        "up",
        {"rate": 1_000_000},
        {"delay": 20_000_000},
        {"loss": {"kind": "bernoulli", "p": 0.01}},
    ]
    assert mp.Scenario.from_document(json.loads(scenario.document())) == scenario


def test_a_tcp_flow_has_exactly_one_path():
    flow = mp.Tcp(path="a", mss="1448 B")
    assert flow == mp.Tcp(paths=["a"], mss="1448 B")
    assert flow.but(path="b").paths == ("b",)
    scenario = mp.Scenario(network=mp.disjoint(a=mp.Link(rate="1 Mbit/s")), flows={"f": flow})
    assert mp.Scenario.from_document(json.loads(scenario.document())) == scenario


def test_hosts_without_access_links_are_mentioned():
    network = mp.disjoint(a=mp.Link(rate="1 Mbit/s")).but(access=None)
    scenario = mp.Scenario(network=network, flows={"f": mp.Sctp(paths=["a"])})
    assert json.loads(scenario.document())["network"]["access"] is None


def test_a_file_and_python_give_equal_scenarios(tmp_path, scenario, two_paths_file):
    toml, saved = two_paths_file("two.toml"), tmp_path / "two.json"
    saved.write_text(scenario().document())
    assert mp.Scenario.from_file(toml) == mp.Scenario.from_file(saved) == scenario()


def test_a_document_keeps_its_base_units_in_any_layout(tmp_path, scenario):
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(json.loads(scenario().document()), indent=2))
    assert mp.Scenario.from_file(saved).document() == scenario().document()


def test_an_incomplete_document_is_read_as_a_hand_written_file(tmp_path, scenario):
    fields = json.loads(scenario().document())
    del fields["flows"]["cmt"]["streams"]
    (tmp_path / "cut.json").write_text(json.dumps(fields))
    with pytest.raises(mp.UserError, match=r'cut.json: warmup: 1000000000 has no unit: write "1 s"'):
        mp.Scenario.from_file(tmp_path / "cut.json")


def test_a_printed_link_can_be_written_again():
    link = mp.Link(rate="5 Mbit/s", delay="1 ms", overhead="20 B")
    assert "rate='5 Mbit/s', delay='1 ms'" in repr(link)
    assert eval(repr(link), {name: getattr(mp, name) for name in mp.__all__}) == link  # noqa: S307 - a text of the package


@pytest.mark.parametrize("written", [0.01, "1 %", "1%", mp.Bernoulli(p=0.01), {"kind": "bernoulli", "p": "1 %"}])
def test_links_and_their_events_read_a_loss_alike(written):
    loss = mp.Bernoulli(p=0.01)
    assert mp.Link(rate="1 Mbit/s", loss=written).loss == loss
    assert mp.Event(at="1 s", loss=written).loss == loss


def test_numpy_numbers_are_accepted_in_scenarios():
    flow = mp.Sctp(paths=["a"], sack_every=np.int64(2), streams=np.uint8(3), sfr=np.bool_(False))
    assert flow == mp.Sctp(paths=["a"], sack_every=2, streams=3, sfr=False)
    assert mp.Bernoulli(p=np.float32(0.5)) == mp.Bernoulli(p=0.5)
    assert mp.Red(min=np.float64(5), max=np.int64(15)) == mp.Red(min=5, max=15)


def test_a_file_may_describe_a_bottleneck(tmp_path):
    file = tmp_path / "shared.toml"
    file.write_text(
        '[network.bottleneck]\nlink = { rate = "10 Mbit/s" }\npaths = 2\n[flows.f]\npaths = ["path1", "path2"]\n'
    )
    assert mp.Scenario.from_file(file).network == mp.bottleneck(mp.Link(rate="10 Mbit/s"), paths=2)


def test_tables_of_a_scenario_cannot_be_changed():
    link = mp.Link(rate="5 Mbit/s", delay="5 ms")
    scenario = mp.Scenario(network=mp.disjoint(a=link), flows={"x": mp.Tcp(path="a")})
    network = scenario.network
    flows: Any = scenario.flows
    changes = (
        lambda: network.links.__setitem__("a", link.but(rate="50 Mbit/s")),
        lambda: network.paths.pop("a"),
        lambda: flows.update(y=mp.Tcp(path="a")),
        flows.clear,
        lambda: network.links.setdefault("b", link),
        lambda: network.links.__ior__({"b": link}),
        network.links.popitem,
        lambda: network.links.__delitem__("a"),
    )
    before = scenario.document()
    for change in changes:
        with pytest.raises(mp.UserError, match=r"immutable: make a copy with but\(...\)"):
            change()
    assert scenario.document() == before


def test_equal_scenarios_have_equal_hashes_also_after_a_copy():
    link = mp.Link(rate="5 Mbit/s", delay="5 ms")
    scenario = mp.Scenario(network=mp.disjoint(a=link), flows={"x": mp.Tcp(path="a")})
    for other in (copy.copy(scenario), copy.deepcopy(scenario), scenario.but()):
        assert other == scenario
        assert hash(other) == hash(scenario)
    assert hash(scenario.but(measure="1 s")) != hash(scenario)
    # Pickles make a table in the same way as deep copies.
    links: Any = scenario.network.links
    kind, parts = links.__reduce__()
    assert type(kind(*parts)) is type(links)
    assert kind(*parts) == links
