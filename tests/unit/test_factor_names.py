"""A factor with the name of a column of results is refused before the first run: it would hide the column."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath import _native
from manypath.campaign import Cell
from manypath.campaign.reserved import OF_FRAMES, OF_TABLES
from manypath.campaign.sweep import Sweep

FLOWS = {
    "sctp": mp.Sctp(paths=["a", "b"], app=mp.Saturated(ordered=True), streams=2),
    "tcp": mp.Tcp(path="a"),
    "mptcp": mp.Mptcp(paths=["a", "b"]),
}
"""A flow of each transport; that of SCTP has streams."""


def two_links(kind: str) -> mp.Scenario:
    link = mp.Link(rate="5 Mbit/s", delay="1 ms")
    return mp.Scenario(
        network=mp.disjoint(a=link, b=link), flows={"main": FLOWS[kind]}, warmup="1200 ms", measure="200 ms"
    )


@pytest.fixture(scope="module")
def results() -> mp.Results:
    """Real runs of all transports; `kind` is their only factor."""
    campaign = mp.Campaign(two_links, {"kind": list(FLOWS)}, replications=2)
    return campaign.run(store=None, progress=False)


def test_every_column_of_a_real_run_is_reserved(results: mp.Results):
    frames = (results.flows, results.streams, results.paths, results.links, results.runs)
    assert all(len(frame) for frame in frames)
    tables = (
        results.mean("goodput", by=["kind", "flow"]),
        results.compare("goodput", "kind", "tcp"),
    )
    found = {name for frame in (*frames, *tables) for name in frame.columns} - {"kind"}
    assert found == OF_TABLES | OF_FRAMES


def test_every_column_of_real_samples_is_refused_by_samples(results: mp.Results):
    sampled, changes = mp.series(results, "100 ms"), mp.series(results, "event")
    found = {name for frame in (*sampled.values(), *changes.values()) for name in frame.columns}
    for name in found - {"kind"} - OF_TABLES - OF_FRAMES:
        renamed = mp.Results([(Cell({name: 1}, cell.document, 1, 0), '{"flows": {}}') for cell, _ in results.outcomes])
        with pytest.raises(mp.UserError, match=f'^series: "{name}" is also the name of a column of samples'):
            mp.series(renamed)


@pytest.fixture
def no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test if a run begins."""
    for function in ("run", "run_batch"):
        monkeypatch.setattr(_native, function, lambda *_: pytest.fail("a run has begun"))


@pytest.mark.usefixtures("no_run")
def test_a_factor_with_the_name_of_a_column_is_refused():
    for name in OF_TABLES | OF_FRAMES:
        told = f'factors: "{name}" is the name of a column of results: give the factor another name, such as "{name}_"'
        combined: list[Any] = [{"cc": ["lia"], name: [1, 2]}, [{"cc": "lia", name: 1}]]
        for factors in combined:
            with pytest.raises(mp.UserError) as error:
                mp.Campaign(lambda **_: two_links("tcp"), factors)
            assert str(error.value) == told


def test_the_proposed_name_is_free():
    with pytest.raises(mp.UserError, match=r'such as "n__"$'):
        mp.Campaign(lambda **_: two_links("tcp"), {"n": [1], "n_": [1]})


def test_a_name_must_not_be_empty():
    with pytest.raises(mp.UserError, match=r'^factors: "" is no name: give the factor a name, such as "cc"$'):
        mp.Campaign(lambda **_: two_links("tcp"), {"": [1]})


def test_names_in_a_list_of_combinations_are_texts():
    with pytest.raises(mp.UserError, match=r"^factors: 1 is no text"):
        mp.Campaign(lambda **_: two_links("tcp"), [{1: 2}])  # pyright: ignore[reportArgumentType]


SWEEP = """
scenario = "two.toml"
replications = 2
[factors]
"NAME" = { field = "flows.cmt.cc", values = ["newreno", "cmt-rpv2"] }
"""


@pytest.fixture
def folder(tmp_path: Path, two_paths_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    two_paths_file("two.toml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["path", "replication", "goodput", "n", "flow", "mean", "p_value", ""])
@pytest.mark.usefixtures("no_run")
def test_a_sweep_file_with_the_name_of_a_column_is_refused(name: str, folder: Path, called: Callable[..., Any]):
    (folder / "sweep.toml").write_text(SWEEP.replace("NAME", name))
    (line,) = called("sweep", "sweep.toml", code=2).err.splitlines()
    assert line.startswith(f'error: sweep.toml: factors: "{name}" is')
    assert "name, such as" in line


@pytest.mark.parametrize("name", ["a b", "time", "seed", "run", "cell", "queue", "limit", "flows", "count", "std"])
def test_other_names_keep_their_meaning(name: str, folder: Path, called: Callable[..., Any]):
    (folder / "sweep.toml").write_text(SWEEP.replace("NAME", name))
    results = Sweep.from_file(folder / "sweep.toml").campaign().run(store=None, progress=False)
    assert results.mean("goodput", by=[name])[name].tolist() == ["newreno", "cmt-rpv2"]
    assert results.compare("goodput", name, "newreno")["n"].tolist() == [2, 2]
    assert called("sweep", "sweep.toml").out.count("cmt-rpv2") == 2


def test_samples_refuse_a_factor_with_the_name_of_one_of_their_columns(folder: Path):
    (folder / "sweep.toml").write_text(SWEEP.replace("NAME", "queue"))
    results = Sweep.from_file(folder / "sweep.toml").campaign().run(store=None, progress=False)
    with pytest.raises(mp.UserError, match=r'^series: "queue" is also the name of a column of samples: give the'):
        mp.series(results, "500 ms")


def test_the_check_of_the_warmup_takes_any_factor_but_those_of_its_columns(
    folder: Path, called: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    (folder / "sweep.toml").write_text(SWEEP.replace("NAME", "time"))
    assert "warm-up: long enough for" in called("sweep", "sweep.toml", "--check-warmup").err
    (folder / "sweep.toml").write_text(SWEEP.replace("NAME", "limit"))
    monkeypatch.setattr(_native, "run_batch", lambda *_: pytest.fail("a run has begun"))
    (line,) = called("sweep", "sweep.toml", "--check-warmup", "--store", "other", code=2).err.splitlines()
    assert line.startswith('error: --check-warmup: "limit" is also the name of a column of this check')


def test_a_stored_campaign_with_a_reserved_name_is_not_read():
    outcome = '{"flows": {"f": {"goodput": 1e6, "streams": [], "paths": {}}}, "links": {}}'
    with pytest.raises(mp.UserError, match='factors: "path" is the name of a column'):
        mp.Results([(Cell({"path": "a"}, "{}", 1, 0), outcome)])


def answer(names: list[str]) -> mp.Function:
    """Return a runner whose rows have these names."""

    def model(rate: float, seed: int) -> dict[str, float]:
        return dict.fromkeys(names, rate + seed)

    return mp.Function(model, version=str(names))


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("rate", "is the name of a factor"),
        ("replication", "is the column with the number of the run"),
        ("flows", "is a part of the results of simulations"),
        ("links", "is a part of the results of simulations"),
    ],
)
def test_a_function_cannot_return_the_name_of_a_factor(name: str, what: str, tmp_path: Path):
    campaign = mp.Campaign(answer(["wait", name]), {"rate": [1.0, 2.0]}, replications=2)
    with pytest.raises(_native.RunError) as error:
        campaign.run(store=tmp_path / "runs", progress=False)
    told = f'gave "{name}", which {what}: give the number another name, such as "{name}_measured"'
    assert told in str(error.value)
    assert "0 of 4 runs are stored" in str(error.value)


def test_a_program_cannot_print_the_name_of_a_factor():
    campaign = mp.Campaign(mp.Command(f"{sys.executable} -c 'print(\"rate\", {{rate}})'"), {"rate": [1]})
    with pytest.raises(_native.RunError, match='gave "rate", which is the name of a factor'):
        campaign.run(store=None, progress=False)


def test_stored_rows_with_the_name_of_a_factor_are_not_mixed():
    results = mp.Results([(Cell({"rate": 2}, "{}", 1, 0), '{"rate": 7}')])
    with pytest.raises(mp.UserError, match='results: replication 0 gave "rate", which is the name of a factor'):
        _ = results.runs


@pytest.mark.parametrize("name", ["tries", "extra"])
def test_measurements_that_only_the_runner_knows_do_not_hide_a_factor(name: str):
    """The testbed adds columns to `runs`; another runner may add some to `flows`."""
    outcome = '{"flows": {"f": {"extra": 1, "streams": [], "paths": {}}}, "links": {}, "tries": 2}'
    results = mp.Results([(Cell({name: 5}, "{}", 1, 0), outcome)])
    with pytest.raises(mp.UserError, match=f'^results: "{name}" is the name of a measurement of this runner: give'):
        _ = results.runs if name == "tries" else results.flows


def test_other_runners_have_only_their_own_columns():
    """The columns of simulations are free there; those of all tables and the seed are not."""
    campaign = mp.Campaign(
        # "bytes" is a column of links
        mp.Function(lambda path, bytes, seed: {"wait": path * bytes + seed}, version="1"),  # noqa: A006 - the factor
        {"path": [1, 2], "bytes": [3]},
        replications=2,
    )
    assert campaign.run(store=None, progress=False).mean("wait", by=["path"])["path"].tolist() == [1, 2]
    for name, what in {"n": "a column of results", "seed": "the seed that a runner gets"}.items():
        with pytest.raises(mp.UserError, match=f'factors: "{name}" is the name of {what}'):
            mp.Campaign(answer(["wait"]), {"rate": [1], name: [1]})
