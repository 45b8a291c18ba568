"""The explorer without a browser: states and links, controls, copies, presets, runs, and shares."""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import forks
import manypath as mp
from manypath import _native
from manypath.errors import UserError
from manypath.explore import charts, moves, numbers, presets, texts
from manypath.explore.charts.stack import MOST_MARKS, Stack
from manypath.explore.controls import changed, controls
from manypath.explore.pooling import pooled
from manypath.explore.state import State
from manypath.papers import NAMES, registry
from short_state import answered, small


def test_a_link_restores_the_whole_state():
    state = small().but(seed=7, compare=("lia", "olia"), sweep=("rivals", "1, 2"))
    assert State.unpacked(state.packed()) == state


@pytest.mark.parametrize("damage", ["", "x", "eJw", "A" * 2000])
def test_a_damaged_link_is_refused_in_one_line(damage: str):
    with pytest.raises(UserError, match=r"^link: .* copy the whole link again$"):
        State.unpacked(damage)


def test_a_cut_link_is_refused():
    with pytest.raises(UserError, match="is no state of the explorer"):
        State.unpacked(small().packed()[:-40])


def test_a_link_with_an_unknown_congestion_control_is_refused():
    with pytest.raises(UserError, match="is no state of the explorer"):
        State.unpacked(small().but(compare=("nonsense",)).packed())


def test_a_link_of_another_version_is_refused_with_the_name_of_its_field(monkeypatch: pytest.MonkeyPatch):
    document = {**json.loads(small().scenario.document()), "future": 1}
    monkeypatch.setattr(mp.Scenario, "document", lambda _: json.dumps(document))
    with pytest.raises(UserError, match=r"^link: future: .*: copy it again from a page of this version$"):
        State.unpacked(small().packed())


def test_every_control_accepts_its_own_value():
    for name in presets.names(presets.OWN):
        state = presets.preset(presets.OWN, name)
        for control in controls(state):
            assert changed(state, control.place, control.value).scenario == state.scenario, control.place
    for transport in ("sctp", "mptcp"):
        state = changed(small(), "transport\tmultipath", transport)
        for control in controls(state):
            assert changed(state, control.place, control.value).scenario == state.scenario, control.place


def test_every_control_has_an_explanation():
    state = small()
    assert not [control.place for control in controls(state) if len(control.explanation) < 10]


def test_a_setting_that_events_change_says_so():
    state = small()
    link = state.scenario.network.links["south"].but(events=[{"at": "2 s", "rate": "2 Mbit/s"}])
    links = {**state.scenario.network.links, "south": link, "south/back": link}
    changing = state.but(scenario=state.scenario.but(network=state.scenario.network.but(links=links)))
    found = {control.place: control for control in controls(changing)}
    rate = found["links\tsouth\trate"]
    assert rate.label == "rate at the start"
    assert rate.explanation.endswith("Events of the link change it during the run.")
    assert found["links\tsouth\tdelay"].label == "delay"
    assert found["links\tnorth\trate"].label == "rate"
    with pytest.raises(UserError, match=r"^rate at the start: 0 Mbit/s is too small"):
        changed(changing, rate.place, "0 Mbit/s")


def test_no_label_repeats_a_word():
    for model in ("none", "bernoulli", "bit-error", "gilbert-elliott"):
        for control in controls(changed(small(), "links\tsouth\tloss", model)):
            words = control.label.split()
            assert len(words) == len(set(words)), control.label


def test_a_link_changes_in_both_directions_while_they_are_equal():
    links = changed(small(), "links\tsouth\trate", "2 Mbit/s").scenario.network.links
    assert links["south"].rate == links["south/back"].rate == 2_000_000
    dsl = presets.preset(presets.OWN, "DSL with LTE")
    links = changed(dsl, "links\tdsl\trate", "20 Mbit/s").scenario.network.links
    assert (links["dsl"].rate, links["dsl/back"].rate) == (20_000_000, 2_000_000)


def test_rivals_are_added_and_removed():
    three = changed(small(), "rivals", "3")
    assert list(three.scenario.flows) == ["multipath", "rival", "rival2", "rival3"]
    assert changed(three, "rivals", "1").scenario == small().scenario
    none = changed(three, "rivals", "0")
    assert list(none.scenario.flows) == ["multipath"]
    again = changed(none, "rivals", "1").scenario.flows["rival"]
    assert isinstance(again, mp.Sctp)
    assert (again.paths, again.cc, again.dac) == (("south",), "newreno", False)


def test_a_setting_of_the_first_rival_holds_for_all_rivals():
    three = changed(small(), "rivals", "3")
    state = changed(three, "flows\trival\tcc", "cubic")
    assert {flow.cc for name, flow in state.scenario.flows.items() if name != "multipath"} == {"cubic"}
    assert changed(state, "rivals", "1").scenario.flows.keys() == {"multipath", "rival"}


def test_each_application_has_its_own_controls_and_changes_the_run():
    digests = {answered(small()).result.digest}
    for kind, own in (("transfer", {"size"}), ("cbr", {"rate"}), ("on-off", {"rate", "on", "off"})):
        state = changed(small(), "flows\tmultipath\tapp", kind)
        fields = {
            control.place.partition("app.")[2] for control in controls(state) if "\tmultipath\tapp." in control.place
        }
        assert fields == {"message", "ordered", *own}
        assert state.scenario.flows["multipath"].app.message == small().scenario.flows["multipath"].app.message
        # Less than the run could transfer.
        state = changed(state, "flows\tmultipath\tapp.size", "1 MB") if kind == "transfer" else state
        digests.add(answered(state).result.digest)
    assert len(digests) == 4


def test_a_switch_reads_on_and_off():
    dac = next(each for each in controls(small()) if each.place == "flows\tmultipath\tdac")
    assert [dac.value_of(text) for text in ("on", "off")] == [True, False]
    with pytest.raises(UserError, match=r"^DAC: perhaps is unknown: choose one of on, off$"):
        dac.value_of("perhaps")


def test_a_range_is_one_text():
    state = changed(small(), "flows\tmultipath\tapp.message", "500 B to 1452 B")
    state = changed(state, "flows\tmultipath\tstart", "2 s")
    texts = {control.place: control.value for control in controls(state)}
    assert texts["flows\tmultipath\tapp.message"] == "500 B to 1452 B"
    assert texts["flows\tmultipath\tstart"] == "2 s"


def test_a_link_whose_directions_differ_has_controls_for_both():
    dsl = presets.preset(presets.OWN, "DSL with LTE")
    groups = {control.group for control in controls(dsl)}
    assert {"Link dsl", "Link dsl/back", "Link lte", "Link lte/back"} <= groups
    links = changed(dsl, "links\tdsl/back\trate", "1 Mbit/s").scenario.network.links
    assert (links["dsl"].rate, links["dsl/back"].rate) == (16_000_000, 1_000_000)


def test_every_page_that_a_control_names_exists():
    docs = Path(__file__).parents[2] / "docs"
    states = [presets.preset(presets.OWN, name) for name in presets.EVERYDAY]
    states += [changed(small(), "transport\tmultipath", "mptcp")]
    states += [small().but(scenario=small().with_cc(cc)) for cc, _ in _native.algorithms()]
    pages = {control.page for state in states for control in controls(state) if control.page}
    assert len(pages) > 10
    assert not [page for page in pages if not (docs / page).is_file()]


NETWORKS = {
    "disjoint": small,
    "two directions": lambda: presets.preset(presets.OWN, "DSL with LTE"),
    "shared": lambda: presets.preset(presets.OWN, "One shared bottleneck"),
    "mptcp": lambda: changed(small(), "transport\tmultipath", "mptcp"),
    "bursts and events": lambda: presets.preset(presets.OWN, "WiFi that fades"),
    "no access links": lambda: presets.preset(presets.headings()[5], presets.names(presets.headings()[5])[0]),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_copies_give_the_digest_of_the_page(name: str, tmp_path: Path):
    state = NETWORKS[name]().but(seed=5)
    state = changed(changed(state, "measure", "35 s"), "seed", "5")
    digest = answered(state).result.digest

    program = tmp_path / "copy.py"
    program.write_text(texts.python(state.scenario, state.seed))
    with redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(program), run_name="__main__")
    assert printed.getvalue().strip() == digest

    command = texts.command(state.scenario, state.seed)
    (tmp_path / "manypath").write_text('#!/bin/sh\nprintf "%s\\0" "$@" > words\ncat > input\n')
    (tmp_path / "manypath").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    subprocess.run(["/bin/sh", "-c", command], check=True, cwd=tmp_path, env={**os.environ, "PATH": path})
    words = (tmp_path / "words").read_text().split("\0")[:-1]
    done = forks.manypath(words, tmp_path, stdin=tmp_path / "input")
    assert f"digest {digest}, seed 5" in done.stdout

    (tmp_path / "copied.toml").write_text(texts.toml(state.scenario))
    assert mp.Scenario.from_file(tmp_path / "copied.toml").document() == state.scenario.document()


def is_kept(heading: str, name: str, folder: Path) -> bool:
    """Whether a preset has an explanation and controls, and its link and its file restore it."""
    state = presets.preset(heading, name)
    (folder / "preset.toml").write_text(texts.toml(state.scenario))
    return (
        presets.about(heading, name).endswith((".", ")"))
        and State.unpacked(state.packed()) == state
        and len(controls(state)) > 0
        and mp.Scenario.from_file(folder / "preset.toml") == state.scenario
    )


def test_every_point_of_every_paper_is_a_preset_and_links_and_copies_keep_one_of_each_paper(tmp_path: Path):
    papers = [registry()[name] for name in NAMES]
    counts = [len(presets.names(heading)) for heading in presets.headings()[1:]]
    assert counts == [sum(1 for _ in paper.experiments.cases(paper.full)) for paper in papers]
    for heading in presets.headings():
        # The last point of an experiment differs from its first one in every factor.
        kept = presets.names(heading) if heading == presets.OWN else presets.names(heading)[-1:]
        assert [name for name in kept if not is_kept(heading, name, tmp_path)] == []


@pytest.mark.long
@pytest.mark.parametrize("heading", presets.headings())
def test_links_and_copies_keep_every_point_of_every_paper(heading: str, tmp_path: Path):
    assert [name for name in presets.names(heading) if not is_kept(heading, name, tmp_path)] == []


def test_a_preset_of_a_paper_has_the_figure_and_the_units_in_its_name():
    heading = next(heading for heading in presets.headings() if heading.startswith("[D11]"))
    state = presets.preset(heading, "figure 3: cc = mptcp-like, north = 0.25 Mbit/s")
    assert state.scenario.network.links["north"].rate == 250_000
    assert "share 5 Mbit/s in the south" in presets.about(heading, "figure 3: cc = mptcp-like, north = 0.25 Mbit/s")


@pytest.mark.long
def test_one_preset_of_every_experiment_runs(shortened: Callable[[mp.Scenario], mp.Scenario]):
    for heading in presets.headings():
        first: dict[str, str] = {}
        for name in presets.names(heading):
            first.setdefault(name if heading == presets.OWN else name.partition(":")[0], name)
        for name in first.values():
            state = presets.preset(heading, name)
            scenario = shortened(state.scenario)
            answer = answered(state.but(scenario=scenario))
            option = charts.course(answer, charts.LIGHT, narrow=True)
            assert option["series"], name
            assert pooled(scenario).keys() == scenario.flows.keys()


def test_a_long_run_shows_its_start_first_and_the_start_is_exact():
    state = small(measure="99 s")
    fast = changed(changed(state, "links\tsouth\trate", "100 Mbit/s"), "links\tnorth\trate", "100 Mbit/s")
    answers = list(moves.answers(fast.scenario, 1, threading.Event()))
    assert [answer.is_partial for answer in answers] == [True, True, False]
    start, whole = answers[0], answers[-1]
    end = moves.duration(start.scenario)
    early = [mark.time for mark in whole.marks if mark.time < 0.9 * end and mark.name == "recovery:window_cut"]
    assert early
    assert set(early) <= {mark.time for mark in start.marks}


def test_a_later_move_cancels_a_run():
    stop = threading.Event()
    state = small(measure="30000 s")
    shares = []

    def progress(share: float) -> None:
        shares.append(share)
        stop.set()

    with pytest.raises(moves.Cancelled):
        moves.answer(state.scenario, 1, stop, progress)
    assert len(shares) == 1
    assert shares[0] < 0.1


def test_marks_count_what_the_result_counts():
    state = changed(small(measure="20 s", warmup="0 s"), "links\tsouth\tloss", "bernoulli")
    answer = answered(state)
    cuts = sum(mark.count for mark in answer.marks if mark.name == "recovery:window_cut")
    assert cuts == answer.result.paths["window_cuts"].sum() > 0
    reasons = {mark.reason for mark in answer.marks if mark.name == "link:packet_lost"}
    assert reasons == {"by the loss model"}


def strips(state: State) -> set[str]:
    option = charts.course(answered(state), charts.LIGHT, narrow=False)
    return {each["name"] for each in option["series"] if each["name"].startswith("blocked")}


@pytest.mark.parametrize(
    ("transport", "limits"),
    [
        ("sctp", {"blocked by the congestion window"}),
        # A path of MPTCP carries no new data after a timeout until an acknowledgement shows that it works.
        ("mptcp", {"blocked by the congestion window", "blocked by a path that is down or waits"}),
    ],
)
def test_strips_have_what_blocks_the_paths(transport: str, limits: set[str]):
    state = changed(small(measure="10 s"), "transport\tmultipath", transport)
    assert answered(state).result.paths["timeouts"].xs("multipath").to_numpy().min() > 0
    assert strips(state) == limits
    poor = changed(state, "flows\tmultipath\treceive_buffer", "20 kB")
    assert strips(poor) & {"blocked by the peer's receive window", "blocked by its share of a divided buffer"}
    poor = changed(state, "flows\tmultipath\tsend_buffer", "20 kB")
    assert strips(poor) & {"blocked by the send buffer", "blocked by its share of a divided buffer"}


@pytest.mark.parametrize("measure", ["10 s", "400 s"])
def test_strips_add_up_to_the_times_of_the_run(measure: str):
    state = changed(small(warmup="0 s", measure=measure), "flows\tmultipath\treceive_buffer", "50 kB")
    answer = answered(state)
    series = charts.course(answer, charts.LIGHT, narrow=False)["series"]
    bars = [each for each in series if each.get("type") == "bar" and each["stack"] == "strip south"]
    shares = {each["name"]: np.nan_to_num(np.array(each["data"], dtype=float)[:, 1]) for each in bars}
    # Each instant counts for one limit only. The chart rounds each share to three decimals.
    assert np.sum(list(shares.values()), axis=0).max() < 1.0 + 0.0006 * len(shares)
    paths = answer.result.paths
    for limit, name in (("window", "the congestion window"), ("receive_window", "the peer's receive window")):
        expected = float(paths[f"blocked_{limit}"]["multipath", "south"]) / moves.duration(state.scenario)
        assert shares[f"blocked by {name}"].mean() == pytest.approx(expected, abs=0.02)


def test_a_round_trip_time_is_the_mean_since_its_first_sample():
    state = small(warmup="0 s", measure="6 s")
    flows = dict(state.scenario.flows)
    flows["rival"] = flows["rival"].but(start="4 s")
    answer = answered(state.but(scenario=state.scenario.but(flows=flows)))
    row = re.search(r"rival.*?</tr>", numbers.path_table(answer), re.DOTALL)
    assert row is not None
    shown = float(re.findall(r"<td[^>]*>([^<]*)</td>", row[0])[-1])
    # Without queue the round-trip time is 41.3 ms, and the flow starts after two thirds of the time.
    assert shown == round(1e3 * answer.result.paths["srtt"]["rival", "south"]) > 41


def test_paths_without_curves_are_named_by_number():
    assert numbers.not_drawn(answered(small())) == ""
    link = small().scenario.network.links["south"]
    paths = [f"path {number}" for number in range(8)]
    network = mp.disjoint(**dict.fromkeys(paths, link))
    many = mp.Scenario(network=network, flows={"f": mp.Sctp(paths=paths)}, warmup="1 s", measure="1 s")
    said = numbers.not_drawn(answered(State(many)))
    assert "windows of the first 6 of 8 paths; queues of the first 6 of 8 links." in said


def test_the_table_of_events_has_every_mark_with_its_reason():
    answer = answered(small(measure="20 s", warmup="0 s"))
    rows = re.findall(r"<tr>(.*?)</tr>", numbers.event_table(answer).partition("<tbody>")[2])
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    assert sum(int(count.replace(",", "")) for *_, count in cells) == sum(mark.count for mark in answer.marks) > 0
    assert {"the discipline asked the sender to slow down", "fast retransmission"} <= {
        reason for *_, reason, _ in cells
    }


def test_a_run_without_a_warmup_removes_the_line_of_an_earlier_one():
    for warmup, drawn in (("1 s", [[{"xAxis": 1.0}]] * 6), ("0 s", [])):
        option = charts.course(answered(small(warmup=warmup)), charts.LIGHT, narrow=False)
        assert [each["markLine"]["data"] for each in option["series"] if "markLine" in each] == drawn


def test_every_curve_is_in_the_legend_of_its_plot_and_every_mark_in_the_one_above():
    option = charts.course(answered(small(warmup="5 s", measure="10 s")), charts.LIGHT, narrow=False)
    above, *of_plots = [set(legend["labels"]) for legend in option["legend"]]
    plots = [{each["name"] for each in option["series"] if each["xAxisIndex"] == place} for place in range(6)]
    marks = {each["name"] for each in option["series"] if each["type"] == "scatter" and each["data"]}
    assert {"losses", "fast retransmissions", "window above the plot", "retransmissions"} <= marks == above
    assert of_plots == [
        plot - {each["name"] for each in option["series"] if each["type"] == "scatter" or "markLine" in each}
        for plot in plots
    ]


def test_a_window_above_the_plot_has_a_mark_with_its_size():
    answer = answered(small(warmup="5 s", measure="10 s"))
    option = charts.course(answer, charts.LIGHT, narrow=False)
    samples = answer.result.series["paths"]
    for place, path in ((0, "south"), (2, "north")):
        own = samples[(samples["flow"] == "multipath") & (samples["path"] == path)]
        windows = own["cwnd"].to_numpy()
        at, most = own["time"].to_numpy()[windows.argmax()], windows.max() / 1e3
        marks = [each["data"] for each in option["series"] if each["xAxisIndex"] == place and "above" in each["name"]]
        assert most > option["yAxis"][place]["max"]
        assert [mark["name"] for mark in marks[0]] == [
            f"{at:.3f} s, multipath on {path}: the largest window is {most:.4g} kB, above the plot"
        ]


def test_long_names_leave_room_for_legends():
    stack = Stack(charts.LIGHT, 10.0, narrow=False)
    stack.grid(100, "x" * 36, "kB", legend=True)
    stack.line("y" * 200, [0.0], [1.0], "#000000")
    option = stack.finished(0.0)
    legend = option["legend"][1]
    assert legend["left"] < 400
    assert legend["labels"] == {"y" * 200: "y" * 23 + "…" + "y" * 12}
    assert option["series"][0]["said"] == "y" * 200


@pytest.mark.parametrize(("paths", "kind", "rows"), [(2, "plain", 1), (7, "plain", 2), (20, "scroll", 1)])
def test_the_legend_above_the_plots_has_one_row_or_two_or_scrolls(paths: int, kind: str, rows: int):
    stack = Stack(charts.LIGHT, 10.0, narrow=False)
    stack.grid(100, "plot")
    for number in range(paths):
        stack.line(f"window on path {number}", [0.0], [1.0], "#000000")
    option = stack.finished(0.0)
    assert option["legend"][0]["type"] == kind
    assert option["grid"][0]["top"] == 48 + 20 * (rows - 1)


def test_of_too_many_marks_some_of_the_whole_time_are_drawn():
    stack = Stack(charts.LIGHT, 100.0, narrow=False)
    stack.grid(100, "plot")
    many = [moves.Mark(number / 100, "f", "p", "recovery:window_cut", "", 1) for number in range(10_000)]
    stack.marks("cuts", many, "pin", "#000000", 1.0)
    times = [each["value"][0] for each in stack.finished(0.0)["series"][0]["data"]]
    assert len(times) <= MOST_MARKS
    assert max(np.diff([0.0, *times, 100.0])) < 1.0


def lost(cc: str, file: Path) -> tuple[int, list[int]]:
    """Return how many packets a flow sent to a path, and which of them, by their order, its link lost."""
    state = small(measure="9 s")
    for place, value in (("rivals", "0"), *LOSSY):
        state = changed(state, place, value)
    mp.run(state.with_cc(cc), events=file, only=["transport:packet_sent", "link:packet_lost"])
    order: dict[str, int] = {}
    found: list[int] = []
    sent = 0
    for event in map(json.loads, file.read_text().splitlines()[1:]):
        if (event["host"], event["path"]) != ("source", "south"):
            continue
        if event["name"] == "transport:packet_sent":
            order[json.dumps(event["data"])] = sent
            sent += 1
        else:
            found.append(order[json.dumps(event["data"]["packet"])])
    return sent, found


LOSSY = (
    ("links\tsouth\tqueue", "drop-tail"),
    ("links\tsouth\tqueue.packets", "10000"),
    ("links\tsouth\tloss", "bernoulli"),
    ("links\tsouth\tloss.p", "2 %"),
)
"""A link that loses packets by chance only."""


def test_compared_congestion_controls_have_the_same_random_losses(tmp_path: Path):
    (sent, one), (also, other) = (lost(cc, tmp_path / f"{cc}.jsonl") for cc in ("newreno", "coupled"))
    common = min(sent, also)
    assert sent != also
    assert [place for place in one if place < common] == [place for place in other if place < common] != []


@pytest.mark.parametrize("module", ["nicegui", "orjson"])
def test_a_missing_package_of_the_extra_is_said_in_one_line(called, monkeypatch: pytest.MonkeyPatch, module: str):
    pytest.importorskip("nicegui", reason="the extra explore is not installed")
    monkeypatch.setitem(sys.modules, module, None)
    printed = called("explore", "--no-browser", code=2)
    assert printed.err.strip() == f'error: explore: {module} is not installed: pip install "manypath[explore]"'


def test_a_missing_log_and_a_wrong_file_are_refused(called, tmp_path: Path):
    pytest.importorskip("nicegui", reason="the extra explore is not installed")
    printed = called("explore", "--no-browser", "--attach", str(tmp_path / "none"), code=2)
    assert printed.err.startswith("error: --attach: ")
    assert "there is no such file" in called("explore", str(tmp_path / "none.toml"), code=2).err


def test_a_port_in_use_and_a_scenario_that_cannot_run_are_refused_in_one_line(called, tmp_path: Path):
    pytest.importorskip("nicegui", reason="the extra explore is not installed")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        printed = called("explore", "--no-browser", "--port", str(port), code=2)
    assert printed.err == f"error: --port: {port} is in use: give another one, or 0 for a free one\n"
    flows = "[flows.f]\npaths = ['a', 'b']\nreceive_buffer = '9000 GB'\n"
    links = "[network.disjoint]\na = { rate = '1 Mbit/s', delay = '1 ms' }\nb = { rate = '1 Mbit/s', delay = '1 ms' }\n"
    (tmp_path / "huge.toml").write_text(links + flows)
    printed = called("explore", str(tmp_path / "huge.toml"), code=2)
    assert "/huge.toml: flows.f.receive_buffer: 9000 GB cannot be used" in printed.err
    assert printed.err.count("\n") == 1


def test_the_first_page_of_a_very_long_run_comes_soon(monkeypatch: pytest.MonkeyPatch):
    shown: list[float] = []
    monkeypatch.setattr(moves, "answer", lambda part, *_: shown.append(moves.duration(part)))
    list(moves.answers(small(measure="1000000 s").scenario, 1, threading.Event()))
    assert shown[0] < 300.0
    assert shown[-1] == 1_000_001.0
