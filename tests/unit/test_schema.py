"""The schemas for editors agree with the checks of the program."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import manypath as mp
from manypath.errors import UserError
from manypath.schema import FILES, file_schema

ROOT = Path(__file__).parents[2]

GOOD: dict[str, Any] = {
    "warmup": "1 s",
    "measure": "2 s",
    "network": {
        "disjoint": {
            "south": {"rate": "5 Mbit/s", "delay": "1.5 ms", "queue": {"kind": "red", "gentle": True}},
            "north": {
                "rate": "1e1 Mbit/s",
                "delay": 0,
                "loss": "1 %",
                "events": [{"at": "1 s", "loss": 0.1}, {"at": "2 s", "change": "down"}],
            },
        },
        "access": {"rate": "1 Gbit/s"},
    },
    "flows": {
        "cmt": {"paths": ["south", "north"], "cc": "bmc:shares=1", "start": ["0 s", "1 s"]},
        "tcp": {"transport": "tcp", "path": "south", "app": {"kind": "saturated", "message": "1 kB"}},
        "mptcp": {"transport": "mptcp", "paths": ["south", "north"], "start": "1 s"},
    },
}


def complaints(kind: str, fields: Any) -> list[str]:
    validator = Draft202012Validator(file_schema(kind))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(fields)]


@pytest.mark.parametrize("kind", FILES)
def test_the_schema_in_the_repository_is_up_to_date(kind: str):
    stored = json.loads((ROOT / "spec" / "files" / f"{kind}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(stored)
    assert stored == file_schema(kind), f"write it again: manypath schema {kind} > spec/files/{kind}.schema.json"


def test_valid_files_match_the_schema():
    mp.Scenario(**GOOD)
    assert complaints("scenario", GOOD) == []
    others = [
        {"bottleneck": {"link": {"rate": "1 Mbit/s"}, "paths": 2}},
        {
            "dumbbell": {
                "link": {"rate": "1 Mbit/s"},
                "senders": [{"rate": "1 Mbit/s"}] * 2,
                "receivers": [{"rate": "1 Mbit/s"}] * 2,
            }
        },
        {
            "links": {"a": {"rate": "1 Mbit/s"}},
            "paths": {name: {"forward": ["a"], "reverse": ["a"]} for name in ("path1", "path2")},
        },
    ]
    for network in others:
        scenario = {"network": network, "flows": {"cmt": {"paths": ["path1", "path2"]}}}
        mp.Scenario(**scenario)
        assert complaints("scenario", scenario) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("wramup", "1 s"),
        ("warmup", "1 Mbit/s"),
        ("warmup", "one second"),
        ("measure", -1),
        ("measure", 2_000_000_000),
        ("network.disjoint.south.rate", 5_000_000),
        ("network.disjoint.south.delay", "5"),
        ("flows.tcp.app.message", 1452),
        ("flows.cmt.start", [0, 5]),
        ("network.disjoint.south.loss", 2),
        ("network.disjoint.south.loss", "1"),
        ("flows.cmt.send_buffer", 1000),
        ("network.disjoint.south.rat", 5),
        ("network.disjoint.south.rate", "5 Mbps"),
        ("network.disjoint.south.queue", {"kind": "blue"}),
        ("network.disjoint.south.queue", {"packets": 100}),
        ("network.disjoint.north.queue", {"kind": "codel", "max_p": 1}),
        ("network.disjoint.north.events", [{"rate": "1 Mbit/s"}]),
        ("network.bottleneck", {"link": {"rate": "5 Mbit/s"}, "paths": 1}),
        ("flows.cmt.cc", "cmt-rpv22"),
        ("flows.cmt.paths", []),
        ("flows.cmt.path", "south"),
        ("flows.tcp.transport", "tpc"),
        ("flows.tcp.paths", ["south"]),
        ("flows.mptcp.scheduler", "fastest"),
        ("flows.mptcp.nr_sack", True),
        ("flows", {}),
    ],
)
def test_invalid_files_violate_the_schema(place: str, value: Any):
    wrong = copy.deepcopy(GOOD)
    *tables, key = place.split(".")
    table = wrong
    for name in tables:
        table = table[name]
    table[key] = value
    with pytest.raises(UserError):
        mp.Scenario(**wrong)
    assert complaints("scenario", wrong)


@pytest.mark.parametrize("kind", FILES)
def test_no_description_names_a_base_unit(kind: str):
    written = (ROOT / "spec" / "files" / f"{kind}.schema.json").read_text(encoding="utf-8")
    assert not [word for word in ("nanosecond", "in bit/s", "in bytes") if word in written]


@pytest.mark.parametrize("kind", FILES)
def test_defaults_in_the_schema_are_valid_values(kind: str):
    schema = file_schema(kind)
    tables = [table for table in (schema, *schema["$defs"].values()) if "properties" in table]
    offered = [field for table in tables for field in table["properties"].values() if field.get("default") is not None]
    assert offered
    for field in offered:
        Draft202012Validator({"$defs": schema["$defs"], **field}).validate(field["default"])


def test_factors_of_a_sweep_may_set_required_fields():
    sweep = {
        "replications": 3,
        "factors": {"rate": {"field": "network.disjoint.south.rate", "values": ["1 Mbit/s"]}, "flows.cmt.cc": ["lia"]},
        "scenario": {"network": {"disjoint": {"south": {}}}, "flows": {"cmt": {"paths": ["south"]}}},
        "precision": "2 %",
    }
    assert complaints("sweep", sweep) == []
    sweep["scenario"]["flows"]["cmt"]["cc_"] = "lia"
    assert complaints("sweep", sweep)


@pytest.mark.parametrize(("name", "kind"), [("two_paths", "scenario"), ("sweep", "sweep")])
def test_examples_name_and_match_their_schema(name: str, kind: str):
    text = (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith(f"#:schema ../spec/files/{kind}.schema.json\n")
    assert complaints(kind, tomllib.loads(text)) == []


def test_a_description_of_paths_has_a_schema_too():
    assert (
        complaints("expect", {"paths": {"wlan": {"rate": "20 Mbit/s", "rtt": "20 ms", "loss": "1 %", "tcp": 2}}}) == []
    )
    assert complaints("expect", {"paths": {"wlan": {"rate": "20 Mbit/s"}}})


def test_a_json_file_may_name_its_schema(tmp_path: Path):
    (tmp_path / "good.json").write_text(json.dumps({"$schema": "./scenario.schema.json", **GOOD}))
    assert mp.Scenario.from_file(tmp_path / "good.json") == mp.Scenario(**GOOD)
