"""`manypath examples` writes the files that the pages name, and overwrites no file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import manypath as mp
from manypath import programs
from manypath.cli.app import app
from manypath.cli.examples import examples
from manypath.emulation import Emulation
from manypath.errors import UserError


def test_examples_are_written_with_the_schemas_that_they_name(tmp_path: Path):
    examples(tmp_path / "new/examples")
    written = {path.name for path in (tmp_path / "new/examples").iterdir()}
    assert {"two_paths.toml", "sweep.toml", "second_path.py", "second_path.ipynb", "scenario.schema.json"} <= written
    assert mp.Scenario.from_file(tmp_path / "new/examples/two_paths.toml").flows
    assert Emulation.from_file(tmp_path / "new/examples/emulate_two_paths.toml").network


def test_every_example_of_the_repository_is_written(tmp_path: Path):
    examples(tmp_path)
    kept = {path.name for path in (Path(__file__).parents[2] / "examples").iterdir() if path.is_file()}
    assert kept <= {path.name for path in tmp_path.iterdir()}
    assert mp.Scenario.from_file(tmp_path / "recorded_link.toml").flows


def test_a_second_call_writes_no_file(tmp_path: Path):
    examples(tmp_path)
    examples(tmp_path)


def test_a_changed_file_prevents_all_writing(tmp_path: Path):
    (tmp_path / "sweep.toml").write_text("mine")
    with pytest.raises(UserError, match=r'^FOLDER: ".*sweep.toml" exists and differs from the example: name'):
        examples(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.toml"]
    assert (tmp_path / "sweep.toml").read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_reported_in_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r'^FOLDER: ".*file" is not a folder: name another one'):
        examples(tmp_path / "file")


def test_missing_examples_are_reported_with_their_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"there is no such file: .* \(`manypath examples` writes the examples\)"):
        mp.Scenario.from_file("examples/two_paths.toml")


def test_the_command_lists_written_files(tmp_path: Path):
    result = CliRunner().invoke(app, ["examples", str(tmp_path)])
    assert result.exit_code == 0
    assert str(tmp_path / "two_paths.toml") in result.output


def test_a_program_in_the_scripts_folder_of_the_user_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.executable", str(tmp_path / "usr/bin/python3"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda *_: str(tmp_path))
    emulator = tmp_path / programs.EMULATOR
    emulator.write_text("#!/bin/sh\n")
    emulator.chmod(0o755)
    assert programs.program(programs.EMULATOR) == str(emulator)
