"""Short forms of networks: delays per path, reverse paths, nodes and wires; and remarks about possible mistakes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import manypath as mp
from manypath.cli.app import app

LINK = mp.Link(rate="10 Mbit/s", delay="5 ms")


def delay_of(network: mp.Network, path: str, direction: str = "forward") -> int:
    """Return the sum of the delays of a path's links, in nanoseconds."""
    return sum(network.links[link].delay for link in getattr(network.paths[path], direction))


def test_paths_over_a_bottleneck_may_have_different_delays():
    network = mp.bottleneck(LINK, paths=2, delays=["10 ms", "50 ms"])
    for path, milliseconds in (("path1", 15), ("path2", 55)):
        assert delay_of(network, path) == delay_of(network, path, "reverse") == milliseconds * 1_000_000
    shared = set(network.paths["path1"].forward) & set(network.paths["path2"].forward)
    assert shared == {"bottleneck"}
    assert mp.bottleneck(LINK, delays=["10 ms", "50 ms"]) == network
    written = {"bottleneck": {"link": {"rate": "10 Mbit/s", "delay": "5 ms"}, "delays": ["10 ms", "50 ms"]}}
    assert mp.Network.model_validate(written) == network


def test_the_delay_of_a_path_adds_to_its_round_trip_time():
    network = mp.bottleneck(LINK, delays=["10 ms", "50 ms"])
    flows = {path: mp.Sctp(paths=[path], app=mp.Cbr(rate="100 kbit/s")) for path in network.paths}
    times = mp.run(mp.Scenario(network=network, flows=flows, warmup="1 s", measure="5 s")).paths["srtt"]
    assert times["path2"]["path2"] - times["path1"]["path1"] == pytest.approx(0.08, rel=0.05)


def test_paths_of_a_dumbbell_may_have_different_delays_and_equal_ends():
    end = mp.Link(rate="1 Gbit/s", delay="1 ms")
    network = mp.dumbbell(LINK, end, end, delays=["0 s", "50 ms", "100 ms"])
    assert [delay_of(network, path) // 1_000_000 for path in network.paths] == [7, 57, 107]
    assert mp.dumbbell(LINK, [end, end], end) == mp.dumbbell(LINK, [end, end], [end, end])


def test_reverse_links_may_differ_from_forward_links():
    network = mp.disjoint(dsl=(mp.Link(rate="16 Mbit/s"), mp.Link(rate="1 Mbit/s")), lte=LINK)
    assert [network.links[name].rate for name in ("dsl", "dsl/back")] == [16_000_000, 1_000_000]
    assert network.links["lte/back"] == LINK
    wire = {"there": {"rate": "16 Mbit/s"}, "back": {"rate": "1 Mbit/s"}}
    written = {"disjoint": {"dsl": wire, "lte": {"rate": "10 Mbit/s", "delay": "5 ms"}}}
    assert mp.Network.model_validate(written) == network


def test_a_path_without_reverse_links_gets_copies_of_its_forward_links():
    slow = LINK.but(rate="1 Mbit/s")
    paths = {"one": mp.Path(forward=("a", "b")), "other": mp.Path(forward=("c",), reverse=("c",))}
    network = mp.Network(links={"a": LINK, "b": slow, "c": LINK, "b/back": LINK}, paths=paths)
    assert network.paths["one"].reverse == ("b/back", "a/back")
    assert network.paths["other"] == paths["other"]
    assert (network.links["a/back"], network.links["b/back"]) == (LINK, LINK)
    same = {"links": {"a": {"rate": "10 Mbit/s", "delay": "5 ms"}}, "paths": {"one": {"forward": ["a"]}}}
    assert mp.Network.model_validate(same).paths["one"].reverse == ("a/back",)


def test_a_topology_has_wires_between_nodes_and_paths_over_nodes():
    slow = LINK.but(rate="1 Mbit/s")
    network = mp.topology({"a-b": LINK, "b-d": (LINK, slow), "a-d": LINK}, {"north": "a b d", "south": "d a"})
    assert network.paths["north"] == mp.Path(forward=("a-b", "b-d"), reverse=("d-b", "b-a"))
    assert network.paths["south"] == mp.Path(forward=("d-a",), reverse=("a-d",))
    assert network.links["d-b"] == slow
    link = {"rate": "10 Mbit/s", "delay": "5 ms"}
    wires = {"a-b": link, "b-d": {"there": link, "back": {**link, "rate": "1 Mbit/s"}}, "a-d": link}
    written = {"topology": {"wires": wires, "paths": {"north": "a b d", "south": "d a"}}}
    assert mp.Network.model_validate(written) == network


def test_documents_of_simple_networks_have_no_optional_links_or_traces():
    flows = {"f": mp.Sctp(paths=["path1"])}
    document = json.loads(mp.Scenario(network=mp.bottleneck(LINK, paths=2), flows=flows).document())
    assert list(document["network"]["links"]) == ["bottleneck", "bottleneck/back"]
    assert document["network"]["paths"]["path2"] == {"forward": ["bottleneck"], "reverse": ["bottleneck/back"]}
    assert "trace" not in document["network"]["links"]["bottleneck"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: mp.bottleneck(LINK, paths=2, delays=["1 ms"]),
            "bottleneck.delays: ['1 ms'] is not a list of 2 delays",
        ),
        (lambda: mp.bottleneck(LINK, delays=["1 m"]), 'delay: "1 m" is no time'),
        (lambda: mp.dumbbell(LINK, [LINK], [LINK], delays=["1 ms", "2 ms"]), "is not a list of 1 delays"),
        (lambda: mp.topology({"a": LINK}, {"p": "a b"}), 'topology.wires: "a" is no wire between two nodes'),
        (lambda: mp.topology({"a-b": LINK, "b-a": LINK}, {"p": "a b"}), '"a-b" and "b-a" are the same wire'),
        (lambda: mp.topology({"a-b": LINK}, {"p": "a c"}), 'topology.paths.p: there is no wire "a-c"'),
        (lambda: mp.topology({"a-b": LINK}, {"p": "a"}), 'topology.paths.p: "a" is no path'),
        (lambda: mp.Path(forward=("a", "b", "a")), 'forward: "a" occurs twice: name each link once'),
        (lambda: mp.disjoint(a=(LINK,)), "disjoint.a:"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_an_invalid_network_is_refused_in_one_line(make, message: str):
    with pytest.raises(mp.UserError) as error:
        make()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_mistake_is_reported_with_the_direction_of_the_wire():
    wire = {"there": {"rate": "16 Mbps"}, "back": {"rate": "1 Mbit/s"}}
    with pytest.raises(mp.UserError, match=r"network\.disjoint\.dsl\.there\.rate: \"16 Mbps\" is no rate"):
        mp.Scenario(network={"disjoint": {"dsl": wire}}, flows={"f": mp.Sctp(paths=["dsl"])})
    with pytest.raises(mp.UserError, match="dsl needs exactly two links: give there and back"):
        mp.Scenario(network={"disjoint": {"dsl": {"there": wire["there"]}}}, flows={"f": mp.Sctp(paths=["dsl"])})


def test_a_million_paths_are_refused_and_many_paths_are_built():
    with pytest.raises(mp.UserError, match=r"bottleneck\.paths: 1000000 .*100000"):
        mp.bottleneck(LINK, paths=1_000_000)
    with pytest.raises(mp.UserError, match=r"dumbbell: 1000000 is not a number of paths: give 1 to 100000"):
        mp.dumbbell(LINK, [LINK] * 1_000_000, LINK)
    with pytest.raises(mp.UserError, match=r"network\.links: 1000000 .*give 400002 or less"):
        mp.Network(links=dict.fromkeys(map(str, range(1_000_000)), LINK), paths={"p": mp.Path(forward=("1",))})
    with pytest.raises(mp.UserError, match=r"and 9970 more$"):
        mp.Scenario(network=mp.bottleneck(LINK, paths=10_000), flows=one_flow("nowhere"))
    mp.run(mp.Scenario(network=mp.bottleneck(LINK, paths=10_000), flows=one_flow(), warmup="0 s", measure="1 s"))


def one_flow(path: str = "path1") -> dict[str, mp.Sctp]:
    return {"f": mp.Sctp(paths=[path], start="0 s")}


def test_an_event_after_the_end_is_refused_with_its_field():
    failing = LINK.but(events=[mp.Event(at="5 s", change="down"), mp.Event(at="60 s", change="up")])
    with pytest.raises(mp.UserError, match=r"network\.links\.a\.events\.1\.at: 60 s is after the end .* at 30 s"):
        mp.Scenario(network=mp.disjoint(a=failing), flows=one_flow("a"), warmup="10 s", measure="20 s")
    network = mp.disjoint(a=LINK).but(access=failing)
    with pytest.raises(mp.UserError, match=r"network\.access\.events\.1\.at"):
        mp.Scenario(network=network, flows=one_flow("a"), warmup="10 s", measure="20 s")
    assert mp.Scenario(network=mp.disjoint(a=failing), flows=one_flow("a"), warmup="10 s", measure="51 s")


def test_unused_paths_are_reported_and_do_not_stop_the_run(tmp_path: Path):
    network = mp.disjoint(a=LINK, b=LINK)
    assert mp.Scenario(network=network, flows={"f": mp.Sctp(paths=["a", "b"])}).remarks() == []
    scenario = mp.Scenario(network=network, flows=one_flow("a"), warmup="0 s", measure="1 s")
    assert scenario.remarks() == ["network.paths.b: no flow uses this path"]
    idle = network.but(links={**network.links, "c": LINK})
    assert scenario.but(network=idle).remarks()[1:] == ["network.links.c: no path uses this link"]
    crowd = scenario.but(network=mp.bottleneck(LINK, paths=100), flows=one_flow())
    assert (len(crowd.remarks()), crowd.remarks()[-1]) == (9, "network: more unused paths and links: 91")
    file = tmp_path / "idle.toml"
    link = 'rate = "10 Mbit/s"'
    file.write_text(
        f'warmup = "0 s"\nmeasure = "1 s"\nnetwork.disjoint.a = {{{link}}}\nnetwork.disjoint.b = {{{link}}}\n'
        'flows.f = {paths = ["a"], start = "0 s"}\n'
    )
    done = CliRunner().invoke(app, ["run", str(file)])
    assert (done.exit_code, done.stderr) == (0, "remark: network.paths.b: no flow uses this path\n")


def test_a_flow_on_very_many_paths_is_checked_quickly():
    # Comparing each path with all others would take a quarter of an hour
    paths = [f"p{number}" for number in range(500_000)]
    began = time.process_time()
    assert len(mp.Sctp(paths=paths).paths) == 500_000
    with pytest.raises(mp.UserError, match='"p7" is named twice'):
        mp.Sctp(paths=[*paths, "p7"])
    assert time.process_time() - began < 300
