"""A mistake in an option is reported with the name of the option, and one in a file with the name of the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from manypath.cli.app import app
from manypath.errors import UserError

SWEEP = """
replications = 2
[scenario]
warmup = "1 s"
measure = "2 s"
[scenario.network.disjoint.a]
rate = "1 Mbit/s"
delay = "1 ms"
[scenario.flows.f]
transport = "tcp"
path = "a"
[factors.cc]
field = "flows.f.FIELD"
values = ["VALUE"]
"""

PATH = ("--path", "10 Mbit/s, 40 ms")


def said_of(*words: str, stdin: str | None = None) -> str:
    done = CliRunner().invoke(app, words, input=stdin)
    assert isinstance(done.exception, UserError), done.exception
    return str(done.exception)


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
def test_an_option_is_named(words: tuple[str, ...], option: str):
    (line,) = said_of(*words).splitlines()
    assert line.startswith(f"{option}: ")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--shard", "3/2"), "--shard"),
        (("--dask", "nowhere"), "--dask"),
        (("--workers", "0"), "--workers"),
    ],
)
def test_an_option_of_a_sweep_is_named(words: tuple[str, ...], option: str, tmp_path: Path):
    file = tmp_path / "s.toml"
    file.write_text(SWEEP.replace("FIELD", "cc").replace("VALUE", "newreno"))
    assert said_of("sweep", str(file), *words).startswith(f"{option}: ")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ccc", "newreno", 'flows.f.ccc: unknown key: did you mean "cc"?'),
        ("cc", "none", 'flows.f.cc: there is no congestion control "none": known: newreno'),
        ("send_buffer", "big", 'flows.f.send_buffer: "big" is no size'),
    ],
)
def test_a_factor_that_the_scenario_refuses_is_named_with_its_file(field: str, value: str, said: str, tmp_path: Path):
    text = SWEEP.replace("FIELD", field).replace("VALUE", value)
    file = tmp_path / "s.toml"
    file.write_text(text)
    assert said_of("sweep", str(file)).startswith(f"{file}: {said}")
    assert said_of("sweep", "-", stdin=text).startswith(f"standard input: {said}")


def test_a_field_of_a_file_is_no_option(tmp_path: Path):
    """The file sets the seed, and the option is not given."""
    file = tmp_path / "s.toml"
    file.write_text("seed = -1\n" + SWEEP.replace("FIELD", "cc").replace("VALUE", "lia"))
    assert said_of("sweep", str(file)).startswith(f"{file}: seed: ")
