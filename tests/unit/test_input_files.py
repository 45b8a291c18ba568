"""Input files: their encodings and kinds, and standard input."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath.campaign.sweep import Sweep
from manypath.emulation import Emulation
from manypath.expect import Description
from manypath.scenario.file_kinds import KINDS
from manypath.schema import FILES

NETWORK = '[network.disjoint."s\u00fcd"]\nrate = "5 Mbit/s"\n'
TEXTS = {
    "scenario": f'warmup = "1 s"\nmeasure = "2 s"\n{NETWORK}[flows.f]\npaths = ["s\u00fcd"]\n',
    "sweep": 'replications = 1\n[factors]\n"flows.f.cc" = ["lia"]\n[scenario]\n'
    'measure = "1 s"\n[scenario.network.disjoint."s\u00fcd"]\nrate = "1 Mbit/s"\n'
    '[scenario.flows.f]\npaths = ["s\u00fcd"]\n',
    "expect": '[paths."s\u00fcd"]\nrate = "1 Mbit/s"\nrtt = "1 ms"\n',
    "emulation": f'{NETWORK}[pairs.p]\npaths = ["s\u00fcd"]\n',
}
READERS: dict[str, Callable[[Any], Any]] = {
    "scenario": mp.Scenario.from_file,
    "sweep": Sweep.from_file,
    "expect": Description.from_file,
    "emulation": Emulation.from_file,
}
"""One valid text of each kind of file, and its reader."""


@pytest.mark.parametrize("kind", TEXTS)
def test_a_byte_order_mark_is_accepted(kind: str, tmp_path: Path):
    file = tmp_path / "windows.toml"
    file.write_text(TEXTS[kind].replace("\n", "\r\n"), encoding="utf-8-sig", newline="")
    plain = tmp_path / "plain" / "windows.toml"
    plain.parent.mkdir()
    plain.write_text(TEXTS[kind], encoding="utf-8")
    assert READERS[kind](file).model_dump() == READERS[kind](plain).model_dump()


def test_a_byte_order_mark_is_accepted_in_json_and_in_a_trace(tmp_path: Path):
    (tmp_path / "lte.down").write_text("5\n10\n", encoding="utf-8-sig")
    scenario = {"network": {"disjoint": {"a": {"trace": "lte.down"}}}, "flows": {"f": {"paths": ["a"]}}}
    file = tmp_path / "windows.json"
    file.write_text(json.dumps(scenario), encoding="utf-8-sig")
    assert mp.Scenario.from_file(file).network.links["a"].trace == "5*2"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
@pytest.mark.parametrize("kind", TEXTS)
def test_another_encoding_is_named_with_its_remedy(kind: str, encoding: str, tmp_path: Path):
    file = tmp_path / "old.toml"
    file.write_text(TEXTS[kind], encoding=encoding)
    with pytest.raises(mp.UserError, match=r"old\.toml: is not UTF-8 \(byte 0x.. at \d+\): save it as UTF-8$"):
        READERS[kind](file)


@pytest.mark.parametrize("wanted", TEXTS)
@pytest.mark.parametrize("given", TEXTS)
def test_a_file_of_another_kind_is_refused_with_its_command(given: str, wanted: str, tmp_path: Path):
    file = tmp_path / "a file.toml"
    file.write_text(TEXTS[given], encoding="utf-8")
    if given == wanted or (given, wanted) == ("scenario", "emulation"):
        READERS[wanted](file)
        return
    with pytest.raises(mp.UserError) as error:
        READERS[wanted](file)
    other, own = KINDS[given], KINDS[wanted]
    command = f"manypath {other.command} '{file}'"
    assert str(error.value) == f"{file}: is {other.name}, not {own.name}: use `{command}`"


def test_a_misspelled_key_is_not_taken_for_a_file_of_another_kind(tmp_path: Path):
    file = tmp_path / "scenario.toml"
    for right, wrong in (("warmup", "seed"), ("[flows.f]", "[flow.f]")):
        file.write_text(TEXTS["scenario"].replace(right, wrong, 1), encoding="utf-8")
        with pytest.raises(mp.UserError, match="unknown key"):
            mp.Scenario.from_file(file)


def test_the_keys_of_kinds_are_the_fields_of_their_models():
    assert list(KINDS) == list(FILES)
    assert {name: set(kind.keys) for name, kind in KINDS.items()} == {
        name: set(model.model_fields) for name, model in FILES.items()
    }


@pytest.mark.parametrize("command", ["run", "show"])
@pytest.mark.parametrize("language", ["TOML", "JSON"])
def test_a_command_reads_standard_input(
    command: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called
):
    (tmp_path / "scenario.toml").write_text(TEXTS["scenario"], encoding="utf-8")
    document = mp.Scenario.from_file(tmp_path / "scenario.toml").document()
    give(TEXTS["scenario"] if language == "TOML" else document, monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert "s\u00fcd" in called(command, "-").out


def test_a_sweep_of_standard_input_reads_files_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called
):
    (tmp_path / "base.toml").write_text(TEXTS["scenario"], encoding="utf-8")
    give('scenario = "base.toml"\nreplications = 1\n[factors]\n"flows.f.cc" = ["lia"]', monkeypatch)
    monkeypatch.chdir(tmp_path)
    printed = called("sweep", "-")
    assert "lia" in printed.out
    assert printed.err.startswith("stdin: ")


def test_samples_of_standard_input_have_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called):
    give(TEXTS["scenario"], monkeypatch)
    monkeypatch.chdir(tmp_path)
    assert "samples: stdin.paths.csv" in called("run", "-", "--series", "1 s").out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[flows", "error: standard input: invalid TOML"),
        ("{", "error: standard input: invalid JSON"),
        (TEXTS["sweep"], "error: standard input: is a sweep, not a scenario: use `manypath sweep -`"),
        (TEXTS["scenario"].replace("5 Mbit/s", "5"), "error: standard input: network.disjoint.s\u00fcd.rate: "),
    ],
)
def test_a_mistake_in_standard_input_is_named(text: str, message: str, monkeypatch: pytest.MonkeyPatch, called):
    give(text, monkeypatch)
    assert called("run", "-", code=2).err.startswith(message)


def test_a_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch, called):
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input: cannot be read (it is closed)" in called("run", "-", code=2).err


def give(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a text standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


EMPTY = ["", " \n\t\r\n", "\ufeff", "# only a comment\n", "{}", '{"$schema": "scenario.schema.json"}']


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("text", EMPTY)
def test_an_empty_file_is_refused_in_one_line(text: str, kind: str, tmp_path: Path):
    for name in ["mine", *(["mine.json"] if "#" not in text else [])]:
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        with pytest.raises(mp.UserError) as refused:
            READERS[kind](file)
        assert str(refused.value) == f"{file}: is empty: write {KINDS[kind].top} at its top"


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("text", ["[1,2,3]", "null", '"a"', "1", "true", "[]", '[{"network": 1}]'])
def test_json_that_is_no_table_is_named_so_without_the_name_of_a_json_file(text: str, kind: str, tmp_path: Path):
    for name in ("mine", "mine.json"):
        file = tmp_path / name
        file.write_text(f"{text}\n")
        with pytest.raises(mp.UserError) as refused:
            READERS[kind](file)
        assert str(refused.value) == f"{file}: is no table: write {KINDS[kind].top} at its top"


def test_a_table_of_toml_that_begins_with_a_bracket_is_read(tmp_path: Path):
    (tmp_path / "mine").write_text("[[nettwork]]\n")
    with pytest.raises(mp.UserError, match="mine: nettwork: unknown key"):
        mp.Scenario.from_file(tmp_path / "mine")


@pytest.mark.parametrize("command", ["run", "sweep", "show", "expect"])
def test_a_folder_for_a_file_is_told_in_words(command: str, tmp_path: Path, called):
    line = f"error: {tmp_path}: cannot be read (Is a directory): give the path of a .toml or .json file\n"
    assert called(command, str(tmp_path), code=2).err == line
