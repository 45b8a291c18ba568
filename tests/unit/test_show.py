"""`manypath show` prints a summary of a scenario file."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import manypath as mp
from manypath import describe
from manypath.cli import main

FILE = """
warmup = "1 s"
measure = "2 s"
[network.disjoint]
south = { rate = "5 Mbit/s", delay = "1 ms", loss = { kind = "bernoulli", p = 0.01 } }
north = { rate = "10 Mbit/s", delay = "20 ms", queue = { kind = "codel" }, events = [{ at = "1 s", change = "down" }] }
[flows.both]
transport = "mptcp"
paths = ["south", "north"]
cc = "olia"
send_buffer = "2 MB"
sack = false
rto = { min = "400 ms" }
app = { kind = "cbr", rate = "1 Mbit/s" }
start = "0 s"
[flows.single]
paths = ["south"]
"""


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command on the file; return its output."""
    file = tmp_path / "two.toml"
    file.write_text(FILE)

    def show(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["manypath", "show", str(file), *options])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        return capsys.readouterr().out

    return show


def test_paths_links_flows_and_memory_are_shown(shown):
    printed = shown()
    assert re.search(r"south +1 +1 +4\.544 +5 Mbit/s +south +241\.1\n", re.sub(r" +\n", "\n", printed))
    assert re.search(r"south, back +5 Mbit/s +1 ms +drop-tail, 100 packets +1 % lost", printed)
    assert re.search(r"north, back +10 Mbit/s +20 ms +codel +1 s: down", printed)
    assert "both: Multipath TCP over south, north, congestion control olia" in printed
    assert re.search(r"measured time 2 s after a warm-up of 1 s; a run needs about [\d.]+ [kM]B of memory", printed)


def test_only_differences_from_the_defaults_are_shown_with_units(shown):
    lines = [line.strip() for line in shown().splitlines()]
    assert "differs from the defaults: sack off, send_buffer 2 MB, rto.min 400 ms" in lines
    assert "application: cbr, rate 1 Mbit/s" in lines
    assert "start: 0 ms" in lines
    assert sum(line.startswith("differs") for line in lines) == 1


def test_json_output_has_base_units_and_names_them(shown):
    printed = json.loads(shown("--json"))
    assert printed["units"]["times"] == "s"
    assert printed["units"]["network"] == "bit/s, ns and bytes, as in documents"
    assert printed["paths"]["north"]["rate"] == 10_000_000
    assert printed["paths"]["north"]["delay"] == 0.02
    assert printed["paths"]["north"]["full_queue"] is None
    assert printed["flows"]["single"]["differs"] == []
    assert printed["memory"] > 100_000


def test_the_network_is_drawn_into_a_file(shown, tmp_path: Path):
    assert f"plot: {tmp_path / 'network.svg'}" in shown("--plot", str(tmp_path / "network.svg"))
    assert "<svg" in (tmp_path / "network.svg").read_text()


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (mp.GilbertElliott(to_bad=0.01, to_good=0.3), "gilbert-elliott, to_bad 0.01, to_good 0.3"),
        (mp.BitError(rate=1e-6, spared="40 B"), "bit errors 1e-06, spared 40 B"),
        (mp.NoLoss(), ""),
    ],
)
def test_losses_are_described(part, words: str):
    assert describe.loss_words(part) == words


def test_the_limit_of_a_queue_agrees_with_its_noun():
    assert describe.queue_words(mp.DropTail(packets=1)) == "drop-tail, 1 packet"
    assert describe.queue_words(mp.DropTail(packets=10_000)) == "drop-tail, 10,000 packets"


def test_an_event_has_a_time_and_a_change():
    assert describe.event_words(mp.Event(at="60 s", rate="2 Mbit/s")) == "60 s: rate 2 Mbit/s"
    assert describe.event_words(mp.Event(at="60 s", loss=0.5)) == "60 s: 50 % lost"


def test_the_delay_of_a_different_reverse_path_counts():
    link = mp.Link(rate="10 Mbit/s", delay="20 ms")
    path = mp.Path(forward=("there",), reverse=("satellite",))
    network = mp.Network(links={"there": link, "satellite": link.but(delay="300 ms")}, paths={"p": path}, access=None)
    way = describe.way(network, path)
    assert (way.delay, way.delay_back) == (20_000_000, 300_000_000)
    assert describe.counterparts(network) == {"there": "satellite"}


def test_a_link_has_no_counterpart_if_reverse_paths_differ():
    link = mp.Link(rate="10 Mbit/s", delay="20 ms")
    ways = {"one": ("a", "b"), "two": ("a",), "three": ("c", "d")}
    backs = {"one": ("b/back", "a/back"), "two": ("b/back",), "three": ("d/back",)}
    paths = {name: mp.Path(forward=links, reverse=backs[name]) for name, links in ways.items()}
    names = {link for path in paths.values() for link in (*path.forward, *path.reverse)}
    network = mp.Network(links=dict.fromkeys(names, link), paths=paths)
    assert describe.counterparts(network) == {"b": "b/back"}
