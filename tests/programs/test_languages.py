"""Programs in Java, Go and Perl with our sockets."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_other_stacks import ECHO

pytestmark = pytest.mark.programs

GUESTS = Path(__file__).parent / "guests"
"""The sources of the programs."""

WAYS = pytest.mark.parametrize(
    ("mode", "paths"),
    [
        ("udp", 1),
        ("raw", 2),
        pytest.param("udp", 2, marks=pytest.mark.long),
        pytest.param("raw", 1, marks=pytest.mark.long),
    ],
)
"""Carriers of packets, and numbers of paths. The gate has each carrier and each number."""


def echoes(network, start, tmp_path: Path, mode: str, paths: int):
    """Start a program on the right host that sends back what it receives."""
    words = ["python3", "-c", ECHO, network.right.ipv4[0]]
    server = start(network.right, mode, paths, *words, into=tmp_path / "server")
    server.until("listening")
    return server


@WAYS
def test_java(network, start, tmp_path: Path, mode: str, paths: int) -> None:
    compiler = shutil.which("javac") or "javac"
    built = subprocess.run([compiler, "-d", str(tmp_path), str(GUESTS / "Echo.java")], check=False)
    assert built.returncode == 0
    words = ["java", "-cp", str(tmp_path), "Echo"]
    address = network.right.ipv4[0]
    server = start(network.right, mode, paths, *words, "listen", address, into=tmp_path / "server")
    server.until("listening")
    client = start(network.left, mode, paths, *words, "connect", address, into=tmp_path / "client")
    assert address in client.ends_well()
    server.ends_well()


def go(name: str, folder: Path) -> str:
    """Build a program in Go, and return its path."""
    program = folder / name
    environment = {**os.environ, "CGO_ENABLED": "1", "GOFLAGS": "-mod=mod", "GOCACHE": str(folder / "cache")}
    compiler = shutil.which("go") or "go"
    source = str(GUESTS / name / "main.go")
    built = subprocess.run([compiler, "build", "-o", str(program), source], env=environment, check=False)
    assert built.returncode == 0
    return str(program)


@pytest.fixture(scope="module")
def cgo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a program in Go that calls the sockets of libc."""
    return go("cgo", tmp_path_factory.mktemp("go"))


@pytest.mark.long
@WAYS
def test_go_with_sockets_of_libc(network, start, cgo: str, tmp_path: Path, mode: str, paths: int) -> None:
    server = echoes(network, start, tmp_path, mode, paths)
    start(network.left, mode, paths, cgo, network.right.ipv4[0], into=tmp_path / "client").ends_well()
    server.ends_well()


@pytest.mark.long
def test_go_with_system_calls_of_its_own_has_the_sockets_of_the_kernel(network, start, tmp_path: Path) -> None:
    program = go("raw", tmp_path)
    plain = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert start(network.left, "udp", 1, program, into=tmp_path / "client").ends_well() == plain


@WAYS
def test_perl(network, start, tmp_path: Path, mode: str, paths: int) -> None:
    server = echoes(network, start, tmp_path, mode, paths)
    words = ["perl", "-MIO::Handle", str(GUESTS / "echo.pl"), network.right.ipv4[0]]
    start(network.left, mode, paths, *words, into=tmp_path / "client").ends_well()
    server.ends_well()
