"""An invalid argument of the Python API raises `UserError` with one line, never another exception."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportAttributeAccessIssue=false

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import BaseModel

import manypath as mp
from manypath import campaign, emulation, figures, papers, stats
from manypath.errors import LONGEST_PATH
from manypath.scenario.networks import MOST_PATHS

LINK = mp.Link(rate="5 Mbit/s", delay="1 ms")
SHORT = mp.Scenario(
    network=mp.disjoint(a=LINK),
    flows={"f": mp.Sctp(paths=["a"], start="0 s")},
    warmup="100 ms",
    measure="200 ms",
)


def at_rate(rate: str) -> mp.Scenario:
    return SHORT.but(network=mp.disjoint(a=LINK.but(rate=rate)))


RESULTS = mp.Campaign(at_rate, {"rate": ["1 Mbit/s", "2 Mbit/s"]}, replications=2).run(store=None, progress=False)
ONCE = mp.Campaign(SHORT, replications=1)

MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: mp.run(None), "scenario: None is no Scenario: give"),
    (lambda: mp.run({"network": 5}), "scenario: {'network': 5} is no Scenario"),
    (
        lambda: SHORT.but(flows={"f\u2066": mp.Sctp(paths=["a"])}),
        'flows: "f\\u2066" has the invisible character U+2066: remove it',
    ),
    (
        lambda: SHORT.but(flows={"f\u200f": mp.Sctp(paths=["a"])}),
        'flows: "f\\u200f" has the invisible character U+200F: remove it',
    ),
    (
        lambda: mp.Network(links={"a\x1b[2J": LINK}, paths={"p": mp.Path(forward=("a\x1b[2J",))}),
        'links: "a\\u001b[2J" has the invisible character U+001B: remove it',
    ),
    (
        lambda: mp.Network(links={"a": LINK}, paths={"p\nq": mp.Path(forward=("a",), reverse=("a",))}),
        'paths: "p\\u000aq" has the invisible character U+000A: remove it',
    ),
    (
        lambda: mp.run(SHORT, progress=5),
        "progress: 5 cannot be called: give a function of the simulated time",
    ),
    (lambda: mp.run(SHORT, seed="x"), 'seed: "x" is not a number of 64 bits: give 0 or more, below 2^64'),
    (lambda: mp.run(SHORT, seed=2**64), "seed: 18446744073709551616 is not a number of 64 bits"),
    (lambda: mp.run(SHORT, seed=True), "seed: True is not a number"),
    (lambda: mp.run(SHORT, replication=-1.5), "replication: -1.5 is not a number of 64 bits"),
    (lambda: mp.run(SHORT, series=[]), 'series: [] is no time: write "20 ms"'),
    (lambda: mp.run(SHORT, series=100), 'series: 100 has no unit: write "100 ms"'),
    (lambda: mp.run(SHORT, series=np.int64(100)), 'series: 100 has no unit: write "100 ms" (units: ns, us'),
    (lambda: mp.run(SHORT, capture=5), "capture: 5 is no path: give a text or a pathlib.Path"),
    (lambda: mp.run(SHORT, capture="x", links=5), "links: 5 is no text: give names of links"),
    (lambda: mp.run(SHORT, events="x", only=[None]), "only: None is no text: give names of events"),
    (lambda: mp.Campaign(None), "scenario: None cannot be run: give a Scenario, or a function"),
    (lambda: mp.Campaign(SHORT, 5), 'factors: 5 are no factors: give {"cc": ["lia", "olia"]}'),
    (lambda: mp.Campaign(at_rate, {"rate": 5}), "factors.rate: 5 is no list of values"),
    (lambda: mp.Campaign(at_rate, {"rate": "5 Mbit/s"}), 'factors.rate: "5 Mbit/s" is no list of values'),
    (lambda: mp.Campaign(at_rate, [{"rate": 5}, {"cc": 5}]), "factors: {'cc': 5} has other names than {'rate': 5}"),
    (
        lambda: mp.Campaign(at_rate, {"rat": [5]}).scenarios,
        "factors: differ from the arguments of the scenario's function",
    ),
    (lambda: mp.Campaign(lambda: None).scenarios, "scenario: None is no Scenario: give a function that returns one"),
    (lambda: mp.Campaign(at_rate, {"rate": [5]}).scenarios, 'rate: 5 has no unit: write "5 Mbit/s"'),
    (
        lambda: mp.Campaign(at_rate, {"rate": [10**5000]}).scenarios,
        "factors.rate: a number of thousands of digits cannot be named in tables: give a shorter one",
    ),
    (lambda: mp.Campaign(mp.Function(at_rate), [{"rate": (10**5000,)}]).scenarios, "cannot be named in tables"),
    (lambda: mp.Campaign(SHORT, replications="x"), 'replications: "x" is not a number of repetitions: give 1 or more'),
    (lambda: mp.Campaign(SHORT, precision=5), 'precision: 5 is no precision: give "2 %" or Precision(...)'),
    (lambda: mp.Campaign(SHORT, runner=None), "runner: None is no Runner"),
    (lambda: ONCE.run(store=None, workers="x"), 'workers: "x" is not a number of threads: give 1 to 4096, or nothing'),
    (lambda: ONCE.run(store=None, workers=-3), "workers: -3 is not a number of threads"),
    (lambda: ONCE.run(store=5), "store: 5 is no path"),
    (
        lambda: ONCE.run(store="a" * 256),
        'aaa..." is too long: give a path of less than 4096 bytes, each name in it at most',
    ),
    (lambda: mp.Scenario.from_file("a/" * 2048), 'a..." is too long: give a path of less than 4096 bytes'),
    (lambda: ONCE.run(store=None, progress=None), "progress: None is no display: give True, False"),
    (lambda: ONCE.run(store=None, executor=5), "executor: 5 is no executor: give manypath.dask(client)"),
    (lambda: ONCE.run(store=None, shard=5), 'shard: 5 is no text: give "2/4" for the second of four'),
    (lambda: ONCE.run(store=None, shard="9" * 5000 + "/1"), 'shard: "9'),
    (lambda: mp.series(None), "results: None is no Results: give the result of Campaign.run"),
    (lambda: mp.series(RESULTS, 5), 'every: 5 has no unit: write "5 ms"'),
    (lambda: mp.series(RESULTS, replications=0), "replications: 0 is not a number of repetitions: give 1 or more"),
    (lambda: mp.check_warmup(None), "results: None is no Results"),
    (lambda: mp.dask(None), "client: None is no client of Dask"),
    (lambda: mp.Function(None), "function: None is no function"),
    (lambda: mp.Command(None), "command: None is no text: give a command line"),
    (lambda: mp.Command("echo", timeout=10), 'timeout: 10 has no unit: write "10 ms"'),
    (lambda: mp.Precision(within=2), 'within: 2 is no share of the mean: write "2 %"'),
    (lambda: mp.Results(5), "cells: 5 are no runs"),
    (lambda: RESULTS.mean(None), "None is no column of these results"),
    (
        lambda: RESULTS.mean("mean_queue"),
        '"mean_queue" is a measurement of links, whose rows have other columns: group or select by "link"',
    ),
    (
        lambda: RESULTS.mean("srtt", by=["flow"]),
        'measurement of paths, whose rows have other columns: group or select by "path"',
    ),
    (lambda: RESULTS.mean("latency_mean", by=["link"]), "measurement of flows, whose rows have other columns: group"),
    (lambda: RESULTS.mean("goodput", by=5), "by: 5 is no text: give names of columns"),
    (
        lambda: RESULTS.mean("goodput", confidence=95),
        "confidence: 95 is not between 0 and 1: give a number such as 0.95",
    ),
    (lambda: RESULTS.compare("goodput", "rate", []), "baseline: [] is no value of rate"),
    (lambda: mp.disjoint(south=None), "disjoint.south: None is no wire: give Link("),
    (lambda: mp.bottleneck(None, 2), "bottleneck.link: None is no Link"),
    (lambda: mp.bottleneck(LINK, 1e9), "bottleneck.paths: 1000000000.0 is not a number of paths"),
    (
        lambda: mp.bottleneck(LINK, MOST_PATHS + 1),
        "bottleneck.paths: 100001 is not a number of paths: give 1 to 100000",
    ),
    (lambda: mp.dumbbell(LINK, None, None), "dumbbell.senders: None is no Sequence: give a list of links"),
    (lambda: mp.dumbbell(LINK, [LINK], [5]), "dumbbell.receivers: 5 is no Link"),
    (mp.Link, "rate: missing: give it a value"),
    (lambda: mp.Link("5 Mbit/s"), 'Link: "5 Mbit/s" is a positional argument: write Link(rate=...)'),
    (lambda: mp.Link(rate=np.float64(5)), 'rate: 5.0 has no unit: write "5 Mbit/s"'),
    (lambda: setattr(LINK, "rate", "1 Mbit/s"), "rate: Link is immutable: make a copy with but(rate=...)"),
    (lambda: mp.Link.model_validate({"rate": 5}), 'rate: 5 has no unit: write "5 Mbit/s"'),
    (
        lambda: mp.Link.model_validate(None),
        'None is no Link: write { rate = "10 Mbit/s" }, in Python Link(rate="10 Mbit/s")',
    ),
    (lambda: mp.Link.model_validate({"rat": "5 Mbit/s"}), 'rat: unknown key: did you mean "rate"?'),
    (lambda: mp.Link.model_validate_json('{"rate": 5}'), 'rate: 5 has no unit: write "5 Mbit/s"'),
    (lambda: mp.Link.model_validate_json('{"rate"'), 'Link: "{"rate"" is no JSON: EOF'),
    (lambda: mp.Link.model_validate_json(None), "Link: None is no JSON"),
    (lambda: mp.Link.model_validate_strings({"rate": "5"}), 'rate: "5" has no unit: write "5 Mbit/s"'),
    (lambda: mp.Network.model_validate({"disjoint": {"a": {"rate": 5}}}), "disjoint.a.rate: 5 has no unit"),
    (lambda: mp.Scenario.model_validate({"network": 5, "flows": {"f": {"paths": ["a"]}}}), "network: 5 is no Network"),
    (lambda: mp.Sctp(paths=["a"], streams="3"), 'streams: "3" is a text: write a number, without quotation marks'),
    (lambda: mp.Sctp(paths=["a"], nagle="yes"), 'nagle: "yes" is neither true nor false'),
    (lambda: mp.Sctp(paths=["a"], nagle=1), "nagle: 1 is neither true nor false"),
    (lambda: mp.Red(weight="0.1"), 'weight: "0.1" is a text: write a number, without quotation marks'),
    (lambda: mp.Tcp(path=None), "path: None is no name of a path: write one"),
    (lambda: mp.Sctp.standard(None), "path: None is no text"),
    (lambda: mp.Sctp.standard("a", mtu=1500), 'mtu: 1500 has no unit: write "1.5 kB"'),
    (lambda: mp.Sctp(paths="a"), 'paths: "a" is no list: write ["a"]'),
    (lambda: mp.Sctp(paths={"a": 1}), "paths: {'a': 1} is no list: give a list, also for a single value"),
    (lambda: mp.Path(forward="a"), 'forward: "a" is no list: write ["a"]'),
    (lambda: mp.Link(rate="1 bit/s", queue=50), "in Python DropTail(packets=50)"),
    (lambda: mp.Link(rate="1 bit/s", queue="50 packets"), 'write { kind = "drop-tail", packets = 50 }, in Python'),
    (lambda: mp.Link(rate="1 bit/s", queue="60 KiB"), 'write { kind = "drop-tail", bytes = "61440 B" }, in Python'),
    (lambda: mp.Link(rate="1 bit/s", queue="red"), 'write { kind = "red", min = 30, max = 90 }, in Python Red('),
    (lambda: mp.Link(rate="1 bit/s", queue={"packets": 5}), "queue: {'packets': 5} is no table with a kind: write {"),
    (lambda: mp.Link(rate="1 bit/s", queue=LINK), 'is no table with a kind: write { kind = "drop-tail", packets'),
    (lambda: mp.Link(rate="1 bit/s", loss=[1]), 'write { kind = "bernoulli", p = 0.01 }, in Python Bernoulli(p=0.01)'),
    (
        lambda: mp.Link(rate="1 bit/s", events="down"),
        'events: "down" is no list: write [{ at = "30 s", change = "down"',
    ),
    (
        lambda: mp.Link(rate="1 bit/s", events=mp.Event(at="1 s", change="up")),
        "events: a single Event is no list: write [Event(...)]",
    ),
    (lambda: mp.Tcp(path="a", app="Saturated"), 'app: "Saturated" is no table with a kind: write { kind = "saturated"'),
    (lambda: mp.Tcp(path="a", app="on-off"), 'in Python OnOff(rate="1 Mbit/s", on="1 s", off="1 s")'),
    (lambda: mp.Tcp(path="a", rto="1 s"), 'rto: "1 s" is no TcpRto: write { min = "200 ms" }, in Python TcpRto('),
    (
        lambda: SHORT.but(flows=mp.Tcp(path="a")),
        'is no table: give flows by name: { f = { paths = ["a"] } }, in Python {"f": Sctp(paths=["a"])}',
    ),
    (lambda: mp.topology(5, {}), "topology.wires: 5 is no Mapping: give wires by name"),
    (lambda: mp.topology({"a-b": LINK}, "a b"), 'topology.paths: "a b" is no Mapping: give the nodes of each path'),
    (lambda: mp.topology({"a-b": LINK}, {"p": ["a", "b"]}), "topology.paths.p: ['a', 'b'] is no text: give its nodes"),
    (lambda: mp.dumbbell(LINK, LINK, LINK, delays=5), "dumbbell.delays: 5 is no Sequence: give a list such as"),
    (lambda: mp.bottleneck(LINK, delays="5 ms"), 'bottleneck.delays: "5 ms" is no list: write ["5 ms", "10 ms"]'),
    (
        lambda: mp.disjoint(**{"a": LINK, "a/back": LINK}),
        'disjoint: "a/back" is also the name of the reverse link of "a": choose another name',
    ),
    (
        lambda: mp.topology({"b-a": LINK, "a/back-b": LINK}, {"p": "a b"}),
        'topology.wires: "b-a/back" is also the name of the reverse link of "b-a": choose another name',
    ),
    (lambda: mp.Sctp(paths=["a"], sack_delay="1 s"), "sack_delay: 1 s is too large: give 500 ms or less"),
    (
        lambda: mp.Scenario(network=None, flows={"f": mp.Tcp(path="a")}),
        "network: None is no Network: write { disjoint = { a = {",
    ),
    (lambda: mp.Scenario(network=SHORT.network, flows={"f": 5}), "flows.f: 5 is no Sctp"),
    (lambda: mp.Scenario.from_file(None), "file: None is no path"),
    (lambda: mp.Network(links=5, paths=SHORT.network.paths), "links: 5 is no table: give links by name: { a = {"),
    (lambda: figures.lines(None, x="rate"), "results: None is not from a campaign"),
    (lambda: figures.lines(RESULTS, x=None), "x: None is no text: give the name of a column"),
    (lambda: figures.lines(RESULTS, x="rate", y="flow"), 'lines: "flow" has no numbers in these results'),
    (lambda: figures.lines(RESULTS, x="rate", color=["cc"]), "color: ['cc'] is no text"),
    (lambda: figures.distances([]), "panels: there are none to draw"),
    (lambda: figures.windows({}, paths=["a"]), "runs: there is nothing to draw"),
    (lambda: figures.Picture(None), "figure: None is no Figure"),
    (lambda: stats.interval([]), "values: is empty: give one or more"),
    (lambda: stats.interval(None), "values: None are not one-dimensional"),
    (lambda: stats.interval([1, 2], confidence=float("nan")), "confidence: nan is not between 0 and 1"),
    (lambda: stats.paired([1, 2], [1]), "second: has 1 values, first has 2"),
    (lambda: stats.equivalence([1, 2], [1, 2], "x"), 'margin: "x" is not a number'),
    (lambda: stats.jain(["x"]), "shares: ['x'] are no numbers: give a list of numbers"),
    (lambda: stats.mser5([]), "series: is empty: give 50 or more"),
    (lambda: papers.evaluate(executor="dask"), 'executor: "dask" is no executor: give manypath.dask(client)'),
    (lambda: papers.evaluate(5), "names: 5 is no text: give names of papers"),
    (
        lambda: papers.evaluate("dreibholz2011_impact", runs=0),
        "runs: 0 is not a number of replications: give 1 or more",
    ),
    (lambda: emulation.start(None), "emulation: None is no Emulation"),
    (lambda: campaign.Store(None), "store: None is no path"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_a_wrong_argument_is_named_in_one_line(mistake: Callable[[], Any], message: str):
    with pytest.raises(mp.UserError) as error:
        mistake()
    (line,) = str(error.value).splitlines()
    assert message in line


WRONG = [
    None,
    -1,
    0,
    1.5,
    float("nan"),
    float("inf"),
    10**5000,
    "",
    "x\ny",
    "9" * 9000,
    b"x",
    [],
    [None],
    {},
    {"a": None},
    object(),
    np.array([1, 2]),
    np.int64(-3),
    pd.DataFrame(),
]
"""Values that are invalid for nearly every argument."""

CALLS: list[tuple[Callable[..., Any], Mapping[str, Any], Sequence[str]]] = [
    (mp.run, {"scenario": SHORT}, ["scenario", "seed", "replication", "series", "links", "only"]),
    (mp.Campaign, {"scenario": SHORT}, ["scenario", "factors", "replications", "seed", "precision", "most", "runner"]),
    (ONCE.run, {"store": None, "progress": False}, ["workers", "executor", "shard"]),
    (mp.series, {"results": RESULTS}, ["results", "every", "replications", "workers"]),
    (mp.check_warmup, {"results": RESULTS}, ["results", "replications", "workers"]),
    (mp.dask, {"client": None}, ["client", "batch_seconds"]),
    (mp.Function, {"function": at_rate}, ["function", "version"]),
    (mp.Command, {"template": "echo 1"}, ["template", "version", "timeout"]),
    (mp.Results, {}, ["cells"]),
    (RESULTS.select, {}, ["rate"]),
    (RESULTS.levels, {}, ["factor"]),
    (RESULTS.values, {"measurement": "goodput"}, ["measurement", "rate"]),
    (RESULTS.mean, {"measurement": "goodput"}, ["measurement", "by", "confidence"]),
    (
        RESULTS.compare,
        {"measurement": "goodput", "factor": "rate", "baseline": "1 Mbit/s"},
        ["factor", "baseline", "by"],
    ),
    (mp.disjoint, {}, ["south"]),
    (mp.bottleneck, {"link": LINK, "paths": 1}, ["link", "paths"]),
    (mp.dumbbell, {"link": LINK, "senders": [LINK], "receivers": [LINK]}, ["link", "senders", "receivers"]),
    (mp.Scenario.from_file, {}, ["path"]),
    (mp.Sctp.standard, {"path": "a"}, ["path", "cc"]),
    (figures.lines, {"results": RESULTS, "x": "rate"}, ["results", "x", "y", "color", "style", "x_label"]),
    (figures.distances, {}, ["panels"]),
    (figures.windows, {"runs": {"a": {}}, "paths": ["a"]}, ["runs", "paths", "points"]),
    (stats.interval, {"values": [1, 2]}, ["values", "confidence"]),
    (stats.half_width, {"deviation": 1.0, "n": 3}, ["deviation", "n", "confidence"]),
    (stats.paired, {"first": [1, 2], "second": [2, 4]}, ["first", "second", "confidence"]),
    (stats.equivalence, {"first": [1, 2], "second": [2, 4], "margin": 1}, ["first", "second", "margin", "alpha"]),
    (stats.jain, {}, ["shares"]),
    (stats.mser5, {}, ["series"]),
]


@pytest.mark.parametrize(("call", "right", "names"), CALLS, ids=[call.__qualname__ for call, _, _ in CALLS])
def test_invalid_arguments_raise_only_user_errors(
    call: Callable[..., Any], right: Mapping[str, Any], names: Sequence[str], tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in names:
        for value in WRONG:
            refused_or_accepted(call, {**right, name: value})


def test_numpy_numbers_and_booleans_are_accepted():
    flow = mp.Sctp(paths=["a"], streams=np.int64(3), sack_every=np.float64(2), nagle=np.bool_(False))
    assert (flow.streams, flow.sack_every, flow.nagle) == (3, 2, False)
    assert {type(value) for value in (flow.streams, flow.sack_every)} == {int}
    assert type(flow.nagle) is bool
    assert mp.Red(weight=np.float32(0.5)).weight == 0.5
    assert mp.DropTail(packets=np.uint16(7)).packets == 7


MODELS = [model for name in mp.__all__ if isinstance(model := getattr(mp, name), type) and issubclass(model, BaseModel)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_help_shows_types_and_defaults_and_no_checks(model: type[BaseModel]):
    shown = str(inspect.signature(model))
    assert shown.startswith("(*, ")
    for name in model.model_fields:
        assert f"{name}: " in shown
    assert not re.search(r"Annotated|Validator|<(function|class|object)", shown)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_invalid_fields_raise_only_user_errors(model: type[BaseModel]):
    for name in model.model_fields:
        for value in WRONG:
            refused_or_accepted(model, {"paths": ["a"], "rate": "1 Mbit/s", name: value})
            refused_or_accepted(model, {name: value})
            refused_or_accepted(model.model_validate, {"obj": {name: value}})
    for value in WRONG:
        refused_or_accepted(model.model_validate, {"obj": value})
        refused_or_accepted(model.model_validate_json, {"json_data": value})


def refused_or_accepted(call: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    outcome = "taken"
    with warnings.catch_warnings(action="ignore"):
        try:
            call(**arguments)
        except mp.UserError as error:
            outcome = str(error)
    assert outcome
    # Names of files are not shortened below the limit of systems.
    assert all(len(line) < LONGEST_PATH + 1000 for line in outcome.splitlines())


@pytest.mark.parametrize(
    "factors",
    [{"cc": ["lia", "lia"]}, {"cc": [1, True]}, [{"cc": "lia"}, {"cc": "lia"}]],
    ids=["a value", "a number and a truth", "a combination"],
)
def test_duplicates_in_a_campaign_are_refused(factors: Any):
    path = mp.disjoint(dsl=mp.Link(rate="5 Mbit/s"))
    campaign = mp.Campaign(lambda **_: mp.Scenario(network=path, flows={"f": mp.Sctp(paths=["dsl"])}), factors)
    with pytest.raises(mp.UserError, match=r"factors.*(occurs twice: give each|are one value in tables: give values)"):
        campaign.run(None, progress=False)


def test_a_copy_with_changes_is_checked():
    link = mp.Link(rate="5 Mbit/s")
    with pytest.raises(mp.UserError, match="rate: 5 has no unit"):
        link.model_copy(update={"rate": 5})
    assert link.model_copy(update={"rate": "6 Mbit/s"}) == link.but(rate="6 Mbit/s")
    assert link.model_copy() == link
