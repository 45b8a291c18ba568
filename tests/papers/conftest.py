"""The paper under test and its made-up world."""

import pytest

from manypath.papers import registry


@pytest.fixture(scope="session")
def impact():
    """[D11]."""
    return registry()["dreibholz2011_impact"]
