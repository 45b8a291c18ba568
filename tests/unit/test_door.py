"""The Python models agree with the engine's schema, and the stub with the compiled module."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any, get_args

import pytest

import manypath as mp
from manypath import _native
from manypath.scenario.model import Model

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "spec" / "scenario.schema.json").read_text())
PARTS = SCHEMA["$defs"]


def kind(part: str, name: str) -> dict[str, Any]:
    """Return the alternative with this kind in a part of the schema."""
    (choice,) = (choice for choice in PARTS[part]["oneOf"] if choice["properties"]["kind"]["const"] == name)
    return choice


def flow(transport: str) -> dict[str, Any]:
    """Return the flow with this transport in the schema."""
    (choice,) = (c for c in PARTS["Flow"]["oneOf"] if c["properties"]["transport"]["const"] == transport)
    return choice


@pytest.mark.parametrize(
    ("model", "part"),
    [
        (mp.Scenario, SCHEMA),
        (mp.Network, PARTS["Network"]),
        (mp.Path, PARTS["Path"]),
        (mp.Link, PARTS["LinkConfig"]),
        (mp.Sctp, flow("sctp")),
        (mp.Tcp, flow("tcp")),
        (mp.Mptcp, flow("mptcp")),
        (mp.Rto, PARTS["Rto"]),
        (mp.TcpRto, PARTS["TcpRto"]),
        (mp.Start, PARTS["Start"]),
        (mp.Sizes, PARTS["MessageSize"]),
        (mp.Saturated, kind("Application", "saturated")),
        (mp.Cbr, kind("Application", "cbr")),
        (mp.OnOff, kind("Application", "on-off")),
        (mp.Transfer, kind("Application", "transfer")),
        (mp.Red, kind("QueueConfig", "red")),
        (mp.CoDel, kind("QueueConfig", "codel")),
        (mp.Pie, kind("QueueConfig", "pie")),
        (mp.FqCoDel, kind("QueueConfig", "fq-codel")),
        (mp.NoLoss, kind("LossConfig", "none")),
        (mp.Bernoulli, kind("LossConfig", "bernoulli")),
        (mp.GilbertElliott, kind("LossConfig", "gilbert-elliott")),
        (mp.BitError, kind("LossConfig", "bit-error")),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_models_have_the_fields_of_the_schema(model: type[Model], part: dict[str, Any]):
    assert set(model.model_fields) == set(part["properties"])


@pytest.mark.parametrize(
    ("field", "part"),
    [
        ("buffer_split", "BufferSplit"),
        ("split_by", "SplitBy"),
        ("rescheduling", "Rescheduling"),
        ("path_blocking", "PathBlocking"),
        ("sack_immediately_at", "LimitingWindow"),
        ("window_probe", "WindowProbe"),
        ("window_overrun", "WindowOverrun"),
        ("rtt_sample", "RttSample"),
        ("burst", "Burst"),
        ("cuc", "CumAck"),
        ("sack_path", "SackPath"),
        ("send_order", "SendOrder"),
        ("t3_path", "T3Path"),
        ("t3_reset", "T3Reset"),
    ],
)
def test_switches_have_the_values_of_the_schema(field: str, part: str):
    assert list(get_args(mp.Sctp.model_fields[field].annotation)) == PARTS[part]["enum"]


def test_schedulers_are_those_of_the_schema():
    positions = get_args(mp.Mptcp.model_fields["scheduler"].annotation)
    assert list(positions) == [choice["const"] for choice in PARTS["Scheduler"]["oneOf"]]


@pytest.mark.parametrize("model", [mp.Sctp, mp.Tcp, mp.Mptcp])
def test_flows_have_the_defaults_of_the_schema(model: type[Model]):
    ours = model.model_validate({"paths": ["any"], "cc": "newreno"}).model_dump(mode="json", exclude={"paths", "cc"})
    properties = flow(ours.pop("transport"))["properties"]
    theirs = {name: field["default"] for name, field in properties.items() if "default" in field}
    assert theirs.pop("paths") == []
    assert theirs.pop("cc") == model.model_fields["cc"].default
    assert ours == theirs


@pytest.mark.parametrize("model", [mp.CoDel, mp.Pie, mp.FqCoDel])
def test_queues_have_the_defaults_of_the_schema(model: type[Model]):
    ours = model().model_dump(mode="json")
    properties = kind("QueueConfig", ours["kind"])["properties"]
    assert ours == {"kind": ours["kind"]} | {n: field["default"] for n, field in properties.items() if n != "kind"}


def test_the_engine_reads_every_setting_of_python():
    events = [
        mp.Event(at="1 s", change="down"),
        mp.Event(at="2 s", change="up"),
        mp.Event(at="3 s", rate="1 Mbit/s"),
        mp.Event(at="4 s", delay="20 ms"),
        mp.Event(at="5 s", loss=0.01),
        mp.Event(at="6 s", loss=mp.BitError(rate=5e-6)),
    ]
    links = {
        "plain": mp.Link(rate="10 Mbit/s"),
        "bytes": mp.Link(rate="10 Mbit/s", queue=mp.DropTail(bytes="150 kB"), overhead=0),
        "red": mp.Link(rate="10 Mbit/s", queue=mp.Red(packets=100, packet_rate=150)),
        "gentle": mp.Link(rate="10 Mbit/s", queue=mp.Red(gentle=True, bytes="150 kB")),
        "codel": mp.Link(rate="10 Mbit/s", queue=mp.CoDel(target="10 ms", interval="200 ms", packets=500)),
        "pie": mp.Link(rate="10 Mbit/s", queue=mp.Pie(target="20 ms", bytes="150 kB")),
        "fq": mp.Link(rate="10 Mbit/s", queue=mp.FqCoDel(quantum="300 B", buckets=64)),
        "noisy": mp.Link(rate="10 Mbit/s", loss=mp.BitError(rate=5e-6)),
        "bursty": mp.Link(rate="10 Mbit/s", loss=mp.GilbertElliott(to_bad=0.001, to_good=0.1)),
        "lossy": mp.Link(rate="10 Mbit/s", loss=mp.Bernoulli(p=0.01), events=events),
    }
    flows = {
        "all": mp.Sctp(paths=list(links), cc="mptcp-like:2011", profile="paper", start="0 s"),
        "calm": mp.Sctp(paths=["plain"], app=mp.Cbr(rate="2 Mbit/s", message="1 kB", ordered=True)),
        "bursty": mp.Sctp(paths=["plain"], app=mp.OnOff(rate="2 Mbit/s", on="1 s", off="2 s")),
        "file": mp.Sctp(paths=["plain", "red"], concurrent=False, app=mp.Transfer(size="4 MB")),
        "tcp": mp.Tcp(path="plain", cc="cubic", sack=False, ack_every=1, option_bytes="12 B", rto=mp.TcpRto(min="1 s")),
        "mptcp": mp.Mptcp(paths=list(links), scheduler="redundant", penalisation=True, app=mp.Transfer(size="4 MB")),
    }
    for access in (mp.Link(rate="1 Gbit/s"), None):
        network = mp.disjoint(**links).but(access=access)
        _native.check(mp.Scenario(network=network, flows=flows).document())


def test_the_stub_describes_the_compiled_module():
    stub = ast.parse((ROOT / "python" / "manypath" / "_native.pyi").read_text())
    functions = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name for node in stub.body if isinstance(node, ast.ClassDef)}
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == set(functions) | classes
    for name, node in functions.items():
        parameters = inspect.signature(getattr(_native, name)).parameters
        assert list(parameters) == [argument.arg for argument in node.args.args]
