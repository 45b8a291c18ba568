"""Fixtures: the papers under test."""

import os

import pytest
from small_paper import NAME, PAPER

import manypath
from manypath.papers import registry
from manypath.papers.evaluation import evaluate


@pytest.fixture(scope="session")
def impact():
    """[D11]."""
    return registry()["dreibholz2011_impact"]


@pytest.fixture(scope="session")
def testbed():
    """[D12]."""
    return registry()["dreibholz2012_testbed"]


@pytest.fixture(scope="session")
def kernel():
    """[G12]."""
    return registry()["gonzalez2012_mptcp"]


@pytest.fixture(scope="session")
def bmc():
    """[H09]."""
    return registry()["honda2009_bmc"]


@pytest.fixture(scope="session")
def figure5(tmp_path_factory):
    """A store with two runs of each point of figure 5 of [D11]: one for all workers, which must not write into it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    # Workers that begin at the same time compute each run once.
    evaluate(["dreibholz2011_impact"], figure=5, runs=2, store=folder / "figure5", progress=False)
    return folder / "figure5"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store for the runs of one test file."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def full(store):
    """An evaluation of the small paper with full precision."""
    return evaluate([PAPER], full=True, store=store, progress=False).papers[0]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in its source tree, without any published table."""
    folder = tmp_path / "python" / "manypath"
    (folder / "studies" / NAME).mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(manypath, "__file__", str(folder / "__init__.py"))
    return folder
