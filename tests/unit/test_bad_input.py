"""Invalid input is reported in one line with field, value and remedy; the command exits with code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath.campaign.sweep import Sweep
from manypath.emulation import Emulation
from manypath.expect import Description

GOOD = """
warmup = "1 s"
measure = "2 s"
[network.disjoint.south]
rate = "5 Mbit/s"
delay = "1 ms"
[flows.cmt]
paths = ["south"]
cc = "cmt-rpv2"
"""

BAD = {
    "unknown key": ("cc =", "ccc =", "flows.cmt.ccc: unknown key", 'did you mean "cc"?'),
    "unknown algorithm": (
        "cmt-rpv2",
        "cmt-rpv22",
        'flows.cmt.cc: there is no congestion control "cmt-rpv22"',
        'did you mean "cmt-rpv2"?',
    ),
    "unknown transport": ("[flows.cmt]", '[flows.cmt]\ntransport = "tpc"', 'cmt: transport "tpc" is unknown', '"tcp"'),
    "two paths for TCP": (
        'paths = ["south"]',
        'transport = "tcp"\npaths = ["south", "south2"]',
        "flows.cmt.paths: 2 paths are too many for TCP",
        "give one, or use Mptcp",
    ),
    "key of SCTP in TCP": (
        "paths =",
        'transport = "tcp"\nsack_every = 2\npaths =',
        "flows.cmt.sack_every: unknown key",
        '"ack_every"',
    ),
    "unknown parameter": (
        "cmt-rpv2",
        "weighted-aimd:wait=1",
        'flows.cmt.cc: there is no parameter of weighted-aimd "wait"',
        'did you mean "weight"?',
    ),
    "parameter of an algorithm without parameters": (
        "cmt-rpv2",
        "lia:weight=1",
        'no parameter of lia "weight"',
        "there is none",
    ),
    "bad parameter": (
        "cmt-rpv2",
        "weighted-aimd:weight=x",
        'weighted-aimd:weight: "x" cannot be used',
        "a number from 0.01 to 100",
    ),
    "no unit": ('delay = "1 ms"', "delay = 20", 'south.delay: 20 has no unit: write "20 ms"', "units: ns, us"),
    "no unit after a decimal": ('delay = "1 ms"', "delay = 0.05", "0.05 has no unit", 'write "50 ms"'),
    "size without unit": ("paths =", "mtu = 1500\npaths =", 'flows.cmt.mtu: 1500 has no unit: write "1.5 kB"', "B, kB"),
    "rate of packets": ("5 Mbit/s", "166 pkt/s", '"166 pkt/s" counts packets', 'write "1992 kbit/s"'),
    "rate beyond counting": ("5 Mbit/s", "1e300 Mbit/s", "is too large", 'write at most "9223372036 Gbit/s"'),
    "loss above 1": ('delay = "1 ms"', "loss = 2", "south.loss: 2 is too large", "give 1"),
    "start without a number": ("paths =", 'start = "soon"\npaths =', 'flows.cmt.start: "soon" is no time', '"20 ms"'),
    "start without unit": ("paths =", "start = 5\npaths =", "flows.cmt.start: 5 has no unit", '"5 ms"'),
    "bounds of a timeout": (
        "paths =",
        'rto = { min = "5 s" }\npaths =',
        "flows.cmt.rto: initial 3 s is below min 5 s",
        "give initial equally much or more",
    ),
    "path of TCP": (
        'paths = ["south"]',
        'transport = "tcp"\npath = "soth"',
        'flows.cmt.path: "soth" is no path',
        'did you mean "south"?',
    ),
    "wrong unit": ("5 Mbit/s", "5 Mbps", 'network.disjoint.south.rate: "5 Mbps" is no rate', '"5 Mbit/s"'),
    "negative rate": ("5 Mbit/s", "-5 Mbit/s", 'south.rate: "-5 Mbit/s" is negative', '"10 Mbit/s"'),
    "zero rate": ("5 Mbit/s", "0 Mbit/s", "south.rate: 0 Mbit/s is too small", "more than 0 Mbit/s"),
    "zero paths": ('["south"]', "[]", "flows.cmt.paths: is empty", "give 1 or more"),
    "no such path": ('["south"]', '["soth"]', 'flows.cmt.paths: "soth" is no path', 'did you mean "south"?'),
    "warm-up beyond the end": ('"2 s"', '"0 s"', "measure: 0 s is too short", 'give more, such as "300 s"'),
    "late start": (
        'cc = "cmt-rpv2"',
        'start = "1 h"',
        "flows.cmt.start: 3600 s is after the end",
        "give an earlier start",
    ),
    "message beyond a buffer": (
        'cc = "cmt-rpv2"',
        'send_buffer = "1 kB"',
        "bad.toml: flows.cmt.send_buffer: 1 kB cannot be used",
        "at least flows.cmt.app.message.max, which is 1452 B",
    ),
    "message beyond the other buffer": (
        'cc = "cmt-rpv2"',
        'receive_buffer = "1 kB"',
        "flows.cmt.receive_buffer: 1 kB cannot be used",
        "at least flows.cmt.app.message.max, which is 1452 B",
    ),
    "a written message beyond a buffer": (
        'cc = "cmt-rpv2"',
        'app = { kind = "saturated", message = "2 MB" }',
        "flows.cmt.app.message: 2 MB cannot be used",
        "at most flows.cmt.send_buffer, which is 1 MB",
    ),
    "transfer of less than a message": (
        'cc = "cmt-rpv2"',
        'app = { kind = "transfer", size = "1 kB" }',
        "bad.toml: flows.cmt.app.size: 1 kB cannot be used",
        "at least flows.cmt.app.message.max, which is 1452 B",
    ),
    "no network": ("[network.disjoint.south]", "[networks.south]", "networks: unknown key", '"network"'),
    "a text for a list": ('["south"]', '"south"', 'flows.cmt.paths: "south" is no list', 'write ["south"]'),
    "a number for a queue": (
        'delay = "1 ms"',
        "queue = 50",
        "network.disjoint.south.queue: 50 is no table with a kind",
        'write { kind = "drop-tail", packets = 50 }',
    ),
    "a link with the name of a reverse link": (
        "[flows.cmt]",
        '[network.disjoint."south/back"]\nrate = "1 Mbit/s"\n[flows.cmt]',
        'disjoint: "south/back" is also the name of the reverse link of "south"',
        "choose another name",
    ),
    "no TOML": ("[flows.cmt]", "[flows.cmt", "invalid TOML", "correct it"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_in_one_line(case: str, tmp_path: Path):
    right, wrong, message, remedy = BAD[case]
    assert right in GOOD
    file = tmp_path / "bad.toml"
    file.write_text(GOOD.replace(right, wrong, 1))
    with pytest.raises(mp.UserError) as error:
        mp.Scenario.from_file(file)
    first = str(error.value).splitlines()[0]
    assert message in first
    assert remedy in first


@pytest.mark.parametrize("delay", ["0", '"0"', '"0 s"', "0.0"])
def test_zero_needs_no_unit(delay: str, tmp_path: Path):
    file = tmp_path / "zero.toml"
    file.write_text(GOOD.replace('"1 ms"', delay).replace("cmt-rpv2", "lia"))
    assert mp.Scenario.from_file(file).network.links["south"].delay == 0


@pytest.mark.parametrize(
    ("read", "table"),
    [
        (mp.Scenario.from_file, '{"network": {"disjoint": {"a": {"rate": "1 Mbit/s", "rate": "2 Mbit/s"}}}}'),
        (Sweep.from_file, '{"seed": 1, "replications": 3, "rate": 1, "rate": 2}'),
        (Description.from_file, '{"paths": {"a": {"rate": "1 Mbit/s", "rtt": "1 ms", "rate": "1 Mbit/s"}}}'),
        (Emulation.from_file, '{"rate": {}, "rate": {}}'),
    ],
)
def test_a_duplicate_json_key_is_reported(read, table: str, tmp_path: Path):
    file = tmp_path / "twice.json"
    file.write_text(table)
    with pytest.raises(
        mp.UserError, match=r'invalid JSON \(the key "rate" occurs twice in one table\): correct it there'
    ):
        read(file)


NESTED = {
    "arrays.toml": "a = " + "[" * 5_000_000 + "]" * 5_000_000,
    "keys.toml": "a." * 5_000_000 + "a = 1",
    "quoted.toml": '"a" . ' * 1_600_000 + "a = 1",
    "tables.toml": f"[network.{'a.' * 5_000_000}a]",
    "inline.toml": "a = { " + "a." * 5_000_000 + "a = 1 }",
    "arrays.json": "[" * 5_000_000 + "]" * 5_000_000,
    "objects.json": '{"a":' * 1_600_000 + "1" + "}" * 1_600_000,
}


@pytest.mark.parametrize("name", NESTED)
def test_ten_megabytes_of_nesting_are_refused_quickly(name: str, tmp_path: Path):
    (tmp_path / name).write_text(NESTED[name])
    with pytest.raises(mp.UserError) as error:
        mp.Scenario.from_file(tmp_path / name)
    (line,) = str(error.value).splitlines()
    assert "nested too deeply" in line
    assert len(line) < 1000


def test_a_word_of_ten_megabytes_is_not_refused_as_nesting(tmp_path: Path):
    file = tmp_path / "long.toml"
    file.write_text(f'{GOOD}\n# {"." * 1_000_000} {"a.b " * 10}\n[more]\nword = "{"a" * 10_000_000}"\n')
    with pytest.raises(mp.UserError, match="more: unknown key"):
        mp.Scenario.from_file(file)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: mp.Link(rate="5 Mbit/s", queue={"kind": "drop-tale", "packets": 1}),
            'queue: kind "drop-tale" is unknown',
        ),
        (lambda: mp.Link(rate="5 Mbit/s", loss=mp.Bernoulli(p=1.5)), "p: 1.5 is too large: give 1"),
        (mp.DropTail, "needs exactly one limit: give packets"),
        (lambda: mp.DropTail(packets=0), "packets: 0 is too small"),
        (lambda: mp.Red(min=50, max=20), "max 20 is not above min 50"),
        (mp.disjoint, "no paths: give one or more"),
        (
            lambda: mp.Network(links={"x": mp.Link(rate="1 bit/s")}, paths={"p": mp.Path(forward=("x", "z"))}),
            'paths.p.forward: "z" is no link of this network: known: x',
        ),
        (lambda: mp.theory.fluid(5), "scenario: 5 is no Scenario: give"),  # pyright: ignore[reportArgumentType]
        (lambda: mp.Scenario.from_fields([]), "fields: [] is no Mapping: give"),  # pyright: ignore[reportArgumentType]
        (
            lambda: mp.ideal("lia", losses=[0.1], rtts="100 ms", packets=10**30),
            f"packets: {10**30} is too large: give 1 to",
        ),
        (lambda: mp.bottleneck(mp.Link(rate="1 bit/s"), paths=0), "bottleneck.paths: 0 is not a number of paths"),
        (
            lambda: mp.dumbbell(mp.Link(rate="1 bit/s"), [mp.Link(rate="1 bit/s")], []),
            "dumbbell: 1 senders and 0 receivers: give one of each",
        ),
        (lambda: mp.Sctp(paths=["a", "a"]), 'paths: "a" is named twice'),
        (lambda: mp.Sctp(paths=["a"], sfr="perhaps"), 'sfr: "perhaps" is neither true nor false'),
        (lambda: mp.Sctp(paths=["a"], cuc="v3"), 'cuc: "v3" is unknown: did you mean "v1"?'),
        (lambda: mp.Sctp(paths=["a"], profile="rfc9206"), 'did you mean "rfc9260"?'),
        (lambda: mp.Tcp(path="a", paths=["b"]), "path and paths are both given"),
        (lambda: mp.Tcp(paths=["a", "b"]), "paths: 2 paths are too many for TCP: give one, or use Mptcp"),
        (
            lambda: mp.Tcp(path="a", cc="newrenos"),
            'cc: there is no congestion control "newrenos": did you mean "newreno"?',
        ),
        (lambda: mp.Tcp(path="a", sack_every=2), 'sack_every: unknown key: did you mean "ack_every"?'),
        (
            lambda: mp.Sctp(paths=["a"], scheduler="redundant"),
            'scheduler: unknown key: only valid for transport = "mptcp"',
        ),
        (
            lambda: mp.Sctp(paths=["a"], initial_window="3 kB"),
            'initial_window: unknown key: only valid for transport = "mptcp" or "tcp"',
        ),
        (lambda: mp.Sctp(paths=[b"a"]), "paths: b'a' is no text: write a text, in quotation marks"),
        (lambda: mp.Sctp(paths=["a"], cc=b"lia"), "cc: b'lia' is no text: write a text, in quotation marks"),
        (lambda: mp.Link(rate=b"5 Mbit/s"), "rate: b'5 Mbit/s' is no rate: write "),
        (lambda: mp.Tcp(path="a", scheduler="redundant"), "scheduler: unknown key"),
        (lambda: mp.Tcp(path="a", option_bytes="10 B"), "option_bytes: 10 B does not fit: give a multiple of 4 B"),
        (
            lambda: mp.Tcp(path="a", smallest_window=11),
            "smallest_window: 11 segments is more than initial_window, 10: give 10 or less, or a larger initial_window",
        ),
        (
            lambda: mp.Mptcp(paths=["a"], smallest_window=4, initial_threshold=3),
            "initial_threshold: 3 segments is less than smallest_window, 4: give 4 or more",
        ),
        (lambda: mp.TcpRto(rule="rfc6289"), 'rule: "rfc6289" is unknown: did you mean "rfc6298"?'),
        (lambda: mp.Tcp(path="a", rto=mp.TcpRto(min="2 s")), "initial 1 s is below min 2 s"),
        (
            lambda: mp.Mptcp(paths=["a"], scheduler="lowest"),
            'scheduler: "lowest" is unknown: did you mean "lowest-rtt"?',
        ),
        (lambda: mp.Mptcp(paths=["a", "a"]), 'paths: "a" is named twice'),
        (lambda: mp.Event(at="1 s"), "needs exactly one change"),
        (lambda: mp.Event(at="1 s", loss=2), "loss: 2 is too large: give 1"),
        (lambda: mp.BitError(rate=-1), "rate: -1 is too small: give 0 or more"),
        (lambda: mp.GilbertElliott(to_bad=0.1), "to_good: missing"),
        (lambda: mp.Saturated(message=("1452 B", "500 B")), "message: max 500 B is below min 1452 B"),
        (lambda: mp.Cbr(rate="0 Mbit/s"), "rate: 0 Mbit/s is too small: give more than 0 Mbit/s"),
        (lambda: mp.Cbr(rate="2 Mbit/s", mesage=500), 'mesage: unknown key: did you mean "message"?'),
        (lambda: mp.OnOff(rate="2 Mbit/s", on="0 s", off="1 s"), "on: 0 s is too small: give more than 0 s"),
        (lambda: mp.Sctp(paths=["a"], app={"kind": "cbrr"}), 'app: kind "cbrr" is unknown: did you mean "cbr"?'),
    ],
)
def test_a_bad_value_is_reported_with_its_field(make, text: str):
    with pytest.raises(mp.UserError) as error:
        make()
    assert text in str(error.value)
    assert "\n" not in str(error.value)


def test_every_mistake_is_reported_in_its_own_line(tmp_path: Path):
    file = tmp_path / "bad.toml"
    file.write_text(GOOD.replace("5 Mbit/s", "5 Mbps").replace("cmt-rpv2", "rpv2"))
    with pytest.raises(mp.UserError) as error:
        mp.Scenario.from_file(file)
    assert len(str(error.value).splitlines()) == 2


def test_a_congestion_control_may_have_parameters_in_its_name(scenario):
    flow = scenario().flows["cmt"].but(cc="weighted-aimd:weight=1/2")
    assert mp.run(scenario().but(flows={"cmt": flow})).goodput["cmt"] > 0


def test_a_scenario_that_exceeds_the_memory_is_refused_with_the_field(scenario):
    greedy = scenario()
    flow = greedy.flows["cmt"].but(send_buffer="100000000 GB")
    with pytest.raises(mp.UserError, match=r"flows\.cmt\.send_buffer.* less"):
        mp.run(greedy.but(flows={**greedy.flows, "cmt": flow}))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (["run", "no\nwhere.toml"], "no\\u000awhere.toml: there is no such file"),
        (["run", "bad.toml"], 'cmt.cc: there is no congestion control "cmt-rpv22": did you mean "cmt-rpv2"?'),
        (["run", "good.toml", "--series", "0 s"], "series: 0 s is no interval"),
        (["run", "good.toml", "--seed", "-1"], "seed: -1 is not a number of 64 bits"),
        (["bench", "D1000"], 'scenario: "D1000" is no row'),
        (["papers", "dreibholz2011_impct"], 'did you mean "dreibholz2011_impact"?'),
        (["papers", *2 * ["failover"]], 'paper: "failover" is given twice: give each paper once'),
        (["report", *2 * ["failover"]], 'paper: "failover" is given twice: give each paper once'),
        (["reconstruct", *2 * ["honda2009_bmc"]], 'paper: "honda2009_bmc" is given twice: give each paper once'),
        (["papers", "dreibholz2012_testbed", "--runs", "-5"], "runs: -5 is not a number of replications: give 1"),
        (["papers", "dreibholz2012_testbed", "--runs", "1000000000"], "runs: 1000000000 is too large: give 1 to 1000"),
        (["papers", "dreibholz2012_testbed", "--figure", "99"], "figure: 99 is no figure of dreibholz2012_testbed"),
        (["papers", "--publish"], "--publish: needs results with full precision: give --full, too"),
        (["papers", "--publish", "--full", "--runs", "2"], "--publish: needs whole papers, but --runs runs a part"),
        (["papers", "--publish", "--full", "--no-causes"], "--publish: needs causes, too: leave --no-causes out"),
        (["papers", "--shard", "1/2", "--figure", "3"], "--figure: has no results with --shard"),
        (["papers", "--shard", "1/2", "--verbose"], "--verbose: has no results with --shard"),
        (["papers", "--verbose", "--json"], "--verbose: has no effect with --json"),
        (["papers", "--shard", "5/2"], 'shard: "5/2" is no part'),
        (["papers", "--dask", "tcp://127.0.0.1:1", "--workers", "2"], "--workers: counts threads of this machine"),
        (["runn", "good.toml"], "No such command 'runn'. Did you mean 'run'?; see "),
        (["run", "good.toml", "--sed", "7"], "manypath run: No such option: --sed (Possible options: --seed"),
        (["run", "good.toml", "--seed", "seven"], '--seed: "seven" is no whole number: write a whole number'),
        (["list", "queue"], 'KIND: "queue" is no kind of names: did you mean "queues"?'),
        (["expect"], "--path: missing: give --path '10 Mbit/s, 40 ms' for each path, or a file"),
        (["expect", "--path", "a: 4 Mbit/s, 20 ms", "--tcp", f"a={'9' * 5000}"], "--tcp: "),
        (["expect", "--tcp", "a=1"], "--path: missing: give --path"),
        (["run"], "manypath run: Missing argument 'file'; see "),
    ],
)
def test_the_command_ends_with_2_and_without_a_traceback(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called
):
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "bad.toml").write_text(GOOD.replace("cmt-rpv2", "cmt-rpv22"))
    monkeypatch.chdir(tmp_path)
    printed = called(*arguments, code=2)
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.startswith("error: ")
    assert message in line


@pytest.mark.parametrize("output", ["capture", "events"])
def test_a_file_name_that_is_not_in_utf_8_is_refused_before_the_run(output: str, tmp_path: Path):
    link = mp.Link(rate="5 Mbit/s", delay="1 ms")
    scenario = mp.Scenario(network=mp.disjoint(a=link), flows={"f": mp.Tcp(path="a")}, warmup="1 s", measure="1 s")
    outputs: dict[str, Any] = {output: tmp_path / "name\udcff"}
    with pytest.raises(mp.UserError, match=rf"^{output}: .*\\udcff.* is not in UTF-8: give another name$"):
        mp.run(scenario, **outputs)
    assert not list(tmp_path.iterdir())


SEVERAL = """
warmpu = "1 s"
measure = "-5 s"
[network.disjoint.south]
rate = "10 Mbit"
dealy = "1 ms"
[flows.cmt]
paths = ["south"]
cc = "nonsense"
send_bufer = "1 MB"
nagle = "yes"
"""
"""Unknown keys and wrong values in the same tables."""


def test_unknown_keys_do_not_hide_the_other_mistakes(tmp_path: Path):
    (tmp_path / "several.toml").write_text(SEVERAL)
    with pytest.raises(mp.UserError) as error:
        mp.Scenario.from_file(tmp_path / "several.toml")
    assert {line.split(": ")[1] for line in str(error.value).splitlines()} == {
        "warmpu",
        "measure",
        "network.disjoint.south.dealy",
        "network.disjoint.south.rate",
        "flows.cmt.send_bufer",
        "flows.cmt.nagle",
        "flows.cmt.cc",
    }


def test_a_misspelled_key_is_not_reported_as_missing_too():
    with pytest.raises(mp.UserError, match=r'^rat: unknown key: did you mean "rate"\?[^\n]*$'):
        mp.Link.model_validate({"rat": "1 Mbit/s"})


def test_hundreds_of_mistakes_are_counted_instead_of_told():
    with pytest.raises(mp.UserError) as error:
        mp.Link.model_validate({"rate": "1 Mbit/s"} | {f"key{index}": 1 for index in range(300)})
    *told, last = str(error.value).splitlines()
    assert (len(told), last) == (100, "and 200 more mistakes")
