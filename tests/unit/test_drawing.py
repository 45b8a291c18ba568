"""Figures in files do not depend on the user's settings of matplotlib, and settings that it cannot read are one line.

These tests start Python, because matplotlib reads its settings once in a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = ("MPLBACKEND", "MATPLOTLIBRC", "LC_ALL")
"""Variables that these tests set themselves."""


def python(*words: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder with variables of the environment."""
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env={**kept, **settings}, capture_output=True, text=True, check=False)


def test_a_figure_is_the_same_with_any_backend_and_any_settings(two_paths_file, tmp_path: Path):
    words = ("-m", "manypath", "show", str(two_paths_file("two.toml")), "--plot")
    (tmp_path / "plain").mkdir()
    (tmp_path / "set").mkdir()
    settings = "backend: no-such\nfont.size: [\nno colon\nno.such: 1\nfont.size: 99\nlines.linewidth: 9\n"
    (tmp_path / "set/matplotlibrc").write_text(settings, encoding="utf-8")
    plain = python(*words, "of.svg", folder=tmp_path / "plain")
    other = python(*words, "of.svg", folder=tmp_path / "set", MPLBACKEND="no-such")
    assert (plain.returncode, other.returncode) == (0, 0), other.stderr
    assert (tmp_path / "set/of.svg").read_bytes() == (tmp_path / "plain/of.svg").read_bytes()
    said = [line for line in other.stderr.splitlines() if line not in plain.stderr.splitlines()]
    assert said == [
        'remark: MPLBACKEND: "no-such" is no backend of matplotlib: leave it out, or give one such as agg; '
        "figures in files are the same"
    ]


@pytest.mark.parametrize(
    ("content", "settings", "said"),
    [
        (b"\xff", {}, r"matplotlib cannot read its settings in this file ('utf-8' codec can't decode byte 0xff"),
        (b"axes.formatter.use_locale: True", {"LC_ALL": "xx_XX"}, "settings use the locale, which cannot be set"),
    ],
)
def test_settings_that_matplotlib_cannot_read_are_one_line_before_the_run(
    content: bytes, settings: dict[str, str], said: str, two_paths_file, tmp_path: Path
):
    path = two_paths_file("two.toml")
    (tmp_path / "matplotlibrc").write_bytes(content)
    ran = python("-m", "manypath", "run", str(path), "--plot", "of.svg", folder=tmp_path, **settings)
    (line,) = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == (2, "")
    assert line.startswith("error: ")
    assert said in line
    assert str(tmp_path / "matplotlibrc") in line or settings


@pytest.mark.parametrize("use", ["mp.papers.registry()", "import manypath.report", "import manypath.explore.page"])
def test_each_package_that_draws_loads_matplotlib_with_any_backend(use: str, tmp_path: Path):
    ran = python("-W", "ignore", "-c", f"import manypath as mp; {use}", folder=tmp_path, MPLBACKEND="no-such")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_valid_backend_of_the_user_is_that_of_windows(tmp_path: Path):
    script = "import manypath as mp; mp.figures; import os, matplotlib as mpl; print(mpl.get_backend(), *os.environ)"
    chosen, *names = python("-c", script, folder=tmp_path, MPLBACKEND="svg").stdout.split()
    assert (chosen, "MPLBACKEND" in names) == ("svg", True)
