"""Wrong command lines: each is refused with one line before any work begins, and no file is lost."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from desk import SWEEP, Desk, refused

WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    # The command itself.
    "an unknown command": ("simulate two.toml", ("simulate",)),
    "an unknown option": ("run two.toml --sed 3", ("--sed",)),
    "no file": ("run", ("file", "manypath run --help")),
    "a missing file": ("run three.toml", ("three.toml", "no such file")),
    "a device as a file": ("run /dev/zero", ("/dev/zero", "MB")),
    "a folder as a file": ("run site", ("site",)),
    # run
    "a seed that is a word": ("run two.toml --seed first", ("--seed", "first")),
    "a negative seed": ("run two.toml --seed -1", ("seed", "-1")),
    "a seed beyond 64 bits": ("run two.toml --seed 99999999999999999999999", ("seed", "64 bits")),
    "an interval without a unit": ("run two.toml --series 100", ("series", "100", "unit")),
    "an interval of zero": ("run two.toml --series 0", ("series", "0")),
    "an interval that is a word": ("run two.toml --series often", ("series", "often")),
    "an interval that fills the memory": ("run two.toml --series 1ns", ("series", "1 ns")),
    "a file without a name": ("run ''", ("file", '""', "name a")),
    "samples into a folder without a name": ("run two.toml --series 1s --output ''", ("--output", '""', "name a")),
    "a picture without a name": ("run two.toml --plot ''", ("--plot", '""', "name a")),
    "examples into a folder without a name": ("examples ''", ("folder", '""', "name a")),
    "a folder for samples without a series": ("run two.toml --output samples", ("output", "series")),
    "a file as a folder for samples": ("run two.toml --series 100ms --output notes.txt", ("notes.txt",)),
    "packets into the scenario": ("run two.toml --pcapng two.toml", ("two.toml",)),
    "packets into the scenario by another name": ("run two.toml --pcapng site/../two.toml", ("two.toml",)),
    "packets into a link to the scenario": ("run two.toml --pcapng link.toml", ("link.toml",)),
    "packets into another name of the scenario's file": ("run two.toml --pcapng hard.toml", ("hard.toml",)),
    "packets into a capture of another program": ("run two.toml --pcapng trip.pcapng", ("trip.pcapng",)),
    "packets into a folder": ("run two.toml --pcapng site", ("site",)),
    "packets into a missing folder": ("run two.toml --pcapng nowhere/run.pcapng", ("nowhere",)),
    "events into the scenario": ("run two.toml --events two.toml", ("two.toml",)),
    "events into a text of the user": ("run two.toml --events notes.txt", ("notes.txt",)),
    "events and packets into one file": ("run two.toml --events both --pcapng both", ("both",)),
    "events of an unknown kind": ("run two.toml --events e.jsonl --only colour", ("only", "colour")),
    "a choice of events without a file": ("run two.toml --only recovery", ("only", "events")),
    "an unknown link": ("run two.toml --pcapng r.pcapng --link soth", ("link", "soth", "south")),
    "a choice of links without a capture": ("run two.toml --link south", ("--link", "--pcapng")),
    "a picture in an unknown format": ("run two.toml --plot windows.bmp", ("bmp", "svg")),
    "a picture over a picture of the user": ("run two.toml --plot thesis.svg", ("thesis.svg",)),
    # decode
    "a missing capture": ("decode none.pcapng", ("none.pcapng", "no such file")),
    "a capture without a name": ("decode ''", ("file", '""', "name a")),
    "a folder as a capture": ("decode site", ("site", "is a folder")),
    "a text as a capture": ("decode notes.txt", ("notes.txt", "is no capture")),
    "a scenario as a capture": ("decode two.toml", ("two.toml", "is no capture")),
    "a device as a capture": ("decode /dev/zero", ("/dev/zero", "is no capture")),
    "a capture of zeros": ("decode trip.pcapng", ("trip.pcapng", "is no capture")),
    "an invalid port": ("decode trip.pcapng --port 70000", ("--port", "70000")),
    # sweep
    "an unknown metric": ("sweep sweep.toml --metric speed", ("metric", "speed")),
    "an unknown factor for the axis": ("sweep sweep.toml --plot p.svg --x south", ("--x", "south", "north")),
    "an unknown measurement for the axis": ("sweep sweep.toml --plot p.svg --y speed", ("speed",)),
    "an unknown factor for the colour": ("sweep sweep.toml --plot p.svg --hue foo", ("--hue", "foo")),
    "a figure in an unknown format": ("sweep sweep.toml --plot p.docx", ("docx", "svg")),
    "a figure over a figure of the user": ("sweep sweep.toml --plot thesis.svg", ("thesis.svg",)),
    "a figure over the sweep": ("sweep sweep.toml --plot sweep.toml", ("sweep.toml",)),
    "a condition without a value": ("sweep sweep.toml --where cc", ("--where", "cc", "NAME=VALUE")),
    "a condition on an unknown factor": ("sweep sweep.toml --where colour=red", ("--where", "colour")),
    "a condition on an unknown value": ("sweep sweep.toml --where cc=lia", ("--where", "lia", "newreno")),
    "an unknown baseline": ("sweep sweep.toml --baseline cc=lia", ("--baseline", "lia")),
    "part zero": ("sweep sweep.toml --shard 0/4", ("shard", "0/4")),
    "a part beyond the last": ("sweep sweep.toml --shard 5/4", ("shard", "5/4")),
    "a part that is a word": ("sweep sweep.toml --shard half", ("shard", "half")),
    "two forms of output": ("sweep sweep.toml --csv --json", ("csv", "json")),
    "no workers": ("sweep sweep.toml --workers 0", ("workers", "0")),
    "a negative number of workers": ("sweep sweep.toml --workers -3", ("workers", "-3")),
    "threads and a Dask scheduler": ("sweep sweep.toml --workers 2 --dask tcp://127.0.0.1:1", ("workers", "dask")),
    "an invalid address of a scheduler": ("sweep sweep.toml --dask foo", ("dask", "foo")),
    "a store that is a file": ("sweep sweep.toml --store notes.txt", ("store", "notes.txt")),
    "a store without a name": ("sweep sweep.toml --store ''", ("--store", '""', "name a")),
    "frames into a folder without a name": ("sweep sweep.toml --frames ''", ("--frames", '""', "name a")),
    "frames among tables of the user": ("sweep sweep.toml --frames tables", ("--frames", "tables/flows.csv")),
    "frames into a file": ("sweep sweep.toml --frames notes.txt", ("notes.txt",)),
    "a scenario as a sweep": ("sweep two.toml", ("two.toml",)),
    "a sweep as a scenario": ("run sweep.toml", ("sweep.toml",)),
    # papers, report, anchors, expect, bench, list, schema
    "an unknown paper": ("papers dreibholz2013", ("dreibholz2013", "dreibholz2012_testbed")),
    "an unknown figure": ("papers dreibholz2011_impact --figure 99", ("figure", "99")),
    "no runs": ("papers dreibholz2011_impact --runs 0", ("runs", "0")),
    "workers below zero for papers": ("papers dreibholz2011_impact --workers -3", ("workers", "-3")),
    "a report on a missing store": ("report dreibholz2011_impact --store nowhere", ("store", "nowhere")),
    "a report over a page of the user": ("report dreibholz2011_impact --report site", ("site",)),
    "papers over a page of the user": ("papers dreibholz2011_impact --figure 3 --report site", ("site",)),
    "a report without a name": ("report dreibholz2011_impact --report ''", ("--report", '""', "name a")),
    "papers into a store without a name": ("papers dreibholz2011_impact --store ''", ("--store", '""', "name a")),
    "anchors into a report without a name": ("anchors single --report ''", ("--report", '""', "name a")),
    "a measurement into a store without a name": ("measure shared --store ''", ("--store", '""', "name a")),
    "a figure without a number": ("papers dreibholz2011_impact --figure ''", ("figure", '""', "3")),
    "a report that is a text": ("report dreibholz2011_impact --report notes.txt", ("notes.txt",)),
    "an unknown anchor": ("anchors singel", ("singel", "single")),
    "an anchor twice": ("anchors single single", ("family", "single", "twice")),
    "a row twice": ("bench T T", ("scenario", "T", "twice")),
    "a control of other connections without them": (
        "expect --path '1 Mbit/s, 9 ms' --tcp-cc cubic",
        ("--tcp-cc", "no effect", "--tcp"),
    ),
    "too many simulations to expect": ("expect --path '1 Mbit/s, 9 ms' --runs 1000000000", ("--runs", "10000")),
    "a capture with the removal of namespaces": ("emulate --clean --pcapng x", ("--pcapng", "no effect", "--clean")),
    "two tasks without an emulation": ("emulate --clean --calibrate", ("--clean", "--calibrate")),
    "an interface of invalid characters": ("decode one.pcap --interface '\udcff'", ("--interface", "no frames")),
    "a field after a part of it": (
        "papers dreibholz2012_testbed --set flows.cmt.cc=lia --set 'flows.*.cc=olia'",
        ("flows.cmt.cc", "no effect", "flows.*.cc"),
    ),
    "a value of many levels": (
        f"papers dreibholz2012_testbed --set flows.cmt.cc={'[' * 3000}",
        ("flows.cmt.cc", "nested too deeply"),
    ),
    "a number of thousands of digits": (
        f"papers dreibholz2012_testbed --set flows.cmt.streams={'9' * 5000}",
        ("flows.cmt.streams",),
    ),
    "an unknown row": ("bench D11", ("D11", "D10")),
    "a path without a delay": ("expect --path '10 Mbit/s'", ("path", "10 Mbit/s")),
    "a path without units": ("expect --path '10, 20'", ("path", "10")),
    "a path with a loss beyond one": ("expect --path '10 Mbit/s, 20 ms, 150 %'", ("path", "150 %", "100 %")),
    "no path at all": ("expect", ("path",)),
    "a path with an empty name": ("expect --path ': 10 Mbit/s, 20 ms'", ("path", "name", "wlan: 10 Mbit/s")),
    "expectations into a store without a name": ("expect --path '1 Mbit/s, 9 ms' --store ''", ("--store", '""')),
    "connections on an unknown path": ("expect --path 'a: 1 Mbit/s, 9 ms' --tcp b=1", ("tcp", "b")),
    "connections that are not a number": ("expect --path 'a: 1 Mbit/s, 9 ms' --tcp a=many", ("tcp", "many")),
    "connections in a superscript": ("expect --path 'a: 1 Mbit/s, 9 ms' --tcp a=²", ("tcp", "a=²")),
    "connections twice": ("expect --path 'a: 1 Mbit/s, 9 ms' --tcp a=1 --tcp a=2", ("tcp", "twice")),
    "a shared link of one path twice": (
        "expect --path 'a: 1 Mbit/s, 9 ms' --shared '1 Mbit/s: a, a'",
        ("shared", "a", "twice"),
    ),
    "a shared link of unknown paths": ("expect --path 'a: 1 Mbit/s, 9 ms' --shared '1 Mbit/s: a, b'", ("shared", "b")),
    "an unknown control to expect": ("expect --path '1 Mbit/s, 9 ms' --cc lai", ("cc", "lai", "lia")),
    "no simulations to expect": ("expect --path '1 Mbit/s, 9 ms' --runs 0", ("runs", "0")),
    "a measured rate without a unit": ("expect --path '1 Mbit/s, 9 ms' --measured 3", ("measured", "3", "unit")),
    "a time without a unit": ("expect --path '1 Mbit/s, 9 ms' --measure 100", ("measure", "100", "unit")),
    "an unknown queue to expect": ("expect --path '1 Mbit/s, 9 ms' --queue fifo", ("queue", "fifo", "drop-tail")),
    "a missing emulation": ("emulate nothing.toml", ("nothing.toml",)),
    "an unknown schema": ("schema sceanrio", ("sceanrio", "scenario")),
    "a list of a store without a name": ("store list --store ''", ("--store", '""', "name a")),
    "an export into a folder without a name": ("store export all '' --store mine", ("target", '""', "name a")),
    "a missing store": ("store list --store nowhere", ("nowhere",)),
    "an unknown campaign": ("store show nothing --store mine", ("mine",)),
    "a drawing of a missing scenario": ("show three.toml", ("three.toml",)),
    "a drawing in an unknown format": ("show two.toml --plot net.bmp", ("bmp", "svg")),
}
"""Command lines, and expected fragments of the error."""

SWEEPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "no factors": ('values = ["newreno", "cmt-rpv2"]', "values = []", ("factors.cc", "values")),
    "a factor of an unknown field": ('"flows.cmt.cc"', '"flows.cmt.ccc"', ("flows.cmt.ccc", '"cc"')),
    "a factor with a wrong value": ('"cmt-rpv2"]', '"cmt-rpv3"]', ("cmt-rpv3",)),
    "a factor without a unit": ('"2 Mbit/s", "5 Mbit/s"]', "2, 5]", ("2", "unit")),
    "a value twice": ('"2 Mbit/s", "5 Mbit/s"]', '"2 Mbit/s", "2 Mbit/s"]', ("factors.north", "2 Mbit/s")),
    "no replications": ("replications = 2", "replications = 0", ("replications", "0")),
    "too many replications": ("replications = 2", "replications = 1000000000000", ("runs",)),
    "an unknown metric in the file": ('metrics = ["goodput"]', 'metrics = ["speed"]', ("metric", "speed")),
    "an invalid precision": ("replications = 2", "precision = { goodput = -1 }", ("precision",)),
    "an unknown key": ("replications = 2", "replikations = 2", ("replikations", "replications")),
}
"""Replaced text of the sweep, replacement, and expected fragments of the error."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk.laid_out(tmp_path)
    (tmp_path / "link.toml").symlink_to("two.toml")
    (tmp_path / "hard.toml").hardlink_to(tmp_path / "two.toml")
    desk.put("tables/flows.csv", "a,b\n1,2\n")
    return desk


@pytest.mark.parametrize("case", WORDS)
def test_a_wrong_command_line_is_reported_in_one_line(case: str, desk: Desk):
    line, fragments = WORDS[case]
    before = sorted(path.name for path in desk.folder.iterdir())
    refused(desk.manypath(*shlex.split(line)), *fragments)
    assert desk.lost() == []
    left = {path.name for path in desk.folder.iterdir()} - set(before)
    assert not left, f"work began before the mistake was found: {left}"


@pytest.mark.parametrize("case", SWEEPS)
def test_a_wrong_sweep_is_reported_in_one_line(case: str, desk: Desk):
    old, new, fragments = SWEEPS[case]
    assert old in SWEEP
    desk.put("bad.toml", SWEEP.replace(old, new, 1))
    refused(desk.manypath("sweep", "bad.toml"), *fragments)
    assert desk.lost() == []
    assert not list(desk.folder.glob("runs/*.parquet"))
