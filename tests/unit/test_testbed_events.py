"""Events of measured runs. Runs need root and the programs manypath-emu and manypath-net."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import manypath as mp
from event_lines import check_data, check_forms
from manypath import testbed
from manypath.campaign import Campaign
from manypath.errors import UserError
from real_time import needs_stack, undisturbed


@needs_stack
def test_the_events_of_a_run_are_those_of_its_links_and_senders(tmp_path: Path):
    network = mp.disjoint(a=mp.Link(rate="5 Mbit/s", delay="10 ms"), b=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    flows = {"cmt": mp.Sctp(paths=["a", "b"], app={"kind": "saturated", "message": "1452 B"})}
    scenario = mp.Scenario(network=network, flows=flows, warmup="1 s", measure="2 s")
    live = tmp_path / "live"

    def run() -> set[str]:
        Campaign(scenario, replications=1, runner=testbed.Testbed(events=str(live))).run(None, 1, progress=False)
        assert sorted(file.name for file in live.iterdir()) == ["flow-cmt.jsonl", "links.jsonl"]
        names = set()
        for file in live.iterdir():
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            check_forms(lines[0], lines[1:])
            check_data(lines[1:])
            names |= {line["name"] for line in lines[1:]}
        return names

    for _ in range(2):
        # The second run replaces the files of the first.
        names = undisturbed(
            run, {"link:metrics_updated", "recovery:metrics_updated", "recovery:sending_blocked"}.issubset
        )
        assert not any(name.startswith("transport:") for name in names)


@pytest.mark.parametrize("events", [5, "", "taken/inside"])
def test_a_wrong_folder_of_events_is_refused(events: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("taken").touch()
    with pytest.raises(UserError, match=r"^events: "):
        testbed.Testbed(events=events)  # pyright: ignore[reportArgumentType]
