"""The names of the package: completion shows the API and nothing else, and a misspelled name has a hint."""

from __future__ import annotations

import importlib.metadata
import os
import rlcompleter
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import manypath as mp


def test_completion_offers_the_names_of_the_api_and_no_other():
    # A module that is loaded already is an attribute of the package.
    assert mp.figures.__name__ == "manypath.figures"
    completer = rlcompleter.Completer({"mp": mp})
    offered = []
    while name := completer.complete("mp.", len(offered)):
        offered.append(name)
    shown = {name.removeprefix("mp.").partition("(")[0] for name in offered}
    assert {name for name in shown if not name.startswith("_")} == set(mp.__all__)


def test_the_package_has_its_version():
    assert mp.__version__ == importlib.metadata.version("manypath")


@pytest.mark.parametrize(
    ("wrong", "right"), [("Mtcp", "Mptcp"), ("disjont", "disjoint"), ("Links", "Link"), ("ideals", "ideal")]
)
def test_a_misspelled_name_has_one_hint(wrong: str, right: str):
    with pytest.raises(AttributeError) as raised:
        getattr(mp, wrong)
    printed = traceback.format_exception(raised.value)[-1].strip()
    assert printed == f"AttributeError: module 'manypath' has no attribute '{wrong}': did you mean \"{right}\"?"


def test_names_that_python_asks_for_by_itself_have_no_hint():
    assert not hasattr(mp, "__wrapped__")
    with pytest.raises(AttributeError, match=r"no attribute '__wrapped__'$"):
        mp.__wrapped__  # noqa: B018 - the access is the test


def test_a_mistake_is_one_line_in_a_notebook(tmp_path: Path):
    cell = 'import manypath as mp\nmp.Link(rate="20 MB/s", delay="1 ms")'
    words = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", cell]
    shown = subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, "IPYTHONDIR": str(tmp_path)}
    )
    (line,) = (shown.stdout + shown.stderr).splitlines()
    assert line.startswith("UserError: rate: ")
