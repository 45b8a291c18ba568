"""The units of systemd."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from manypath.programs import NET, installed

CRATES = Path(__file__).parents[2] / "crates"

UNITS = {
    "manypath-kernel": CRATES / "bpf" / "systemd" / "manypath-kernel@.service",
    "manypath-net": CRATES / "net-cli" / "systemd" / "manypath-net.service",
}

GROUP = "manypath"

SYSTEMCTL = "/usr/bin/systemctl"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd exists only on Linux")


@pytest.mark.parametrize("program", UNITS)
def test_systemd_accepts_the_unit(program: str, tmp_path: Path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.fail("this test needs systemd-analyze: .ci/prepare --tests installs it, or sudo apt-get install systemd")
    file = tmp_path / program
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    unit = UNITS[program]
    text = unit.read_text(encoding="utf-8")
    assert f"ExecStart=/usr/local/bin/{program} " in text
    here = tmp_path / unit.name
    here.write_text(text.replace(f"/usr/local/bin/{program}", str(file)))
    done = subprocess.run([analyze, "verify", here], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_unit_and_the_configuration_file_of_the_daemon_agree():
    unit = UNITS["manypath-net"].read_text(encoding="utf-8")
    options = tomllib.loads(UNITS["manypath-net"].with_name("manypath-net.toml").read_text(encoding="utf-8"))
    folder = Path(options["socket"]).parent
    assert f"RuntimeDirectory={folder.relative_to('/run')}\n" in unit
    assert f"SupplementaryGroups={options['group']}\n" in unit
    assert options["group"] == GROUP


@pytest.fixture
def service() -> Iterator[str]:
    """The name of a unit that systemd knows until the test has ended, with our program and a configuration file."""
    if not Path("/run/systemd/system").is_dir():
        pytest.skip("systemd does not run here: the unit is verified alone")
    if subprocess.run(["/usr/bin/id", "-u"], capture_output=True, text=True, check=True).stdout != "0\n":
        pytest.skip("starting a unit needs root")
    program = installed(NET)
    if program is None:
        pytest.skip("manypath-net is not installed: `make net`")
    name = f"manypath-net-test-{os.getpid()}"
    unit = Path(f"/run/systemd/system/{name}.service")
    # A user of its own may not read this program in every folder
    copy = Path(f"/run/{name}")
    shutil.copy(program, copy)
    config = Path(f"/run/{name}.toml")
    # The daemon starts on a free port if another program has this one
    config.write_text(
        f'socket = "/run/{name}.d/socket"\nlocal = ["127.0.0.1"]\nencapsulation = 19899\ngroup = "root"\n'
    )
    text = UNITS["manypath-net"].read_text(encoding="utf-8")
    for old, new in (
        ("/usr/local/bin/manypath-net", str(copy)),
        ("/etc/manypath-net.toml", str(config)),
        ("SupplementaryGroups=manypath", "SupplementaryGroups=root"),
        ("RuntimeDirectory=manypath-net", f"RuntimeDirectory={name}.d"),
    ):
        assert old in text
        text = text.replace(old, new)
    unit.write_text(text)
    try:
        subprocess.run([SYSTEMCTL, "daemon-reload"], check=True, timeout=300)
        yield name
    finally:
        subprocess.run([SYSTEMCTL, "kill", "--signal=KILL", name], check=False, timeout=300, capture_output=True)
        unit.unlink()
        copy.unlink()
        config.unlink()
        subprocess.run([SYSTEMCTL, "daemon-reload"], check=True, timeout=300)


def test_systemd_starts_the_daemon_and_ends_it(service: str):
    def systemctl(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([SYSTEMCTL, *words], capture_output=True, text=True, timeout=300, check=False)

    started = systemctl("start", service)
    assert started.returncode == 0, systemctl("status", service).stdout
    # It has told systemd that it is ready, so programs can connect
    socket = Path(f"/run/{service}.d/socket")
    assert (socket.is_socket(), socket.stat().st_mode & 0o777) == (True, 0o660)
    assert systemctl("stop", service).returncode == 0
    assert systemctl("show", "--property=Result", service).stdout == "Result=success\n"
    assert not socket.exists()
