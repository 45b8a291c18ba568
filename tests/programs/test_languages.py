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


def echoes(network, start, tmp_path: Path):
    """Start a program on the right host that sends back what it receives."""
    server = start(network.right, "udp", 1, "python3", "-c", ECHO, network.right.ipv4[0], into=tmp_path / "server")
    server.until("listening")
    return server


def test_java(network, start, tmp_path: Path) -> None:
    compiler = shutil.which("javac") or "javac"
    built = subprocess.run([compiler, "-d", str(tmp_path), str(GUESTS / "Echo.java")], check=False)
    assert built.returncode == 0
    words = ["java", "-cp", str(tmp_path), "Echo"]
    address = network.right.ipv4[0]
    server = start(network.right, "udp", 1, *words, "listen", address, into=tmp_path / "server")
    server.until("listening")
    client = start(network.left, "udp", 1, *words, "connect", address, into=tmp_path / "client")
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


@pytest.mark.programs_long
def test_go_with_sockets_of_libc(network, start, tmp_path: Path) -> None:
    server = echoes(network, start, tmp_path)
    words = [go("cgo", tmp_path), network.right.ipv4[0]]
    start(network.left, "udp", 1, *words, into=tmp_path / "client").ends_well()
    server.ends_well()


@pytest.mark.programs_long
def test_go_with_system_calls_of_its_own_has_the_sockets_of_the_kernel(network, start, tmp_path: Path) -> None:
    program = go("raw", tmp_path)
    plain = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert start(network.left, "udp", 1, program, into=tmp_path / "client").ends_well() == plain


def test_perl(network, start, tmp_path: Path) -> None:
    server = echoes(network, start, tmp_path)
    words = ["perl", "-MIO::Handle", str(GUESTS / "echo.pl"), network.right.ipv4[0]]
    start(network.left, "udp", 1, *words, into=tmp_path / "client").ends_well()
    server.ends_well()
