"""Sweep files: valid ones are run, invalid ones are refused in one line."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath import _native
from manypath.campaign.sweep import Sweep
from manypath.cli.sweep_view import View

SWEEP = """
scenario = "two.toml"
replications = 3
seed = 7
[factors]
"flows.cmt.cc" = ["newreno", "cmt-rpv2"]
north = { field = "network.disjoint.north.rate", values = ["500 kbit/s", "2 Mbit/s"] }
"""


NORTH = 'north = { rate = "10 Mbit/s", delay = "1 ms"'
"""A link of the scenario, with an event. The sweep varies the link."""


@pytest.fixture
def folder(tmp_path: Path, two_paths_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    two_paths_file("two.toml", {NORTH: f'{NORTH}, events = [{{ at = "2 s", rate = "2 Mbit/s" }}]'})
    (tmp_path / "sweep.toml").write_text(SWEEP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def sweep(folder: Path, called: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs the command in this process: `sweep("sweep.toml", "--json", code=0)`."""
    assert folder.is_dir()
    return partial(called, "sweep")


@pytest.fixture
def rows(sweep: Callable[..., Any]) -> Callable[..., list[dict[str, Any]]]:
    """Return a function that runs the command and returns its JSON rows."""
    return lambda *arguments: json.loads(sweep("sweep.toml", "--json", *arguments).out)["rows"]


def test_a_sweep_equals_the_same_campaign_in_python(folder: Path, scenario):
    def make(cc: str, north: str) -> mp.Scenario:
        base = mp.Scenario.from_file(folder / "two.toml")
        links, flows = dict(base.network.links), dict(base.flows)
        for name in ("north", "north/back"):
            links[name] = links[name].but(rate=north)
        flows["cmt"] = flows["cmt"].but(cc=cc)
        return base.but(network=base.network.but(links=links), flows=flows)

    factors = {"cc": ["newreno", "cmt-rpv2"], "north": ["500 kbit/s", "2 Mbit/s"]}
    by_hand = mp.Campaign(make, factors, replications=3, seed=7).run(store=None, progress=False)
    swept = Sweep.from_file(folder / "sweep.toml").campaign().run(store=None, progress=False)
    assert swept.runs["digest"].tolist() == by_hand.runs["digest"].tolist()


def test_the_command_prints_means_with_intervals_and_reuses_stored_runs(folder: Path, sweep, rows):
    result = sweep("sweep.toml")
    assert "4 scenarios, 12 runs: about" in result.err
    assert "goodput Mbit/s" in result.out
    assert "±" in result.out
    assert "sweep: 12 runs" not in sweep("sweep.toml").err.replace("0 of them", "")
    found = rows()
    assert len(found) == 4 * 2
    assert found[0].keys() == {"flows.cmt.cc", "north", "flow", "goodput", "goodput_half_width", "n"}
    assert all(row["n"] == 3 for row in found)
    assert f"{found[0]['goodput']:.4g} ± {found[0]['goodput_half_width']:.2g}" in result.out


def test_rows_are_printed_as_csv_with_the_given_measurements(folder: Path, sweep):
    arguments = ["--csv", "--metric", "timeouts", "--metric", "goodput", "--where", "north=2 Mbit/s"]
    printed = sweep("sweep.toml", *arguments).out
    found = list(csv.DictReader(io.StringIO(printed)))
    assert len(found) == 2 * 2
    assert {"timeouts", "timeouts_half_width", "goodput", "goodput_half_width"} <= found[0].keys()
    assert {row["north"] for row in found} == {"2 Mbit/s"}


def test_differences_to_a_baseline_are_taken_in_pairs(rows):
    found = rows("--baseline", "flows.cmt.cc=newreno", "--metric", "goodput", "--metric", "timeouts")
    means = {(row["flows.cmt.cc"], row["north"], row["flow"]): row["goodput"] for row in rows()}
    assert len(found) == 2 * 2
    for row in found:
        case = row["north"], row["flow"]
        assert row["goodput"] == pytest.approx(means["cmt-rpv2", *case] - means["newreno", *case])
        assert row["goodput_n"] == row["timeouts_n"] == 3


@pytest.mark.parametrize(("baseline", "along"), [("flows.cmt.cc=newreno", "north"), ("north=2 Mbit/s", "flows.cmt.cc")])
def test_a_figure_with_a_baseline_shows_the_differences_of_the_table(baseline: str, along: str, folder: Path, rows):
    plan = Sweep.from_file(folder / "sweep.toml")
    results = plan.campaign().run("runs", progress=False)
    (axes,) = View(("goodput",), ("flow",), (), baseline, x=along).picture(results).figure.axes
    name, _, value = baseline.partition("=")
    assert axes.get_ylabel() == f"goodput in Mbit/s:\ndifference to {name} = {value}"
    table = rows("--baseline", baseline)
    drawn = [
        (y, (high - low) / 2)
        for points, _, (bars,) in axes.containers
        for y, ((_, low), (_, high)) in zip(points.get_ydata(), bars.get_segments(), strict=True)
    ]
    expected = [(row["goodput"], row["goodput_half_width"]) for row in table]
    assert sorted(drawn) == [pytest.approx(each) for each in sorted(expected)]
    low, high = axes.get_ylim()
    assert low <= 0 <= high


def test_every_run_is_written_and_a_figure_drawn(folder: Path, sweep):
    sweep("sweep.toml", "--frames", "numbers", "--plot", "shares.svg")
    flows = list(csv.DictReader((folder / "numbers" / "flows.csv").open()))
    assert len(flows) == 4 * 3 * 2
    assert "<svg" in (folder / "shares.svg").read_text()


THREE = """
replications = 2
[factors]
"flows.f.cc" = ["newreno", "lia", "olia"]
rate = { field = "network.disjoint.a.rate", values = ["1 Mbit/s", "2 Mbit/s"] }
"flows.f.receive_buffer" = ["50 kB", "100 kB", "200 kB"]
"flows.f.nr_sack" = [true, false]
"flows.f.streams" = [1, 2]
[scenario]
warmup = "0 s"
measure = "100 ms"
[scenario.network.disjoint]
a = { rate = "1 Mbit/s" }
[scenario.flows]
f = { paths = ["a"], start = "0 s" }
"""
"""A sweep of five factors."""

PANELS: dict[str, tuple[list[str], list[str]]] = {
    "three factors": (
        ["flows.f.nr_sack=True", "flows.f.streams=1"],
        ["flows.f.receive_buffer = 50 kB", "flows.f.receive_buffer = 100 kB", "flows.f.receive_buffer = 200 kB"],
    ),
    "four factors": (
        ["flows.f.streams=1"],
        ["flows.f.receive_buffer = 50 kB", "flows.f.receive_buffer = 100 kB", "flows.f.receive_buffer = 200 kB"],
    ),
    "two factors": (["flows.f.nr_sack=True", "flows.f.streams=1", "flows.f.receive_buffer=50 kB"], [""]),
}
"""Conditions for rows of this sweep, and the titles of the panels of its figure."""


@pytest.mark.parametrize("case", PANELS)
def test_a_figure_of_several_factors_has_panels(case: str, tmp_path: Path):
    where, titles = PANELS[case]
    (tmp_path / "three.toml").write_text(THREE)
    results = Sweep.from_file(tmp_path / "three.toml").campaign().run(None, progress=False)
    view = View(["goodput"], ["flow"], where, x="rate")
    plots = view.picture(view.select(results)).figure.axes
    assert [axes.get_title() for axes in plots] == titles
    assert len({axes.get_ylim() for axes in plots}) == 1
    assert all(len(axes.containers) == 3 * (2 if case == "four factors" else 1) for axes in plots)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--plot: flows.f.streams cannot be shown beside the other columns: choose one value with --where flows.f"),
        (["--where", "flows.f.streams=1", "--columns", "x"], '--columns: "x" is no column of these results'),
    ],
)
def test_a_figure_of_too_many_factors_is_refused_before_the_first_run(
    options: list[str], message: str, folder: Path, sweep
):
    (folder / "three.toml").write_text(THREE)
    assert message in sweep("three.toml", "--plot", "three.svg", *options, code=2).err
    assert not list((folder / "runs").glob("*.parquet"))


def test_a_figure_of_too_many_values_names_the_options(folder: Path, sweep):
    values = [f"{number} kB" for number in range(50, 59)]
    (folder / "many.toml").write_text(
        THREE.replace('["newreno", "lia", "olia"]', '["newreno"]').replace(
            '["50 kB", "100 kB", "200 kB"]', json.dumps(values)
        )
    )
    said = sweep("many.toml", "--plot", "many.svg", "--x", "rate", code=2).err
    remedy = (
        "choose one value with --where flows.f.receive_buffer=VALUE, or other columns with --x, --hue and --columns"
    )
    assert said == f"error: --plot: flows.f.receive_buffer has 9 values, but there are 8 colours: {remedy}\n"


def test_parts_on_several_machines_give_all_results(folder: Path, sweep):
    for part in ("1/2", "2/2"):
        printed = sweep("sweep.toml", "--shard", part).out
        assert f"part {part} is done: its 6 runs are in runs" in printed
    parts = sweep("sweep.toml", "--json")
    assert "0 of them stored" not in parts.err
    whole = sweep("sweep.toml", "--json", "--store", "others")
    assert parts.out == whole.out


def test_a_file_may_have_a_precision(folder: Path, sweep):
    (folder / "sweep.toml").write_text(
        SWEEP.replace("replications = 3", 'precision = { within = "20 %", of = { flow = "cmt" }, minimum = 3 }')
    )
    result = sweep("sweep.toml", "--json")
    assert "12 runs or more, up to 1000 each" in result.err
    for row in json.loads(result.out)["rows"]:
        if row["flow"] == "cmt":
            assert row["goodput_half_width"] <= 0.2 * row["goodput"]


def test_a_factor_may_have_tables_as_values_and_several_fields(folder: Path, rows):
    (folder / "sweep.toml").write_text("""
        scenario = "two.toml"
        replications = 1
        by = ["link"]
        metrics = ["dropped"]
        [factors.queue]
        field = ["network.disjoint.south.queue", "network.disjoint.north.queue"]
        values = [{ kind = "drop-tail", packets = 10 }, { kind = "drop-tail", packets = 200 }]
        [factors]
        "network.disjoint.north.events.0.at" = ["1 s", "2 s"]
    """)
    found = rows()
    assert {row["queue"] for row in found} == {"kind=drop-tail packets=10", "kind=drop-tail packets=200"}
    assert {row["link"] for row in found} == {"south", "south/back", "north", "north/back"}
    assert len(found) == 2 * 2 * 4


def test_fields_may_be_written_without_quotes(folder: Path):
    dotted = SWEEP.replace('"flows.cmt.cc"', "flows.cmt.cc")
    (folder / "dotted.toml").write_text(dotted)
    assert list(Sweep.from_file(folder / "dotted.toml").values) == ["flows.cmt.cc", "north"]


def test_another_simulator_is_swept_from_a_file(folder: Path, rows):
    (folder / "model.py").write_text("def model(rate, seed):\n    return {'wait': seed / rate}\n")
    (folder / "sweep.toml").write_text("""
        runner = { python = "model:model" }
        metrics = ["wait"]
        factors = { rate = [1, 2] }
    """)
    found = rows("--frames", "numbers")
    assert sorted(path.name for path in (folder / "numbers").iterdir()) == ["runs.csv", "settings.json"]
    assert [row["n"] for row in found] == [10, 10]
    assert found[0]["wait"] == pytest.approx(2 * found[1]["wait"])
    program = f"{sys.executable} -c 'print(\"wait\", {{rate}} + 1)'"
    (folder / "sweep.toml").write_text(f"""
        metrics = ["wait"]
        runner = {{ command = '''{program}''' }}
        factors = {{ rate = [1] }}
    """)
    assert rows("--plot", "wait.svg")[0]["wait"] == 2


SIMULATOR = """
runner = { python = "nothing:here" }
factors = { rate = [1, 2] }
"""

BAD = {
    "unknown key": ("replications", "repetitions", "repetitions: unknown key", '"replications"'),
    "unknown field": ("flows.cmt.cc", "flows.cmt.ccc", "flows.cmt.ccc: unknown key", 'did you mean "cc"?'),
    "field of an unknown flow": ("flows.cmt.cc", "flows.cmd.cc", '"cmd"', 'did you mean "cmt"?'),
    "field within a value": ("flows.cmt.cc", "warmup.cc", 'warmup is "1 s", which has no fields', "does not exist"),
    "wrong unit": ("2 Mbit/s", "2 Mbps", '"2 Mbps" is no rate', '"2 Mbit/s"'),
    "unknown algorithm": ("cmt-rpv2", "cmt-rpv22", 'no congestion control "cmt-rpv22"', 'did you mean "cmt-rpv2"?'),
    "no values": ('["newreno", "cmt-rpv2"]', "[]", "factors.flows.cmt.cc: is empty", "give 1 or more"),
    "a text for values": ('["newreno", "cmt-rpv2"]', '"newreno"', "factors.flows.cmt.cc", "newreno"),
    "no such scenario": ("two.toml", "three.toml", "three.toml: there is no such file", "give the path"),
    "no replications": ("= 3", "= 0", "replications: 0 is too small", "give 1 or more"),
    "both ways to stop": ("= 3", '= 3\nprecision = "2 %"', "not valid with precision", "give the maximum"),
    "no precision": ("replications = 3", 'precision = "2"', '"2" is no share of the mean', 'write "2 %"'),
    "unknown key of the precision": (
        "replications = 3",
        'precision = { whithin = "2 %" }',
        "precision.whithin: unknown key",
        'did you mean "within"?',
    ),
    "two things to run": ("seed", 'runner = { command = "cat x" }\nseed', "one of scenario and runner", "give one"),
    "seed of more than 64 bits": ("= 7", "= 18446744073709551616", "seed: 18446744073709551616 is too large", "give"),
    "words for a measurement": ("seed", 'metrics = ["closed"]\nseed', '"closed" has texts, not numbers', '"goodput"'),
    "a factor for a measurement": ("seed", 'metrics = ["north"]\nseed', '"north" has texts, not numbers', '"goodput"'),
    "unknown part": ("seed", 'by = ["flwo"]\nseed', '"flwo" is no column', 'did you mean "flow"?'),
    "unknown measurement of the precision": (
        "replications = 3",
        'precision = { within = "2 %", metric = "godput" }',
        'precision: "godput" is no column',
        'did you mean "goodput"?',
    ),
    "no such flow of the precision": (
        "replications = 3",
        'precision = { within = "2 %", of = { flow = "cmd" } }',
        "precision.of: no run has flow = cmd",
        "give values that the scenarios have",
    ),
    "unknown measurement": ("seed", 'metrics = ["godput"]\nseed', '"godput" is no column', 'did you mean "goodput"?'),
    "no function": (SWEEP, SIMULATOR, "nothing:here cannot be imported", "put it into the folder of the sweep file"),
}


@pytest.fixture
def no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test if a run begins."""
    for function in ("run", "run_batch"):
        monkeypatch.setattr(_native, function, lambda *_: pytest.fail("a run has begun"))


@pytest.mark.parametrize("case", BAD)
@pytest.mark.usefixtures("no_run")
def test_a_bad_sweep_is_refused_in_one_line_before_any_run(case: str, folder: Path, sweep):
    right, wrong, message, remedy = BAD[case]
    assert right in SWEEP
    (folder / "sweep.toml").write_text(SWEEP.replace(right, wrong, 1))
    done = sweep("sweep.toml", code=2)
    (line,) = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert message in line
    assert remedy in line
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "3/2"], 'shard: "3/2" is no part: write "2/4"'),
        (["--shard", "1/2", "--plot", "shares.svg"], "--plot: not valid with --shard, which prints no results"),
        (["--shard", "1/2", "--json"], "--json: not valid with --shard, which prints no results"),
        (["--where", "north"], '"north" is no condition: write NAME=VALUE'),
        (["--where", "north=3 Mbit/s"], '"3 Mbit/s" is no value of north'),
        (["--where", "nort=2 Mbit/s"], 'did you mean "north"?'),
        (["--where", "north=2 Mbit/s", "--where", "north=500 kbit/s"], "--where: no run has north=2 Mbit/s and north"),
        (["--metric", "godput"], '"godput" is no column of these results: did you mean "goodput"?'),
        (["--metric", "goodput", "--metric", "closed"], '"closed" has texts, not numbers'),
        (["--plot", "shares.gif"], "end it with .svg, .pdf, .png"),
        (["--plot", "shares"], "end it with .svg, .pdf, .png"),
        (["--plot", "/proc/shares.svg"], '--plot: "/proc/shares.svg" cannot be written'),
        (["--plot", "folder.svg"], '--plot: "folder.svg" is a folder'),
        (["--plot", "mine.svg"], '--plot: "mine.svg" exists, and manypath did not write it'),
        (["--plot", "shares.svg", "--x", "nort"], '"nort" is no column of these results: did you mean "north"?'),
        (["--plot", "shares.svg", "--y", "godput"], '"godput" is no column of these results: did you mean "goodput"?'),
        (["--plot", "shares.svg", "--hue", "norht"], '--hue: "norht" is no column of these results: did you mean "nor'),
        (["--plot", "shares.svg", "--hue", "cc"], '--hue: "cc" is no column of these results'),
        (["--columns", "north"], "--columns: only valid with --plot: give --plot OUT, too"),
        (["--hue", "north"], "--hue: only valid with --plot: give --plot OUT, too"),
        (["--x", "north"], "--x: only valid with --plot: give --plot OUT, too"),
        (["--y", "goodput"], "--y: only valid with --plot: give --plot OUT, too"),
        (["--frames", "two.toml"], '--frames: "two.toml" is not a folder'),
        (["--frames", "/proc/numbers"], '--frames: "/proc/numbers" cannot be written'),
        (["--frames", "mine"], '--frames: "mine/runs.csv" exists, and manypath did not write it'),
        (["--baseline", "north"], '--baseline: "north" is no condition: write NAME=VALUE'),
        (["--baseline", "north=3 Mbit/s"], '--baseline: "3 Mbit/s" is no value of north'),
        (
            ["--baseline", "north=2 Mbit/s", "--where", "north=2 Mbit/s"],
            "--baseline: north=2 Mbit/s is the only value: give north other values, too",
        ),
        (["--json", "--csv"], "--csv: not valid with --json: give one of them"),
        (["--dask", "tcp://there:8786", "--workers", "2"], "--workers: not valid with --dask"),
        (["--dask", "foo"], "dask: "),
        (["--store", "two.toml"], 'store: "two.toml" is not a folder'),
        (["--store", "/proc/runs"], 'store: "/proc/runs" cannot be written'),
        (["--store", "other"], "store: other belongs to another program"),
        (["--workers", "0"], "workers: 0 is not a number of threads"),
        (["--workers", "-3"], "workers: -3 is not a number of threads"),
    ],
)
@pytest.mark.usefixtures("no_run")
def test_a_bad_option_is_refused_in_one_line_before_any_run(arguments: list[str], message: str, folder: Path, sweep):
    (folder / "mine").mkdir()
    (folder / "other").mkdir()
    (folder / "folder.svg").mkdir()
    (folder / "mine.svg").write_text("<svg>my drawing</svg>")
    (folder / "mine" / "runs.csv").write_text("my,runs\n")
    (folder / "other" / "manifest.json").write_text("{}")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (line,) = sweep("sweep.toml", *arguments, code=2).err.splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_origin_of_rows_is_stored_with_every_format(folder: Path, sweep):
    engine = _native.engine_version()
    document = json.loads(sweep("sweep.toml", "--json", "--where", "north=2 Mbit/s", "--frames", "numbers").out)
    report = {key: document[key] for key in ("seed", "replications", "engine", "settings")}
    assert report == {"seed": 7, "replications": 3, "engine": engine, "settings": {"where": ["north=2 Mbit/s"]}}
    written = json.loads((folder / "numbers" / "settings.json").read_text())
    assert written == {"written_by": "manypath", **report}
    line = f"seed 7, 3 replications, engine {engine}; baseline north=2 Mbit/s"
    assert sweep("sweep.toml", "--baseline", "north=2 Mbit/s").out.splitlines()[-1] == line
    table = sweep("sweep.toml", "--baseline", "north=2 Mbit/s", "--csv")
    assert line in table.err.splitlines()
    assert line not in table.out


def test_a_run_too_short_for_the_warmup_rule_gets_the_limit_and_no_suggestion(folder: Path, sweep, monkeypatch):
    monkeypatch.setattr("manypath.campaign.steadiness.mser5", lambda _: None)
    printed = sweep("sweep.toml", "--check-warmup").err.splitlines()
    assert "1 s are configured, more than 1.5 s are needed; the run is too short for an estimate" in printed[-1]


@pytest.mark.usefixtures("undrawn")
def test_a_second_call_replaces_the_files_of_the_first(folder: Path, sweep):
    for _ in range(2):
        sweep("sweep.toml", "--frames", "numbers", "--plot", "shares.svg")
    # A call with other factors replaces them, too.
    (folder / "sweep.toml").write_text(SWEEP.replace("north =", "other ="))
    sweep("sweep.toml", "--frames", "numbers", "--plot", "shares.svg")
    assert "other" in (folder / "numbers" / "flows.csv").read_text().splitlines()[0]


@pytest.mark.usefixtures("no_run")
def test_an_output_of_a_sweep_cannot_be_one_of_its_inputs(folder: Path, sweep):
    (folder / "numbers").mkdir()
    before = (folder / "two.toml").read_bytes()
    (folder / "numbers" / "flows.csv").hardlink_to(folder / "two.toml")
    printed = sweep("sweep.toml", "--frames", "numbers", code=2).err
    assert printed == 'error: --frames: "numbers/flows.csv" is an input file: choose another name\n'
    (folder / "shares.svg").symlink_to(folder / "sweep.toml")
    printed = sweep("sweep.toml", "--plot", "shares.svg", code=2).err
    assert printed == 'error: --plot: "shares.svg" is an input file: choose another name\n'
    assert (folder / "two.toml").read_bytes() == before
    assert (folder / "sweep.toml").read_text() == SWEEP


def test_a_thousand_million_runs_need_confirmation(folder: Path, sweep):
    thousand = json.dumps(list(range(1, 1001)))
    (folder / "sweep.toml").write_text(f"""
        scenario = "two.toml"
        replications = 1
        [factors]
        "flows.cmt.send_buffer" = {thousand}
        "flows.cmt.receive_buffer" = {thousand}
        "flows.single.send_buffer" = {thousand}
    """)
    done = sweep("sweep.toml", code=2)
    assert done.err == (
        "error: factors: 1,000,000,000 combinations are 1,000,000,000 runs, more than 100,000: give fewer values, "
        "or allow more with most (--yes)\n"
    )
    assert not (folder / "runs").exists()


@pytest.mark.parametrize("answer", [False, True])
def test_a_user_at_a_terminal_is_asked_for_confirmation(
    answer: bool, folder: Path, sweep, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("manypath.cli.sweep.ASKED_ABOVE", 11)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: answer)
    done = sweep("sweep.toml", code=0 if answer else 2)
    assert "4 combinations are 12 runs, more than 11" in done.err
    assert (folder / "runs").exists() == answer


@pytest.mark.parametrize("ending", ["json", "toml"])
def test_very_deeply_nested_tables_are_refused(ending: str, folder: Path, sweep):
    deep = 5_000_000
    nested = "[" * deep + "]" * deep
    (folder / f"deep.{ending}").write_text(f"a = {nested}" if ending == "toml" else nested)
    done = sweep(f"deep.{ending}", code=2)
    assert done.err.startswith(f"error: deep.{ending}: nested too deeply")


def test_the_example_is_a_sweep():
    campaign = Sweep.from_file(Path(__file__).parents[2] / "examples" / "sweep.toml").campaign()
    assert campaign.size == 40
