"""Invalid scenario files: each gives a one-line error with field, value and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import SCENARIO, Desk, refused

SOUTH = 'delay = "1 ms"\nqueue = { kind = "drop-tail", packets = 100 }'
"""The fields of a link in the scenario; tests replace them."""

FLOW = 'cc = "cmt-rpv2"'
"""The settings of a flow in the scenario; tests replace them."""

TCP = 'path = "south"'
"""The settings of the TCP flow in the scenario; tests replace them."""

MISTAKES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # Numbers without a unit.
    "a delay without a unit": (SOUTH, "delay = 20", ("south.delay", "20", "unit", "ms")),
    "a fraction of a delay without a unit": (SOUTH, "delay = 0.05", ("south.delay", "0.05", "unit")),
    "a delay as text without a unit": (SOUTH, 'delay = "20"', ("south.delay", "20", "unit")),
    "a rate without a unit": ("5 Mbit/s", "5_000_000", ("south.rate",)),
    "a rate that is a number": ('rate = "5 Mbit/s"', "rate = 5000000", ("south.rate", "5000000", "unit", "bit/s")),
    "a jitter without a unit": (SOUTH, "jitter = 5", ("south.jitter", "5", "unit")),
    "an overhead without a unit": (SOUTH, "overhead = 7", ("south.overhead", "7", "unit", "B")),
    "a warm-up without a unit": ('warmup = "1 s"', "warmup = 1", ("warmup", "1", "unit")),
    "a measurement without a unit": ('measure = "2 s"', "measure = 2", ("measure", "2", "unit")),
    "a start without a unit": (FLOW, "start = 1", ("flows.cmt.start", "1", "unit")),
    "a buffer without a unit": (FLOW, "send_buffer = 1000000", ("flows.cmt.send_buffer", "1000000", "unit", "B")),
    "an MTU without a unit": (FLOW, "mtu = 1500", ("flows.cmt.mtu", "1500", "unit", "B")),
    "a timeout without a unit": (FLOW, "rto = { min = 1 }", ("flows.cmt.rto.min", "1", "unit")),
    "a message without a unit": (
        FLOW,
        'app = { kind = "saturated", message = 1000 }',
        ("flows.cmt.app.message", "1000", "unit", "B"),
    ),
    "an event without a unit": (SOUTH, 'events = [{ at = 1, change = "down" }]', ("south.events.0.at", "1", "unit")),
    # Invalid units.
    "Mbps": ("5 Mbit/s", "5 Mbps", ("south.rate", '"5 Mbps"', '"5 Mbit/s"')),
    "packets per second": ("5 Mbit/s", "166 pkt/s", ("south.rate", "166 pkt/s", "bit/s")),
    "a Greek letter for micro": (SOUTH, 'delay = "10 \\u03bcs"', ("south.delay", "10 us")),
    "an underscore in a number": ("5 Mbit/s", "1_000 Mbit/s", ("south.rate", "1_000 Mbit/s", "10 Mbit/s")),
    "a comma in a number": ("5 Mbit/s", "5,5 Mbit/s", ("south.rate", "5,5 Mbit/s", "10 Mbit/s")),
    "millimetres": (SOUTH, 'delay = "20 mm"', ("south.delay", "20 mm")),
    "a time as a rate": ("5 Mbit/s", "5 ms", ("south.rate", "5 ms")),
    "no number at all": ("5 Mbit/s", "fast", ("south.rate", "fast", "10 Mbit/s")),
    "an empty text": ("5 Mbit/s", "", ("south.rate",)),
    "two numbers": ("5 Mbit/s", "5 10 Mbit/s", ("south.rate", "5 10 Mbit/s")),
    "a word for infinity": ("5 Mbit/s", "inf Mbit/s", ("south.rate", "inf Mbit/s")),
    "a negative delay": (SOUTH, 'delay = "-1 ms"', ("south.delay", "-1 ms", "negative")),
    "a rate of zero": ("5 Mbit/s", "0 Mbit/s", ("south.rate", "more than 0")),
    "a rate that is too large": ("5 Mbit/s", "1e30 Mbit/s", ("south.rate", "1e30 Mbit/s", "large")),
    "a rate that overflows a float": ("5 Mbit/s", "1e300 Mbit/s", ("south.rate", "1e300 Mbit/s", "large")),
    "half a nanosecond": (SOUTH, 'delay = "0.5 ns"', ("south.delay", "0.5 ns", "ns")),
    # Wrong types.
    "a rate that is true": ('rate = "5 Mbit/s"', "rate = true", ("south.rate",)),
    "a rate that is a list": ('rate = "5 Mbit/s"', 'rate = ["5 Mbit/s"]', ("south.rate",)),
    "a size of a queue that is true": ("packets = 100", "packets = true", ("south.queue.packets", "true", "number")),
    "a count that is true": (FLOW, "streams = true", ("flows.cmt.streams", "true", "number")),
    "a rate that is a date": ('rate = "5 Mbit/s"', "rate = 2020-01-01", ("south.rate", "10 Mbit/s")),
    "a count that is infinite": (FLOW, "sack_every = inf", ("flows.cmt.sack_every", "inf")),
    "a count of thousands of digits": (FLOW, "streams = 0x" + "f" * 5000, ("flows.cmt.streams", "65535")),
    "a link that is a text": ("[network.disjoint.north]", "[network]\ndisjoint.east = 'x'\n[other]", ("",)),
    "paths that are no list": ('paths = ["south", "north"]', "paths = 7", ("flows.cmt.paths", "7")),
    "paths of numbers": ('paths = ["south", "north"]', "paths = [1, 2]", ("flows.cmt.paths", "1")),
    "a switch that is a number": (FLOW, "nagle = 17", ("flows.cmt.nagle", "17")),
    "a switch that is the number 1": (FLOW, "nagle = 1", ("flows.cmt.nagle", "1", "true nor false")),
    "a switch that is a word": (FLOW, 'nagle = "yes"', ("flows.cmt.nagle", '"yes"', "true nor false")),
    "a count that is a text": (FLOW, 'streams = "3"', ("flows.cmt.streams", '"3"', "quotation marks")),
    "a length of a queue that is a text": (
        "packets = 100",
        'packets = "100"',
        ("south.queue.packets", '"100"', "quotation marks"),
    ),
    "a weight that is a text": (
        '{ kind = "drop-tail", packets = 100 }',
        '{ kind = "red", weight = "0.002" }',
        ("south.queue.weight", '"0.002"', "quotation marks"),
    ),
    "a count with a fraction": (FLOW, "sack_every = 1.5", ("flows.cmt.sack_every", "1.5")),
    "a count that is too large": (FLOW, "streams = 70000", ("flows.cmt.streams", "70000", "65535")),
    "a negative count": (FLOW, "path_max_retransmissions = -1", ("path_max_retransmissions", "-1", "0 or more")),
    # Unknown names.
    "a key with a typing error": (FLOW, 'ccc = "newreno"', ("flows.cmt.ccc", '"cc"')),
    "a key at the top": ('warmup = "1 s"', 'warm = "1 s"', ("warm", '"warmup"')),
    "an unknown congestion control": ("cmt-rpv2", "cmt-rpv3", ("flows.cmt.cc", "cmt-rpv3", "did you mean")),
    "an unknown parameter": ("cmt-rpv2", "bmc:share=1", ("flows.cmt.cc", "share", "shares")),
    "a parameter out of range": ("cmt-rpv2", "weighted-aimd:weight=-1", ("flows.cmt.cc", "-1")),
    "an unknown profile": (FLOW, 'profile = "linux"', ("flows.cmt.profile", "linux", "inet")),
    "an unknown transport": ('transport = "tcp"', 'transport = "quic"', ("flows", "quic", "mptcp")),
    "an unknown queue": ('"drop-tail"', '"droptail"', ("south.queue", "droptail", "drop-tail")),
    "an unknown loss model": (SOUTH, 'loss = { kind = "random", p = 0.1 }', ("south.loss", "random", "bernoulli")),
    "an unknown application": (FLOW, 'app = { kind = "ftp" }', ("flows.cmt.app", "ftp", "saturated")),
    "an unknown scheduler": (
        'transport = "tcp"\npath = "south"',
        'transport = "mptcp"\npaths = ["south"]\nscheduler = "blest"',
        ("flows.tcp.scheduler", "blest", "lowest-rtt"),
    ),
    "a key of another transport": (TCP, f"{TCP}\nnr_sack = true", ("flows.tcp.nr_sack",)),
    "an unknown path": ('path = "south"', 'path = "soth"', ("flows.tcp.path", "soth", '"south"')),
    "a path with a name of 10,000 letters": ('["south", "north"]', f'["{"x" * 10_000}"]', ("flows.cmt.paths", "south")),
    "a path that is named twice": ('["south", "north"]', '["south", "south"]', ("flows.cmt.paths", "south", "twice")),
    "no path": ('["south", "north"]', "[]", ("flows.cmt.paths", "empty")),
    # Invalid or contradictory settings.
    "a probability above one": (
        SOUTH,
        'loss = { kind = "bernoulli", p = 2 }',
        ("south.loss", ".p", "2", "1 or less"),
    ),
    "a probability above 100 %": (SOUTH, 'loss = "150 %"', ("south.loss", "150 %", '"100 %"')),
    "a probability that is no number": (SOUTH, 'loss = { kind = "bernoulli", p = nan }', ("south.loss", "nan")),
    "thresholds in the wrong order": (
        '{ kind = "drop-tail", packets = 100 }',
        '{ kind = "red", packets = 100, min = 90, max = 30 }',
        ("south.queue", "90", "30"),
    ),
    "a queue without room": ("packets = 100", "packets = 0", ("south.queue", "packets", "0")),
    "an event without a change": (SOUTH, 'events = [{ at = "1 s" }]', ("south.events.0", "change")),
    "an event with two changes": (
        SOUTH,
        'events = [{ at = "1 s", rate = "1 Mbit/s", delay = "1 ms" }]',
        ("south.events.0", "one change"),
    ),
    "events in the wrong order": (
        SOUTH,
        'events = [{ at = "2 s", change = "up" }, { at = "1 s", change = "down" }]',
        ("south.events", "order"),
    ),
    "an event after the end": (
        SOUTH,
        'events = [{ at = "1 h", change = "down" }]',
        ("network.disjoint.south.events.0.at", "3600 s", "end"),
    ),
    "a flow that starts after the end": (FLOW, 'start = "1 h"', ("flows.cmt.start", "3600 s", "end")),
    "a range of starts that ends before it begins": (FLOW, 'start = ["2 s", "1 s"]', ("flows.cmt.start", "2 s", "1 s")),
    "sizes in the wrong order": (
        FLOW,
        'app = { kind = "saturated", message = ["1000 B", "500 B"] }',
        ("flows.cmt.app.message", "1 kB", "500 B"),
    ),
    "bounds of a timeout in the wrong order": (
        FLOW,
        'rto = { min = "5 s", max = "1 s" }',
        ("flows.cmt.rto", "5 s", "1 s"),
    ),
    "a message beyond the buffer": (
        FLOW,
        'send_buffer = "1 kB"',
        ("flows.cmt.send_buffer: 1 kB cannot be used", "give at least flows.cmt.app.message.max, which is 1452 B"),
    ),
    "a measurement of zero seconds": ('measure = "2 s"', 'measure = "0 s"', ("measure", "0 s")),
    "both path and paths": (TCP, f'{TCP}\npaths = ["south"]', ("flows.tcp", "path", "paths")),
    "two paths for TCP": (TCP, 'paths = ["south", "north"]', ("flows.tcp.paths", "2 paths", "Mptcp")),
    "a buffer beyond the memory": (FLOW, 'send_buffer = "1000000 GB"', ("flows.cmt.send_buffer", "GB")),
}
"""Replaced text of the scenario, replacement, and expected fragments of the error."""

BYTES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "an empty file": (b"", ("is empty", "network")),
    "binary data": (b"\xff\xfe\x00\x01" * 40, ("bad.toml",)),
    "XML": (b"<xml>network</xml>", ("bad.toml", "TOML")),
    "a truncated file": (SCENARIO.encode()[:60], ("bad.toml",)),
    "a key twice": (SCENARIO.encode() + b'\n[flows.cmt]\npaths = ["north"]\n', ("bad.toml", "cmt")),
    "deeply nested tables": (b"a" + b".a" * 20000 + b" = 1", ("bad.toml",)),
    "deeply nested lists": (b"network = " + b"[" * 100_000, ("bad.toml",)),
}
"""Files that are not valid TOML, or have no valid table."""

NETWORKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "two directions": (
        '[network.disjoint.a]\nthere = { rate = "1 Mbit/s" }\nback = { rate = "1 Mbit/s", queue = QUEUE }',
        ("network.disjoint.a.back.queue.packets", "4000000000"),
    ),
    "a bottleneck": (
        '[network.bottleneck]\nlink = { rate = "1 Mbit/s", queue = QUEUE }\npaths = 1',
        ("network.bottleneck.link.queue.packets", "4000000000"),
    ),
    "a topology": (
        '[network.topology]\nwires = { x-y = { rate = "1 Mbit/s", queue = QUEUE } }\npaths = { a = "x y" }',
        ("network.topology.wires.x-y.queue.packets", "4000000000"),
    ),
    "a topology without wires": ("[network]\ntopology = 3", ("network.topology", "3")),
    "disjoint links that are a list": ("[network]\ndisjoint = [3]", ("network.disjoint",)),
}
"""Short forms of networks. Most have a queue that exceeds the memory."""

FULL = 'send_buffer = "5000 GB"\n'
"""What a flow needs to fill such a queue."""

JSON: dict[str, tuple[str, tuple[str, ...]]] = {
    "a list": ("[]", ("bad.json", "table")),
    "a number": ("1", ("bad.json", "table")),
    "half of a surrogate pair": (
        '{"network": {"disjoint": {"a": {"rate": "1 Mbit/s"}}}, "flows": {"\\ud800": {"paths": ["a"]}}}',
        ("bad.json", "ud800", "character"),
    ),
    "half of a surrogate pair in a quantity": (
        '{"warmup": "\\ud800 s", "network": {}, "flows": {}}',
        ("bad.json", "warmup", "ud800", "is no time"),
    ),
    "half of a surrogate pair in a choice": (
        '{"network": {"disjoint": {"a": {"rate": "1 Mbit/s", "queue": {"kind": "\\ud800"}}}}, "flows": {}}',
        ("bad.json",),
    ),
    "a truncated text": ('{"network": ', ("bad.json", "JSON")),
    "a key twice": ('{"warmup": "1 s", "warmup": "2 s", "network": {}, "flows": {}}', ("bad.json", "warmup", "twice")),
    "a key twice, deep inside": (
        '{"network": {"disjoint": {"a": {"rate": "1 Mbit/s", "rate": "2 Mbit/s"}}}, "flows": {"f": {"paths": ["a"]}}}',
        ("bad.json", "rate", "twice"),
    ),
    "not a number": ('{"warmup": NaN, "network": {}, "flows": {}}', ("bad.json",)),
}
"""Invalid JSON files."""

LINKS = """
measure = "2 s"
warmup = "0 s"
[network.links]
a = { rate = "5 Mbit/s", delay = "1 ms" }
b = { rate = "5 Mbit/s", delay = "1 ms" }
[network.paths]
p = { forward = ["a"], reverse = ["b"] }
[flows.f]
paths = ["p"]
"""
"""A network in long form, with links and paths."""

PATHS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "an unknown link": ('forward = ["a"]', 'forward = ["c"]', ("paths.p.forward", '"c"')),
    "a link twice in one path": ('forward = ["a"]', 'forward = ["a", "a"]', ("paths.p.forward", '"a"', "twice")),
    "a path without links": ('forward = ["a"]', "forward = []", ("paths.p.forward", "empty")),
    "a short form beside links": ("[network.links]", "[network]\nbottleneck = 3\n[network.links]", ("network",)),
}
"""The replaced text of `LINKS`, the new text, and fragments of the error line."""


def answered(desk: Desk, name: str, content: str | bytes, fragments: tuple[str, ...]) -> None:
    desk.put(name, content)
    refused(desk.manypath("run", name), name, *fragments)
    assert desk.lost() == []


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk.laid_out(tmp_path)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_scenario_is_reported_in_one_line(mistake: str, desk: Desk):
    old, new, fragments = MISTAKES[mistake]
    assert old in SCENARIO
    answered(desk, "bad.toml", SCENARIO.replace(old, new, 1), fragments)


TRACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "a folder": ("site", ("site", "Is a directory")),
    "a missing file": ("nowhere.down", ("nowhere.down", "No such file")),
    "a device without an end": ("/dev/zero", ("/dev/zero", "MB")),
    "a device without content": ("/dev/null", ("/dev/null", "no opportunity")),
    "a text": ("notes.txt", ("notes.txt", "line 1", "milliseconds")),
}
"""Files that are not traces of a link."""


@pytest.mark.parametrize("case", TRACES)
def test_a_wrong_trace_is_reported_in_one_line(case: str, desk: Desk):
    name, fragments = TRACES[case]
    scenario = SCENARIO.replace('rate = "5 Mbit/s"', f'trace = "{name}"', 1)
    answered(desk, "bad.toml", scenario, ("south.trace", *fragments))


@pytest.mark.parametrize("mistake", BYTES)
def test_an_invalid_file_is_reported_in_one_line(mistake: str, desk: Desk):
    content, fragments = BYTES[mistake]
    answered(desk, "bad.toml", content, fragments)


@pytest.mark.parametrize("mistake", JSON)
def test_wrong_json_is_reported_in_one_line(mistake: str, desk: Desk):
    content, fragments = JSON[mistake]
    answered(desk, "bad.json", content, fragments)


@pytest.mark.parametrize("mistake", PATHS)
def test_a_wrong_path_is_reported_in_one_line(mistake: str, desk: Desk):
    old, new, fragments = PATHS[mistake]
    answered(desk, "bad.toml", LINKS.replace(old, new, 1), fragments)


@pytest.mark.parametrize("form", NETWORKS)
def test_a_mistake_in_a_short_form_is_reported_with_its_field_in_the_file(form: str, desk: Desk):
    network, fragments = NETWORKS[form]
    queue = '{ kind = "drop-tail", packets = 4000000000 }'
    path = "path1" if "bottleneck" in network else "a"
    answered(desk, "bad.toml", network.replace("QUEUE", queue) + f'\n[flows.f]\npaths = ["{path}"]\n{FULL}', fragments)
