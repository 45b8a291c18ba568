"""What tests in namespaces need: root, peers that are built, and a stage."""

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
    """Fail at once where the tests cannot run."""
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces, which needs root: run make interop as root")
    remove_stale()


Networks = Callable[[int], AbstractContextManager[Network]]
"""What makes a network of so many paths."""


@pytest.fixture(scope="session")
def _peers() -> None:
    """Fail where the peers over other stacks are missing."""
    if not (PROGRAMS / "usrsctp").exists():
        pytest.fail("the peers are not built: run make interop")


@pytest.fixture
def stage(tmp_path: Path, _peers: None) -> Callable[..., AbstractContextManager[Stage]]:
    """The function that makes a stage: ``with stage(UDP4, paths=2, chunks={ABORT}) as on:``."""

    def make(
        carrier: Carrier, paths: int = 1, chunks: frozenset[int] | set[int] = frozenset(), network: Networks = wired
    ) -> AbstractContextManager[Stage]:
        return staged(network, tmp_path, carrier, paths, chunks)

    return make
