"""Fixtures of tests in namespaces: root, built peers, and a stage."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from network import Network, remove_stale, wired
from peer import PROGRAMS
from stage import Carrier, Stage, staged


@pytest.fixture(scope="session", autouse=True)
def _able() -> None:
    """Fail if this machine cannot run the tests."""
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces, which needs root: run make interop as root")
    remove_stale()


Networks = Callable[[int], AbstractContextManager[Network]]
"""A function that makes a network with a number of paths."""


@pytest.fixture(scope="session")
def _peers() -> None:
    """Fail if the peers of other stacks are missing."""
    if not (PROGRAMS / "usrsctp").exists():
        pytest.fail("the peers are not built: run make interop")


@pytest.fixture
def stage(tmp_path: Path, _peers: None) -> Callable[..., AbstractContextManager[Stage]]:
    """Return the function that makes a stage: ``with stage(UDP4, paths=2, chunks={ABORT}) as on:``."""

    def make(
        carrier: Carrier, paths: int = 1, chunks: frozenset[int] | set[int] = frozenset(), network: Networks = wired
    ) -> AbstractContextManager[Stage]:
        return staged(network, tmp_path, carrier, paths, chunks)

    return make
