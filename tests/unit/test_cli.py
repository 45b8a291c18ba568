"""The command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from lists import cases
from manypath import _native
from manypath.anchors import ANCHORS
from manypath.bench.rows import ROWS
from manypath.cli import main, names
from manypath.meanings import MEANINGS
from manypath.measurements import MEASUREMENTS
from manypath.papers import FIGURES, NAMES, TAGS, registry
from manypath.scenario.networks import SHORT_FORMS, TOPOLOGIES
from manypath.schema import FILES
from manypath.testbed import COMPARISONS, GRIDS, PAPER_GRIDS
from manypath.testbed.contestants import CONTESTANTS

FACTORS = """
scenario = "two.toml"
[factors]
rate = { field = "network.disjoint.north.rate", values = ["5 Mbit/s", "10 Mbit/s"] }
"flows.cmt.cc" = ["newreno", "lia"]
"""


@pytest.fixture
def folder(tmp_path: Path, two_paths_file: Callable[..., Path]) -> Path:
    two_paths_file("two.toml")
    return tmp_path


@pytest.fixture
def manypath(called, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that runs a command in a folder, in this process, and returns what it prints."""

    def run(*arguments: str, folder: Path, **environment: str) -> str:
        monkeypatch.chdir(folder)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        return called(*arguments).out

    return run


@pytest.mark.parametrize(
    "command",
    [
        "examples",
        "docs",
        "run",
        "show",
        "decode",
        "sweep",
        "papers",
        "reconstruct",
        "report",
        "expect",
        "anchors",
        "emulate",
        "net",
        "kernel",
        "store",
        "list",
        "schema",
        "bench",
    ],
)
def test_the_help_of_every_command_has_an_example(command: str, folder: Path, manypath):
    printed = manypath(command, "--help", folder=folder, COLUMNS="200")
    assert f"Example: manypath {command}" in printed


def test_help_imports_no_large_library(folder: Path):
    heavy = {"pandas", "scipy", "matplotlib", "pydantic", "manypath.scenario"}
    script = f"import sys; from manypath.cli import main; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("command", ["papers", "report"])
def test_a_wrong_name_of_a_paper_is_refused_without_large_libraries(command: str, folder: Path):
    heavy = {"pandas", "scipy", "matplotlib"}
    script = f"import atexit, sys; atexit.register(lambda: print({heavy} & set(sys.modules)))"
    script += f"; sys.argv = ['manypath', '{command}', 'nosuch']; from manypath.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (2, "set()"), done.stderr


def test_statistics_load_no_distributions_of_scipy(folder: Path):
    # They take half a second.
    modules = "manypath.campaign, manypath.expect, manypath.papers.evaluation"
    script = f"import sys, {modules}; print('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_run_prints_every_flow_path_and_link(folder: Path, manypath):
    printed = manypath("run", "two.toml", folder=folder)
    for word in ("cmt", "single", "south", "north", "south/back", "goodput Mbit/s", "digest"):
        assert word in printed


def test_the_width_of_a_pipe_is_that_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch, called):
    monkeypatch.chdir(folder)

    def printed(columns: str) -> str:
        monkeypatch.setenv("COLUMNS", columns)
        return called("run", "two.toml").out

    assert max(map(len, printed("80").splitlines())) <= 80
    wide = printed("")
    assert max(map(len, wide.splitlines())) > 80
    for unknown in ("0", "wide", "-5", "9" * 50):
        assert printed(unknown) == wide


def test_the_example_runs(folder: Path, manypath):
    example = Path(__file__).parents[2] / "examples" / "two_paths.toml"
    outcome = json.loads(manypath("run", str(example), "--json", folder=folder))
    assert outcome["simulated_seconds"] == 120
    assert outcome["flows"]["cmt"]["goodput"] > outcome["flows"]["single"]["goodput"]


def test_the_version_includes_the_engine(folder: Path, manypath):
    printed = manypath("--version", folder=folder)
    assert printed.startswith("manypath 0.")
    assert _native.engine_version() in printed


def test_run_with_json_prints_only_json(folder: Path, manypath):
    outcome = json.loads(manypath("run", "two.toml", "--seed", "7", "--json", folder=folder))
    assert outcome["seed"] == 7
    assert list(outcome["flows"]) == ["cmt", "single"]
    assert outcome["flows"]["cmt"]["goodput"] > 1e6


def test_a_run_names_its_seed_engine_and_settings(folder: Path, monkeypatch: pytest.MonkeyPatch, called):
    monkeypatch.chdir(folder)
    engine = _native.engine_version()
    printed = called("run", "two.toml", "--seed", "7", "--series", "1 s", "--output", "samples").out
    assert printed.splitlines()[-1].endswith(f", seed 7, engine {engine}; series 1 s")
    assert printed.count("seed") == 1
    document = json.loads(called("run", "two.toml", "--json", "--seed", "7").out)
    report = {key: document[key] for key in ("seed", "replication", "replications", "engine", "settings")}
    assert report == {"seed": 7, "replication": 0, "replications": 1, "engine": engine, "settings": {}}


def test_a_benchmark_names_its_seed_and_engine(called):
    document = json.loads(called("bench", "A", "--json").out)
    assert (document["seed"], document["engine"]) == (1, _native.engine_version())


def test_run_writes_samples_to_the_given_file(folder: Path, manypath):
    printed = manypath("run", "two.toml", "--series", "500 ms", "--output", "curves", folder=folder)
    assert "curves/two.paths.csv" in printed
    header, *rows = (folder / "curves" / "two.paths.csv").read_text().splitlines()
    assert header.split(",")[:4] == ["time", "flow", "path", "cwnd"]
    assert len(rows) >= 3 * 4


def test_list_prints_all_registries(folder: Path, manypath):
    printed = manypath("list", folder=folder)
    for name in (
        "newreno",
        "cmt-rpv1",
        "cmt-rpv2",
        "mptcp-like",
        "weighted-aimd:weight=1",
        "rfc9260",
        "drop-tail",
        "bernoulli",
        "dreibholz2011_impact",
        "lowest-rtt",
        "on-off",
        "dumbbell",
        "recovery:window_cut",
        "head_of_line_blocked",
    ):
        assert name in printed
    lists = json.loads(manypath("list", "--json", folder=folder))
    assert "red" in [entry["name"] for entry in lists["queues"]]
    of_metrics = {entry["name"]: entry["summary"] for entry in lists["metrics"]}
    assert of_metrics["goodput"].endswith("Mbit/s; of flows, paths")
    named = {entry["name"] for entry in lists["events"]}
    schema = json.loads((Path(__file__).parents[2] / "spec" / "events.schema.json").read_text())
    assert named == {kind["properties"]["name"]["const"] for kind in schema["$defs"]["Line"]["oneOf"]}
    summaries = [entry["summary"] for kind in lists for entry in lists[kind]]
    assert all(summaries)
    assert not [summary for summary in summaries if summary.startswith(("Return", "An application"))]


def test_list_prints_one_kind(folder: Path, manypath):
    whole = manypath("list", folder=folder)
    for kind, title in names.LISTS.items():
        printed = manypath("list", kind, folder=folder)
        assert f"{title}:\n" + "".join(f"  {line}\n" for line in printed.splitlines()) in whole
        assert list(json.loads(manypath("list", kind, "--json", folder=folder))) == [title]


def test_topologies_and_metrics_have_a_meaning_each():
    assert list(TOPOLOGIES) == list(SHORT_FORMS)
    assert set(MEANINGS) == {name for kind in MEASUREMENTS.values() for name in kind}
    times = [name for name in MEANINGS if name.startswith(("latency", "blocked")) or name.endswith("_seconds")]
    assert all(MEANINGS[name].endswith(", s") for name in times)


def test_the_help_groups_the_commands_and_shows_no_type_of_flags(folder: Path, manypath):
    printed = manypath("--help", folder=folder, COLUMNS="200", TERM="dumb")
    headings = ["Options", "Simulate", "Papers", "Real networks", "Documentation", "Housekeeping"]
    places = [printed.index(f" {heading} ") for heading in headings]
    assert places == sorted(places)
    for command, heading in (("sweep", 1), ("anchors", 2), ("decode", 3), ("docs", 4), ("store", 5)):
        place = printed.index(f" {command} ")
        assert [at for at in places if at < place][-1] == places[heading]
    for words in ([], ["run"], ["net"], ["store"], ["store", "list"]):
        assert "<bool>" not in manypath(*words, "--help", folder=folder, COLUMNS="200")


RECOVERY = {
    "recovery",
    "recovery:loss_timer_expired",
    "recovery:marked_for_retransmit",
    "recovery:window_cut",
    "recovery:congestion_state_updated",
    "recovery:metrics_updated",
    "recovery:sending_blocked",
}


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("manypath rep", {"report"}),
        ("manypath report dreibholz2011", {"dreibholz2011_impact"}),
        ("manypath expect --cc bal", {"balia"}),
        ("manypath run --pca", {"--pcapng"}),
        ("manypath run --ev", {"--events"}),
        ("manypath expect --tcp-cc newr", {"newreno"}),
        ("manypath expect --queue drop", {"drop-tail"}),
        ("manypath measure --cc wv", {"wvegas"}),
        ("manypath papers dreibholz2011_impact --figure 5", {"5"}),
        ("manypath report honda2009_bmc --figure 5.1", {f"5.{number}" for number in range(10, 19)}),
        ("manypath run two.toml --only rec", RECOVERY),
        ("manypath sweep sweep.toml --metric window", {"window_cuts"}),
        ("manypath sweep sweep.toml --y utili", {"utilisation"}),
        ("manypath run two.toml --link nor", {"north", "north/back"}),
        ("manypath emulate two.toml --link south/", {"south/back"}),
        ("manypath sweep sweep.toml --x ra", {"rate"}),
        ("manypath sweep sweep.toml --hue fl", {"flow", "flows.cmt.cc"}),
        ("manypath sweep sweep.toml --where ra", {r"rate=5\ Mbit/s", r"rate=10\ Mbit/s"}),
        ("manypath sweep sweep.toml --where ", {"rate=", "flows.cmt.cc="}),
        ("manypath sweep sweep.toml --baseline flows.cmt.cc=l", {"flows.cmt.cc=lia"}),
        ("manypath sweep broken.toml --x fl", set()),
        ("manypath measure sha", {"shared"}),
        ("manypath measure fai", {"failover"}),
        ("manypath anchors sha", {"sharing"}),
        ("manypath schema emu", {"emulation"}),
        ("manypath list qu", {"queues"}),
        ("manypath bench D10/n", {"D10/newreno"}),
        ("manypath store sh", {"show"}),
        ("manypath store show swee", {"sweep"}),
        ("manypath store prune --campaign 0123", {"0123456789ab"}),
    ],
)
def test_a_shell_completes_commands_options_and_names(
    words: str, completed: set[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (folder / "sweep.toml").write_text(FACTORS)
    (folder / "broken.toml").write_text("[factors\n")
    (folder / "runs" / "campaigns").mkdir(parents=True)
    (folder / "runs" / "campaigns" / "0123456789abcdef.json").write_text('{"title": "sweep"}')
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["manypath"])
    for name, value in asked(words).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        main()
    assert set(filter(None, capsys.readouterr().out.splitlines())) == completed


def asked(words: str) -> dict[str, str]:
    """Return the environment in which bash asks for completions of the last of these words."""
    return {
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
        "_MANYPATH_COMPLETE": "complete_bash",
    }


def completion(words: str, folder: Path, script: str) -> str:
    """Return the completions of the last of these words by a process."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'manypath'; {script}"],
        cwd=folder,
        env={**os.environ, **asked(words)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


IN_BASH: dict[str, tuple[str, list[str]]] = {
    "the value of a factor": ("sweep sweep.toml --where flows.cmt.cc = l", ["lia"]),
    "all values of a factor": ("sweep sweep.toml --where flows.cmt.cc =", ["newreno", "lia"]),
    "a value with a blank": ("sweep sweep.toml --where rate = 1", [r"10\ Mbit/s"]),
    "a value with a blank that was begun": (r"sweep sweep.toml --where rate = '10\ M'", [r"10\ Mbit/s"]),
    "a value in quotes": ("""sweep sweep.toml --where '"rate=1'""", ["rate=10 Mbit/s"]),
    "the value of an option after =": ("store export a b --format = p", ["parquet"]),
    "the value of an option": ("store export a b --format c", ["csv"]),
    "every value of an option": ("store export a b --format ''", ["csv", "parquet"]),
    "a factor after = of its option": ("sweep sweep.toml --where = flows.cmt.cc = n", ["newreno"]),
    "an event of a category": ("run two.toml --only recovery : window", ["window_cut"]),
    "an algorithm behind another option": ("expect --tcp-cc = newr", ["newreno"]),
    "a link": ("run two.toml --link north/", ["north/back"]),
}
"""Words as bash splits a line, and its insertion for the last one."""

IN_GATE = (
    "the value of a factor",
    "a value with a blank",
    "a value in quotes",
    "the value of an option after =",
    "an event of a category",
)
"""One of them for each character at which bash splits a word, and for each way of quoting."""


@pytest.fixture(scope="module")
def for_bash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program and what it prints for bash."""
    folder = tmp_path_factory.mktemp("bash")
    program = folder / "manypath"
    program.write_text(f"#!{sys.executable}\nfrom manypath.__main__ import main\n\nmain()\n")
    program.chmod(0o755)
    environment = {**os.environ, "_MANYPATH_COMPLETE": "source_bash"}
    with (folder / "completion").open("w") as file:
        subprocess.run([program], env=environment, stdout=file, check=True)
    return folder


@pytest.mark.parametrize("case", cases(IN_BASH, long=lambda case: case not in IN_GATE))
def test_bash_completes_values_although_it_splits_words(case: str, folder: Path, for_bash: Path):
    words, inserted = IN_BASH[case]
    (folder / "sweep.toml").write_text(FACTORS)
    script = f"""
        PATH={for_bash}:$PATH
        source {for_bash}/completion
        COMP_WORDS=(manypath {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        $(complete -p manypath | sed 's/.* -F \\([^ ]*\\) .*/\\1/') manypath
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["/bin/bash", "--norc", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == inserted


@pytest.mark.parametrize(
    "words",
    ["manypath re", "manypath run two.toml --link n", "manypath store export a b --format c", "manypath bench C"],
)
def test_completion_imports_no_large_library(words: str, folder: Path):
    heavy = {"pandas", "scipy", "matplotlib", "pydantic", "rich.console", "email", "manypath.scenario"}
    script = f"import atexit; atexit.register(lambda: print('loaded', {heavy} & set(sys.modules)))"
    printed = completion(words, folder, f"{script}; from manypath.cli import main; main()")
    assert len(printed.split()) > 2, "nothing is completed"
    assert printed.endswith("loaded set()\n")


def test_completed_names_equal_the_registries():
    families = dict.fromkeys(anchor.id.split("/")[0] for anchor in ANCHORS)
    assert tuple(families) == names.ANCHOR_FAMILIES
    assert tuple(COMPARISONS) == names.COMPARISONS
    assert tuple(GRIDS) == names.GRIDS
    assert tuple(PAPER_GRIDS) == names.PAPER_GRIDS
    assert tuple(CONTESTANTS) == names.STACKS
    assert tuple(FILES) == names.FILE_KINDS
    assert tuple(ROWS) == names.BENCHMARKS


def test_completed_figures_equal_those_of_the_papers():
    drawn = {name: dict.fromkeys(str(figure.number) for figure in paper.figures) for name, paper in registry().items()}
    assert {name: tuple(numbers) for name, numbers in drawn.items()} == FIGURES


def test_tags_of_papers_are_known_without_loading_them():
    assert {tag: registry()[name].tag for tag, name in TAGS.items()} == {tag: tag for tag in TAGS}
    assert set(TAGS.values()) == set(NAMES)


def test_a_shell_completes_the_words_of_the_kernel_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "manypath-kernel"
    program.write_text('#!/bin/sh\n[ "$1" = --help ] && echo "Usage: x <check|list|load>" || printf "lia\\nolia\\n"\n')
    program.chmod(0o755)
    monkeypatch.setattr(names, "installed", lambda _: str(program))
    monkeypatch.setattr(names, "PATIENCE", 300)
    context = SimpleNamespace(params={"arguments": None}, args=[])
    assert names.kernel_words(context, "l") == ["list", "load"]  # pyright: ignore[reportArgumentType]
    context.params["arguments"] = ["load"]
    assert names.kernel_words(context, "ol") == ["olia"]  # pyright: ignore[reportArgumentType]
    monkeypatch.setattr(names, "installed", lambda _: None)
    assert names.kernel_words(context, "") == []  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("s", ["serve"]),
        pytest.param("--h", ["--help"], marks=pytest.mark.long),
        pytest.param("serve --l", ["--limit", "--limit-per-user"], marks=pytest.mark.long),
        ("serve --limit 3 --limit-", ["--limit-per-user"]),
        pytest.param("serve -- --l", [], marks=pytest.mark.long),
    ],
)
def test_a_shell_completes_the_words_of_the_program_for_real_networks(words: str, completed: list[str], tmp_path: Path):
    program = tmp_path / "manypath-net"
    options = "Usage: x serve [OPTIONS]\\n\\n      --limit <COUNT>\\n      --limit-per-user <COUNT>\\n  -h, --help\\n"
    program.write_text(f'#!/bin/sh\n[ "$*" = "serve --help" ] && printf "{options}" || echo "Usage: x <run|serve>"\n')
    program.chmod(0o755)
    script = f"from manypath.cli import main, names; names.installed = lambda _: {str(program)!r}; names.PATIENCE = 300"
    assert completion(f"manypath net {words}", tmp_path, f"{script}; main()").split() == completed


def test_no_colour_is_printed_with_no_color(folder: Path, manypath):
    printed = manypath("run", "two.toml", folder=folder, NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b[3" not in printed


def test_ctrl_c_ends_a_run_in_one_line(folder: Path, two_paths_file):
    two_paths_file("long.toml", {'measure = "2 s"': 'measure = "50000 h"'})
    script = textwrap.dedent("""
        import signal
        from manypath import _native
        from manypath.cli import main
        def run(*arguments):
            print("running", flush=True)
            return engine(*arguments)
        engine, _native.run = _native.run, run
        # A shell may have started this process with the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main()
    """)
    command = [sys.executable, "-c", script, "run", "long.toml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, printed = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert printed == "stopped before the end of the run: it has no result\n"


@pytest.mark.parametrize(
    ("command", "last"),
    [("explore", "stopped"), ("list", "stopped"), ("papers", "stopped: finished results are kept")],
)
def test_ctrl_c_claims_kept_results_only_for_commands_with_a_store(
    command: str, last: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("typer.core.TyperCommand.invoke", interrupted)
    monkeypatch.setattr(sys, "argv", ["manypath", command])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 130
    assert capsys.readouterr().err.splitlines() == [last]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_a_long_run_shows_its_progress_on_a_terminal(folder: Path, two_paths_file):
    two_paths_file("long.toml", {'measure = "2 s"': 'measure = "50000 h"'})
    terminal, its_end = os.openpty()
    command = [sys.executable, "-m", "manypath", "run", "long.toml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=its_end) as process:
        os.close(its_end)
        printed = b""
        while b"of 180,000,001.0 s simulated" not in printed:
            printed += os.read(terminal, 4096)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=300)
    os.close(terminal)
    assert (process.returncode, out) == (130, b"")


def test_run_draws_windows_without_writing_samples(folder: Path, manypath):
    printed = manypath("run", "two.toml", "--plot", "course.svg", "--json", folder=folder)
    assert "series" not in json.loads(printed)
    assert {path.name for path in folder.iterdir()} == {"two.toml", "course.svg"}
    assert "<svg" in (folder / "course.svg").read_text()


def test_a_plot_without_a_writable_home_prints_no_remark(folder: Path):
    (folder / "file").touch()
    environment = {**os.environ, "HOME": str(folder / "file" / "home"), "MPLCONFIGDIR": str(folder / "file" / "mpl")}
    command = [sys.executable, "-m", "manypath", "show", "two.toml", "--plot", "network.svg"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_plot_never_replaces_the_scenario(two_paths_file, called):
    scenario = two_paths_file("two.svg")
    before = scenario.read_bytes()
    assert "is an input file" in called("run", str(scenario), "--plot", str(scenario), code=2).err
    assert scenario.read_bytes() == before


def test_a_fault_of_the_engine_ends_with_1_and_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(*_: object) -> None:
        raise _native.RunError("seed 1, replication 0: 5 packets are missing")

    monkeypatch.setattr(_native, "run", broken)
    monkeypatch.setattr(sys, "argv", ["manypath", "run", str(folder / "two.toml")])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "5 packets are missing" in line
