"""Values of options that cannot be used are refused in one line: the option, the value and a valid alternative."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from manypath import _native

Called = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["decode", "x", "--port", "0"], "--port: 0 is too small: give 1 or more"),
        (["decode", "x", "--port", "udp"], '--port: "udp" is no whole number: write a whole number'),
        (["explore", "--port", "70000"], "--port: 70000 is too large: give 65535 or less"),
        (["run", "x", "--seed", "1.5"], '--seed: "1.5" is no whole number: write a whole number'),
        (["papers", "--runs", "3\n4"], '--runs: "3\\n4" is no whole number: write a whole number'),
        (["store", "export", "a", "b", "--format", "cvs"], '--format: "cvs" is unknown: did you mean "csv"?'),
        (["measure", "--runs", "0"], "--runs: 0 is too small: give 1 or more"),
    ],
)
def test_a_value_that_is_not_read_has_the_form_of_all_messages(words: list[str], message: str, called: Called):
    (line,) = called(*words, code=2).err.splitlines()
    assert line.startswith(f"error: {message}")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nosuch"], "SCENARIO"),
        (["sctp", "--udp"], "SCENARIO"),
        (["--udp"], "--udp"),
        (["--runs", "3"], "--runs"),
        (["--at-once", "2"], "--at-once"),
        (["--seed", "0"], "--seed"),
        (["--store", "other"], "--store"),
        (["--cc", "lia", "--json"], "--cc"),
    ],
)
def test_a_list_of_scenarios_has_no_other_options(words: list[str], named: str, called: Called):
    line = f"error: {named}: has no effect with --list: leave one of them out\n"
    assert called("measure", "--list", *words, code=2).err == line


def test_a_list_of_scenarios_is_also_printed_as_json(called: Called):
    rows = json.loads(called("measure", "--list", "--json").out)
    table = called("measure", "--list").out
    assert {"sctp", "shared", "failover"} <= {row["scenario"] for row in rows}
    assert all(row["scenario"] in table and row["title"] for row in rows)


def test_a_missing_scenario_of_a_measurement_is_called_missing(called: Called):
    for words in ([], [""], ["--runs", "3"], ["--quick"]):
        line = "error: SCENARIO: missing: give the name of one, as --list prints them, or a scenario file\n"
        assert called("measure", *words, code=2).err == line


def test_one_run_is_too_few_for_a_check_of_windows(called: Called, monkeypatch: pytest.MonkeyPatch):
    for function in ("run", "run_batch"):
        monkeypatch.setattr(_native, function, lambda *_: pytest.fail("a run has begun"))
    line = "error: --runs: 1 is too few for --check-warmup, which tests means: give 2 or more\n"
    assert called("papers", "gonzalez2012_mptcp", "--check-warmup", "--runs", "1", code=2).err == line


def test_frames_are_not_written_into_the_store(two_paths_file: Any, tmp_path: Path, called: Called):
    two_paths_file("two.toml", {})
    file, store = tmp_path / "sweep.toml", tmp_path / "runs"
    file.write_text('scenario = "two.toml"\n[factors]\n"flows.cmt.cc" = ["lia"]\n')
    store.mkdir()
    for folder in (store, tmp_path / "runs/../runs"):
        words = ("sweep", str(file), "--store", str(store), "--frames", str(folder))
        line = f"error: --frames: {folder} is the store itself: choose another folder\n"
        assert called(*words, code=2).err == line
    assert not list(store.iterdir())
