"""Fixtures of tests of unmodified programs: root, built programs, and two hosts in network namespaces."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))

from network import Network, remove_stale, wired
from served import Daemons, Served
from wrapped import PROGRAM, Wrapped


@pytest.fixture(scope="session", autouse=True)
def _able() -> None:
    """Fail if this machine cannot run the tests."""
    if os.geteuid() != 0:
        pytest.fail("these tests make network namespaces, which needs root: run make programs as root")
    missing = [name for name in ("iperf3", "ncat", "socat", "sctp_test", "valgrind") if shutil.which(name) is None]
    if missing or not PROGRAM.exists():
        pytest.fail(f"run make programs, which builds {PROGRAM.name} and installs programs (missing: {missing})")
    remove_stale()


@pytest.fixture
def network() -> Iterator[Network]:
    """Two hosts with two paths."""
    with wired(2, offload=True) as made:
        yield made


@pytest.fixture
def start() -> Iterator[Callable[..., Wrapped]]:
    """Return the function that starts a program on a host, and end all programs after the test."""
    with ExitStack() as ended:

        def begin(*arguments: object, **options: object) -> Wrapped:
            started = Wrapped(*arguments, **options)  # pyright: ignore[reportArgumentType]
            ended.callback(started.kill)
            return started

        yield begin


@pytest.fixture
def daemons(network: Network, tmp_path: Path) -> Iterator[Daemons]:
    """Return the function that starts a daemon on a host, by default on the right one."""
    with ExitStack() as ended:

        def begin(*options: str, host=network.right, folder: Path = tmp_path, **more) -> Served:
            started = Served(host, folder, *options, **more)
            ended.callback(started.kill)
            return started

        yield begin


@pytest.fixture
def public() -> Iterator[Path]:
    """Return a folder that every user can read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder
