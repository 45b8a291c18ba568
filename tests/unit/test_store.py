"""The store keeps computed runs, and survives damaged and foreign files."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from manypath.campaign import Cell, Store
from manypath.campaign.description import Description
from manypath.campaign.shard import SCHEMA
from manypath.errors import UserError

ENGINE = "1"


def cells(count: int, document: str = "{}") -> list[Cell]:
    return [Cell({}, document, seed=1, replication=number) for number in range(count)]


def outcomes(some: list[Cell]) -> list[tuple[Cell, str]]:
    return [(cell, f'{{"replication": {cell.replication}}}') for cell in some]


def keys(some: list[Cell]) -> list[str]:
    return [cell.key(ENGINE) for cell in some]


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path, warnings: list[str]) -> Store:
    return Store(tmp_path / "runs", warn=warnings.append)


def test_saved_runs_are_found_again(store: Store):
    some = cells(3)
    store.save(ENGINE, outcomes(some))
    assert Store(store.folder).load(keys(some), ENGINE) == {
        cell.key(ENGINE): printed for cell, printed in outcomes(some)
    }


def test_only_requested_runs_are_loaded(store: Store):
    some = cells(3)
    store.save(ENGINE, outcomes(some))
    assert list(store.load(keys(some[1:2]), ENGINE)) == keys(some[1:2])
    assert store.load(["unknown"], ENGINE) == {}


def test_the_key_depends_on_scenario_seed_replication_and_engine():
    cell = Cell({"cc": "newreno"}, "{}", seed=1, replication=0)
    others = [
        Cell(cell.factors, '{"a":1}', 1, 0).key("1"),
        Cell(cell.factors, "{}", 2, 0).key("1"),
        Cell(cell.factors, "{}", 1, 1).key("1"),
        cell.key("2"),
    ]
    assert len({cell.key("1"), *others}) == 5
    assert Cell({"other": "labels"}, "{}", 1, 0).key("1") == cell.key("1")


def test_a_truncated_shard_is_named_and_set_aside(store: Store, warnings: list[str]):
    first, second = cells(2), cells(2, document="[]")
    store.save(ENGINE, outcomes(first))
    shard = store.save(ENGINE, outcomes(second))
    shard.write_bytes(shard.read_bytes()[:-100])
    assert list(store.load(keys(first + second), ENGINE)) == keys(first)
    (warning,) = warnings
    assert shard.name in warning
    assert "computed again" in warning
    assert (store.folder / "set-aside" / shard.name).exists()
    store.save(ENGINE, outcomes(second))
    assert len(store.load(keys(first + second), ENGINE)) == 4
    assert len(warnings) == 1


def test_an_empty_shard_is_set_aside(store: Store, warnings: list[str]):
    empty = store.folder / f"{'0' * 32}.parquet"
    empty.touch()
    assert store.load(["any"], ENGINE) == {}
    assert [path.name for path in (store.folder / "set-aside").iterdir()] == [empty.name]
    assert len(warnings) == 1


def test_files_of_other_programs_are_kept_and_reported_once(store: Store, warnings: list[str]):
    (store.folder / "empty.parquet").touch()
    (store.folder / "letter.parquet").write_text("Dear reader")
    for name in ("weather", "a" * 32):
        pq.write_table(pa.table({"temperature": [21.5]}), store.folder / f"{name}.parquet")
    before = {path: path.read_bytes() for path in store.folder.iterdir()}
    for _ in range(2):
        assert store.load(["any"], ENGINE) == {}
    assert {path: path.read_bytes() for path in store.folder.iterdir()} == before
    assert len(warnings) == 4
    assert all("ignored, because manypath did not write it" in warning for warning in warnings)


def test_a_flipped_bit_is_detected(store: Store, warnings: list[str]):
    some = cells(50)
    shard = store.save(ENGINE, outcomes(some))
    content = bytearray(shard.read_bytes())
    outcome_column = pq.ParquetFile(shard).metadata.row_group(0).column(len(SCHEMA) - 1)
    content[outcome_column.data_page_offset + outcome_column.total_compressed_size - 5] ^= 1
    shard.write_bytes(bytes(content))
    assert store.load(keys(some), ENGINE) == {}
    assert len(warnings) == 1


def test_the_temporary_file_of_a_killed_writer_is_ignored(store: Store, warnings: list[str]):
    some = cells(2)
    shard = store.save(ENGINE, outcomes(some))
    (store.folder / f".{shard.stem}.4711.tmp").write_bytes(shard.read_bytes()[:50])
    assert len(store.load(keys(some), ENGINE)) == 2
    assert warnings == []


def test_two_writers_of_the_same_runs_leave_one_shard(store: Store):
    some = cells(2)
    assert store.save(ENGINE, outcomes(some)) == Store(store.folder).save(ENGINE, outcomes(some))
    assert len(list(store.folder.glob("*.parquet"))) == 1


def test_results_of_another_engine_are_counted_and_not_used(store: Store):
    store.save("old", outcomes(cells(3)))
    store.save(ENGINE, outcomes(cells(2)))
    assert len(store.load(keys(cells(3)), ENGINE)) == 2
    assert dict(store.others) == {"old": 3}


def test_a_shard_of_another_engine_is_found_when_that_engine_loads(store: Store):
    some = cells(3)
    store.save(ENGINE, outcomes(some))
    assert store.load([cell.key("old") for cell in some], "old") == {}
    assert len(store.load(keys(some), ENGINE)) == 3


def test_a_shard_that_another_process_removes_causes_no_error(store: Store, warnings: list[str], monkeypatch):
    shard = store.folder / f"{'0' * 32}.parquet"
    shard.touch()

    def removed_by_another(path: Path, _target: Path) -> None:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "rename", removed_by_another)
    assert store.load(["any"], ENGINE) == {}
    assert warnings == []


def test_a_store_describes_itself_and_its_campaigns(store: Store):
    for seed in (1, 1, 2):
        campaign = Description(ENGINE)
        campaign.add([Cell({}, "{}", seed, 0)])
        store.begin(campaign)
    assert json.loads((store.folder / "manifest.json").read_text())["format"] == "manypath results"
    notes = [json.loads(note.read_text()) for note in (store.folder / "campaigns").iterdir()]
    assert sorted(note["seeds"] for note in notes) == [[1], [2]]
    assert all(note["first_run_with"]["manypath"] for note in notes)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ('{"format": "webpack"}', "belongs to another program according to its manifest.json: choose another folder"),
        ("[]", "belongs to another program"),
        (
            '{"format": "manypath results", "version": 2}',
            "has format 2, but this manypath reads format 1: choose another",
        ),
        ('{"format": "manyp', "manifest.json is no JSON: remove that file; the results are kept"),
    ],
)
def test_a_folder_with_another_manifest_is_refused(manifest: str, message: str, tmp_path: Path):
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(UserError, match=message):
        Store(tmp_path)
    assert (tmp_path / "manifest.json").read_text() == manifest


def test_a_file_is_refused_as_a_store(tmp_path: Path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(UserError, match=r"store: .*runs cannot be a folder .*: choose another"):
        Store(tmp_path / "runs")
