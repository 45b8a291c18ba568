"""A run in which a buffer of a host stopped a path says so, in every place that prints its results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath.display import MOST_REMARKS, remarks, remarks_of_runs

LINK = mp.Link(rate="20 Mbit/s", delay="20 ms")


def scenario(flow: Any, **network: mp.Link) -> mp.Scenario:
    return mp.Scenario(network=mp.disjoint(**(network or {"a": LINK})), flows={"f": flow}, warmup="1 s", measure="3 s")


@pytest.mark.parametrize(
    ("flow", "said", "remedy"),
    [
        (mp.Tcp(path="a", send_buffer="20 kB"), "f: send_buffer stopped path a for ", "a larger send_buffer removes"),
        (
            mp.Sctp(paths=["a"], receive_buffer="20 kB"),
            "f: receive_buffer stopped path a for ",
            "a larger receive_buffer removes",
        ),
        (
            mp.Sctp(paths=["a", "b"], send_buffer="30 kB"),
            "f: buffer_split stopped path b for ",
            "larger buffers remove",
        ),
    ],
)
def test_a_buffer_that_stopped_a_path_is_named(flow: Any, said: str, remedy: str):
    result = mp.run(scenario(flow, a=LINK, b=LINK))
    (line,) = [line for line in remarks(result.outcome) if line.startswith(said)]
    buffer = {"send_buffer": "send_buffer", "receive_buffer": "receive_window", "buffer_split": "split_share"}
    path = said.split()[4]
    seconds = result.paths.loc[("f", path), f"blocked_{buffer[said.split()[1]]}"]
    assert line == f"{said}{seconds:.3g} s: {remedy} this limit"
    assert line in repr(result)
    assert line in result._repr_html_()


def test_buffers_with_room_are_not_named():
    assert remarks(mp.run(scenario(mp.Tcp(path="a", send_buffer="4 MB", receive_buffer="4 MB"))).outcome) == []


def test_a_sweep_counts_the_runs():
    def sized(send_buffer: str) -> mp.Scenario:
        return scenario(mp.Tcp(path="a", send_buffer=send_buffer))

    campaign = mp.Campaign(sized, factors={"send_buffer": ["20 kB", "4 MB"]}, replications=2)
    results = campaign.run(store=None)
    (line,) = remarks_of_runs([outcome for _, outcome in results.outcomes])
    assert line.startswith("f: send_buffer stopped path a in 2 of 4 runs, for up to ")


def test_the_command_prints_the_line(two_paths_file: Callable[..., Path], called: Callable[..., Any]):
    file = two_paths_file("small.toml", {"[flows.single]": 'receive_buffer = "3 kB"\n[flows.single]'})
    assert "cmt: receive_buffer stopped path south for " in called("run", str(file)).out


def test_many_remarks_are_counted():
    flows = {f"f{number}": mp.Tcp(path="a", send_buffer="3 kB") for number in range(MOST_REMARKS + 5)}
    result = mp.run(mp.Scenario(network=mp.disjoint(a=LINK), flows=flows, warmup="1 s", measure="1 s"))
    lines = remarks(result.outcome)
    assert len(lines) == MOST_REMARKS + 1
    assert lines[-1] == "and 5 other such paths"
