"""Events: every line matches the schema and the page, also after an interrupted run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import forks
import manypath as mp
from event_lines import SCHEMA, check_forms, data_schemas
from manypath.measurements import COUNTERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "events.md").read_text(encoding="utf-8")

LIMITS = "<!-- insert: limits in events -->"
"""The place of a table that the site makes."""


def rough(measure: str = "5 s") -> mp.Scenario:
    """Return flows of every protocol over links with RED, drop-tail, losses, damage, and outages."""
    queue = mp.Red(min=2, max=6, max_p=0.1, weight=0.02, packets=10)
    down = [mp.Event(at="2 s", change="down"), mp.Event(at="3 s", change="up")]
    network = mp.disjoint(
        early=mp.Link(rate="5 Mbit/s", delay="1 ms", queue=queue, loss=mp.BitError(rate=1e-6)),
        late=mp.Link(rate="5 Mbit/s", delay="20 ms", queue=mp.CoDel(), loss=mp.Bernoulli(p=0.01)),
        away=mp.Link(rate="5 Mbit/s", delay="5 ms", events=down),
    )
    paths = ["early", "late", "away"]
    flows = {
        "cmt": mp.Sctp(paths=paths, app=mp.Saturated(message=("1 B", "4 kB")), packet_drop_reports=True),
        "tcp": mp.Tcp(path="early", app=mp.Transfer(size="100 kB")),
        "mptcp": mp.Mptcp(paths=paths),
    }
    return mp.Scenario(network=network, flows=flows, warmup="0 s", measure=measure)


def read(file: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the events of a file."""
    header, *events = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return header, events


def documented() -> dict[str, set[str]]:
    """Return the events with a heading on the page, each with the fields of its table."""
    parts = re.split(r"^#{2,3} ", PAGE, flags=re.MULTILINE)
    named = {found[1]: part for part in parts if (found := re.match(r"`(\w+:\w+)`\n", part))}
    inserted = set(COUNTERS["limits"])
    return {name: fields(part) | (inserted if LIMITS in part else set()) for name, part in named.items()}


def fields(part: str) -> set[str]:
    """Return the names in the first columns of the tables of a part."""
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[mp.Result, dict[str, Any], list[dict[str, Any]]]:
    """A rough run with its header and events."""
    file = tmp_path_factory.mktemp("events") / "rough.jsonl"
    result = mp.run(rough(), events=file)
    return result, *read(file)


def test_every_line_matches_the_schema_and_every_event_occurs(
    run: tuple[mp.Result, dict[str, Any], list[dict[str, Any]]],
):
    _, header, events = run
    check_forms(header, events)
    # Real endpoints write the one, emulations the other.
    elsewhere = {"recovery:sending_blocked", "link:metrics_updated"}
    assert {line["name"] for line in events} == set(data_schemas()) - elsewhere
    reasons = {(line["name"], line["data"]["reason"]) for line in events if "reason" in line["data"]}
    dropped = {reason for name, reason in reasons if name == "link:packet_dropped"}
    assert dropped == {"full", "early", "late", "down"}
    assert {reason for name, reason in reasons if name == "link:packet_lost"} == {"chance", "down"}


def test_the_schema_refuses_an_invalid_line(run: tuple[mp.Result, dict[str, Any], list[dict[str, Any]]]):
    line = run[2][0]
    validator = Draft202012Validator(SCHEMA)
    for wrong in ({**line, "name": "transport:packet_eaten"}, {**line, "colour": "red"}, {**line, "time": "soon"}):
        assert not validator.is_valid(wrong), wrong


def test_the_page_names_every_event_and_every_field():
    named = documented()
    schemas = data_schemas()
    assert set(named) == set(schemas)
    for name, schema in schemas.items():
        assert named[name] == set(schema.get("properties", {})), name
    header = PAGE.split("## The first line\n")[1].split("\n## ")[0]
    assert fields(header) == set(SCHEMA["$defs"]["Header"]["properties"])
    packets = PAGE.split("## Fields of a packet\n")[1]
    for kind in ("SctpContent", "TcpContent", "DataChunk", "SackChunk", "InitChunk"):
        assert set(SCHEMA["$defs"][kind]["properties"]) <= set(re.findall(r"`(\w+)`", packets)), kind


def test_events_do_not_change_the_run_and_agree_with_its_result(
    run: tuple[mp.Result, dict[str, Any], list[dict[str, Any]]],
):
    result, header, events = run
    assert result.digest == mp.run(rough()).digest
    dropped = Counter(line["data"]["link"] for line in events if line["name"] == "link:packet_dropped")
    assert dropped == {str(link): count for link, count in result.links["dropped"].items() if count}
    closed = [line for line in events if line["name"] == "connectivity:connection_closed" and line["flow"] == "tcp"]
    assert {line["data"]["reason"] for line in closed} == {result.flows["closed"]["tcp"]}
    assert header["title"] == "cmt, tcp, mptcp"


def test_a_run_with_events_has_the_outcome_of_one_without_also_for_its_first_instant(tmp_path: Path):
    wire = mp.Link(rate="5 Mbit/s", delay="5 ms")
    flow = mp.Sctp(paths=["path1"], start="0 s")
    scenario = mp.Scenario(network=mp.dumbbell(wire, wire, wire), flows={"flow": flow}, warmup="0 s", measure="1 s")
    outcomes = [mp.run(scenario).outcome, mp.run(scenario, events=tmp_path / "run.jsonl").outcome]
    plain, recorded = ({name: value for name, value in it.items() if name != "cpu_seconds"} for it in outcomes)
    assert recorded == plain


def test_a_series_of_changes_equals_samples_at_every_event():
    scenario = rough()
    samples = mp.run(scenario, series="100 ms").series
    changes = mp.run(scenario, series="event").series
    compared = 0
    for (flow, path), sampled in samples["paths"].groupby(["flow", "path"]):
        changed, arrived = (
            changes[kind][(changes[kind]["flow"] == flow) & (changes[kind]["path"] == path)]
            for kind in ("paths", "arrivals")
        )
        last = np.searchsorted(changed["time"], sampled["time"], side="right") - 1
        known = last >= 0
        for column in ("cwnd", "ssthresh", "srtt", "outstanding"):
            np.testing.assert_array_equal(
                sampled[column].to_numpy()[known], changed[column].to_numpy()[last[known]], column
            )
        since = sampled["goodput"].to_numpy()[1:].sum() * 1e6 / 8 * 0.1
        assert arrived["received_bytes"].iloc[-1] == pytest.approx(since)
        assert arrived["received_bytes"].is_monotonic_increasing
        compared += known.sum()
    assert compared > 200
    assert (changes["links"]["time"].diff().dropna() >= 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"events": "nowhere/run.jsonl"}, 'events: "nowhere/run.jsonl" cannot be written: No such file'),
        ({"events": "run.jsonl", "only": ["recovry"]}, 'only: "recovry" is no event: did you mean "recovery"?'),
        ({"only": ["recovery"]}, "only: only valid with events: give the events file, too"),
        ({"events": "run.jsonl", "capture": "./run.jsonl"}, 'events: "run.jsonl" is also the file of capture: choose'),
    ],
)
def test_invalid_event_options_are_refused_in_one_line(
    arguments: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mp.UserError) as error:
        mp.run(rough(), **arguments)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_the_command_writes_selected_events_and_reports_a_full_disk(tmp_path: Path):
    file = tmp_path / "rough.json"
    file.write_text(rough().document(), encoding="utf-8")
    command = ["run", str(file), "--only", "recovery:window_cut", "--events"]
    done = forks.manypath([*command, "cuts.jsonl"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "events: cuts.jsonl" in done.stdout
    assert {line["name"] for line in read(tmp_path / "cuts.jsonl")[1]} == {"recovery:window_cut"}
    done = forks.manypath([*command, "/dev/full"], tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith('error: --events: "/dev/full" cannot be written: No space left')


@pytest.mark.parametrize(("how", "whole"), [(signal.SIGINT, True), (signal.SIGKILL, False)])
def test_a_stopped_or_killed_run_leaves_readable_lines(how: int, whole: bool, tmp_path: Path):
    file = tmp_path / "endless.json"
    file.write_text(rough("5000 s").document(), encoding="utf-8")
    events = tmp_path / "endless.jsonl"
    command = [sys.executable, "-m", "manypath", "run", str(file), "--events", str(events)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        patience = time.monotonic() + 300
        while not (events.exists() and events.stat().st_size > 1_000_000) and time.monotonic() < patience:
            time.sleep(0.05)
        os.kill(running.pid, how)
    *lines, last = events.read_text(encoding="utf-8").split("\n")
    assert len(lines) > 1000
    assert all("name" in json.loads(line) for line in lines[1:])
    assert last == "" or not whole


def test_a_single_name_needs_no_list(tmp_path: Path):
    files = tmp_path / "one.jsonl", tmp_path / "list.jsonl"
    for file, only in zip(files, ("recovery", ["recovery"]), strict=True):
        mp.run(rough("3 s"), events=file, only=only)
    one, several = (read(file)[1] for file in files)
    assert one == several
    assert {event["name"].partition(":")[0] for event in one} == {"recovery"}
