"""The papers under test."""

import pytest

from manypath.papers import registry


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
