"""A mistake in an option is reported with the name of the option, and one in a file with the name of the file."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PATH = ("--path", "10 Mbit/s, 40 ms")


@pytest.fixture
def swept(two_paths_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that writes ``sweep.toml``, with a factor for a field of a flow, and returns its text."""
    monkeypatch.chdir(tmp_path)
    two_paths_file("mine.toml")

    def write(field: str, value: str, first: str = "") -> str:
        factor = f'[factors.cc]\nfield = "flows.cmt.{field}"\nvalues = ["{value}"]\n'
        text = f'{first}scenario = "mine.toml"\nreplications = 2\n{factor}'
        (tmp_path / "sweep.toml").write_text(text)
        return text

    return write


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("expect", *PATH, "--tcp", "x=1"), "--tcp"),
        (("expect", *PATH, "--measure", "soon"), "--measure"),
        (("expect", *PATH, "--runs", "0"), "--runs"),
        (("expect", *PATH, "--cc", "none"), "--cc"),
        (("expect", *PATH, "--seed", "-1"), "--seed"),
        (("expect", *PATH, "--socket-buffer", "1 B"), "--socket-buffer"),
        (("expect", *PATH, "--shared", "a"), "--shared"),
        (("expect", *PATH, "--workers", "0"), "--workers"),
        (("expect", "--path", "10 MB/s, 40 ms"), "--path: path1"),
        (("expect", "--path", "a: 10 Mbit/s, 40 ms, 120 %"), "--path: a"),
        (("expect", *PATH, *PATH, "--shared", "15 MB/s: path1, path2"), "--shared"),
        (("papers", "dreibholz2012_testbed", "--runs", "0"), "--runs"),
        (("papers", "dreibholz2012_testbed", "--runs", "1", "--check-warmup"), "--runs"),
        (("measure", "shared", "--cc", "none"), "--cc"),
        (("store", "list", "--store", "there-is-none"), "--store"),
    ],
)
def test_an_option_is_named(words: tuple[str, ...], option: str, called: Callable[..., Any]):
    (line,) = called(*words, code=2).err.splitlines()
    assert line.startswith(f"error: {option}: ")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--shard", "3/2"), "--shard"),
        (("--dask", "nowhere"), "--dask"),
        (("--workers", "0"), "--workers"),
    ],
)
def test_an_option_of_a_sweep_is_named(
    words: tuple[str, ...], option: str, swept: Callable[..., str], called: Callable[..., Any]
):
    swept("cc", "newreno")
    assert called("sweep", "sweep.toml", *words, code=2).err.startswith(f"error: {option}: ")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ccc", "newreno", 'flows.cmt.ccc: unknown key: did you mean "cc"?'),
        ("cc", "none", 'flows.cmt.cc: there is no congestion control "none": known: newreno'),
        ("send_buffer", "big", 'flows.cmt.send_buffer: "big" is no size'),
    ],
)
def test_a_factor_that_the_scenario_refuses_is_named_with_its_file(
    field: str,
    value: str,
    said: str,
    swept: Callable[..., str],
    called: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
):
    text = swept(field, value)
    assert called("sweep", "sweep.toml", code=2).err.startswith(f"error: sweep.toml: {said}")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert called("sweep", "-", code=2).err.startswith(f"error: standard input: {said}")


def test_a_field_of_a_file_is_no_option(swept: Callable[..., str], called: Callable[..., Any]):
    """The file sets the seed, and the option is not given."""
    swept("cc", "lia", first="seed = -1\n")
    assert called("sweep", "sweep.toml", code=2).err.startswith("error: sweep.toml: seed: ")
