"""Damaged files of a store: each read names them and what they lose; reading changes nothing and never waits."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import manypath as mp
from manypath.campaign import Cell, Store, compute
from manypath.campaign.shard import SCHEMA
from manypath.cli import main
from manypath.papers.curves import CurveStore
from manypath.papers.stored import NotStored, Stored

pytestmark = pytest.mark.filterwarnings("always::manypath.StoreWarning")


def changed(**columns: Callable[[Any], Any]) -> Callable[[Path], object]:
    """Return a change of the values of columns of a shard, which stays a valid Parquet file."""

    def change(shard: Path) -> None:
        table = pq.read_table(shard).to_pydict()
        for name, value in columns.items():
            table[name] = [value(table[name][0]), *table[name][1:]]
        pq.write_table(pa.table(table, schema=SCHEMA), shard)

    return change


def without(*place: str) -> Callable[[str], str]:
    """Return a change of an outcome that removes a field."""

    def change(outcome: str) -> str:
        whole = json.loads(outcome)
        inner = whole
        for name in place[:-1]:
            inner = inner[name]
        del inner[place[-1]]
        return json.dumps(whole)

    return change


def instead(make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Return a damage that puts something else in the place of a shard."""

    def change(shard: Path) -> None:
        shard.unlink()
        make(shard)

    return change


FOUND_AT_ONCE: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda shard: os.truncate(shard, shard.stat().st_size // 2), "an unknown number of results"),
    "empty": (lambda shard: os.truncate(shard, 0), "an unknown number of results"),
    "a text": (lambda shard: shard.write_text("Dear reader"), "an unknown number of results"),
    "a folder": (instead(Path.mkdir), "an unknown number of results"),
    "a pipe": (instead(os.mkfifo), "an unknown number of results"),
    "a link to nothing": (instead(lambda shard: shard.symlink_to("nothing")), "an unknown number of results"),
    "null as a document": (changed(document=lambda _: None), "2 results"),
    "null as an outcome": (changed(outcome=lambda _: None), "2 results"),
    "null as a seed": (changed(seed=lambda _: None), "2 results"),
}
"""Damages, with what they lose, that are found without the outcomes."""

IN_OUTCOMES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no JSON": (changed(outcome=lambda _: '{"flows"'), "outcome: is no JSON"),
    "a list": (changed(outcome=lambda _: "[]"), "outcome: "),
    "no flows": (changed(outcome=without("flows")), "outcome.flows: is missing"),
    "no links": (changed(outcome=without("links")), "outcome.links: is missing"),
    "no digest": (changed(outcome=without("digest")), "outcome.digest: is missing"),
    "no goodput": (changed(outcome=without("flows", "f", "goodput")), "outcome.flows.f.goodput: is missing"),
    "no paths": (changed(outcome=without("flows", "f", "paths")), "outcome.flows.f.paths: is missing"),
    "no streams": (changed(outcome=without("flows", "f", "streams")), "outcome.flows.f.streams: is missing"),
}
"""Damages of outcomes, with what is said about them."""

EVERY = {**FOUND_AT_ONCE, **{name: (damage, "2 results") for name, (damage, _) in IN_OUTCOMES.items()}}
"""All damages, with what they lose."""


def campaign() -> mp.Campaign:
    link = mp.Link(rate="1 Mbit/s", delay="10 ms")

    def scenario(cc: str) -> mp.Scenario:
        flows = {"f": mp.Sctp(paths=["a"], cc=cc)}
        return mp.Scenario(network=mp.disjoint(a=link), flows=flows, warmup="0 s", measure="2 s")

    return mp.Campaign(scenario, {"cc": ["newreno"]}, replications=2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one shard of two results."""
    store = tmp_path_factory.mktemp("whole") / "runs"
    shards(store, compute_all(store))
    return store


def compute_all(store: Path) -> int:
    return len(campaign().run(store, 1, progress=False, title="mine"))


def shards(store: Path, runs: int) -> None:
    """Merge the shards of a store into one. There may be one for each batch."""
    made = sorted(store.glob("*.parquet"))
    table = pa.concat_tables([pq.read_table(shard) for shard in made])
    assert len(table) == runs
    for shard in made:
        shard.unlink()
    pq.write_table(table, store / f"{'a' * 32}.parquet")


@pytest.fixture
def store(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the store in the current folder."""
    shutil.copytree(whole, tmp_path / "runs")
    monkeypatch.chdir(tmp_path)
    return Path("runs")


def content(folder: Path) -> dict[str, object]:
    """Return what is in a folder: kinds and contents of its entries."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str, list[str]]:
    """Run `manypath store`; return exit code, output and lines on standard error."""
    monkeypatch.setattr(sys, "argv", ["manypath", "store", *words])
    with pytest.raises(SystemExit) as exit_:
        main()
    said = capsys.readouterr()
    return int(exit_.value.code or 0), said.out, said.err.splitlines()


@pytest.mark.parametrize("case", FOUND_AT_ONCE)
def test_commands_that_read_name_a_damaged_shard_and_change_nothing(
    case: str, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    damage, lost = FOUND_AT_ONCE[case]
    (shard,) = store.glob("*.parquet")
    damage(shard)
    before = content(store)
    for words in (["list"], ["show", "mine"]):
        code, _, (line,) = command(monkeypatch, capsys, *words)
        assert code == 0
        assert line.startswith(f"remark: {shard} ")
        assert line.endswith(f", which loses {lost}")
    code, _, (line, error) = command(monkeypatch, capsys, "export", "mine", "out")
    assert (code, line.startswith(f"remark: {shard} ")) == (2, True)
    assert "has no results in runs" in error
    assert content(store) == before


@pytest.mark.parametrize("case", IN_OUTCOMES)
def test_an_export_names_a_shard_with_a_damaged_outcome(
    case: str, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    damage, said = IN_OUTCOMES[case]
    (shard,) = store.glob("*.parquet")
    damage(shard)
    before = content(store)
    code, _, (line, error) = command(monkeypatch, capsys, "export", "mine", "out")
    assert code == 2
    assert line.startswith(f"remark: {shard} is no complete shard ({said}")
    assert line.endswith("), which loses 2 results")
    assert "has no results in runs" in error
    assert content(store) == before


@pytest.mark.parametrize("case", EVERY)
def test_python_reads_warn_of_a_damaged_shard_and_change_nothing(case: str, store: Path):
    damage, lost = EVERY[case]
    (shard,) = store.glob("*.parquet")
    damage(shard)
    before = content(store)
    cells = campaign().cells
    with pytest.warns(mp.StoreWarning) as warned, pytest.raises(NotStored):
        compute(cells, store, progress=False, executor=Stored("paper", store))
    (said,) = (str(each.message) for each in warned)
    assert said.startswith(f"{shard} ")
    assert said.endswith(f", which loses {lost}")
    assert content(store) == before


@pytest.mark.parametrize("case", EVERY)
def test_a_campaign_sets_a_damaged_shard_aside_and_says_so(case: str, store: Path):
    damage, lost = EVERY[case]
    (shard,) = store.glob("*.parquet")
    damage(shard)
    state = shard.lstat().st_mode
    with pytest.warns(mp.StoreWarning) as warned:
        assert compute_all(store) == 2
    (said,) = (str(each.message) for each in warned)
    assert said.startswith(f"{shard} ")
    assert said.endswith(f": moved to runs/set-aside, which loses {lost}; its runs are computed again")
    assert (store / "set-aside" / shard.name).lstat().st_mode == state
    assert compute_all(store) == 2


def test_a_read_only_store_is_not_made(tmp_path: Path):
    assert Store(tmp_path / "none", is_read_only=True).load(["any"], "1") == {}
    assert not (tmp_path / "none").exists()


def test_a_shard_that_the_system_refuses_stays_in_its_place(store: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    before = content(store)
    monkeypatch.setattr(pq, "ParquetFile", refused)
    with pytest.warns(mp.StoreWarning, match=r"cannot be read \(Too many open files\): its runs are computed again"):
        assert Store(store).load([cell.key(mp.run.__name__) for cell in campaign().cells], "1") == {}
    assert content(store) == before


@pytest.mark.parametrize("case", ["truncated", "a text", "a folder", "a pipe", "a link to nothing"])
def test_damaged_curves_are_named(case: str, tmp_path: Path):
    curves, cell = CurveStore(tmp_path), Cell({}, "{}", 1, 0)
    assert curves.load(cell, "1 s", "1") is None
    path = curves._file(cell, "1 s", "1")
    path.parent.mkdir()
    path.write_bytes(b"PAR1 something")
    FOUND_AT_ONCE[case][0](path)
    with pytest.warns(mp.StoreWarning) as warned:
        assert curves.load(cell, "1 s", "1") is None
    (said,) = (str(each.message) for each in warned)
    assert said.startswith(f"{path} ")
    assert said.endswith(": it is not used")


def test_files_of_other_programs_are_named_and_stay(store: Path, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (store / "weather.parquet").mkdir()
    os.mkfifo(store / "pipe.parquet")
    before = content(store)
    with pytest.warns(mp.StoreWarning) as warned:
        Store(store).load(["any"], mp.campaign.campaign.SIMULATOR.version)
    ends = "ignored, because manypath did not write it"
    assert [str(each.message).endswith(ends) for each in warned] == [True, True]
    assert content(store) == before
