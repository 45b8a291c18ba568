"""What writes logs of events for tests of their page: a run, a hostile writer, a real association, a measured run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from page_object import PATIENCE

import manypath as mp
from manypath.programs import NET, installed


def scenario(measure: str = "4 s") -> mp.Scenario:
    """Return a flow over two paths with losses, and a rival on one of them."""
    network = mp.disjoint(
        wire=mp.Link(rate="8 Mbit/s", delay="5 ms", queue=mp.DropTail(packets=20)),
        radio=mp.Link(rate="4 Mbit/s", delay="25 ms", loss=mp.Bernoulli(p=0.01)),
    )
    flows = {"cmt": mp.Sctp(paths=["wire", "radio"], cc="lia"), "rival": mp.Sctp(paths=["wire"])}
    return mp.Scenario(network=network, flows=flows, warmup="0 s", measure=measure)


def hostile(log: Path) -> None:
    """Write a log whose names of a flow and a path are HTML, and whose last line is a script."""
    name = "<img src=x onerror=alert(1)>"
    event = {"flow": name, "host": "source", "path": name, "name": "recovery:metrics_updated"}
    with log.open("w") as out:
        for number in range(100):
            out.write(json.dumps({"time": number / 10, **event, "data": {"cwnd": 1000 + number}}) + "\n")
        out.write("</script><script>alert(2)</script>\n")


@contextmanager
def association(log: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield a program that sends over two paths of the loopback interface, and writes its events."""
    program = installed(NET)
    assert program is not None, f"the program {NET} is missing: make net"
    perf = [str(program), "perf"]
    there = "127.0.0.11,127.0.0.12"
    pipes: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*perf, "--listen", "--once", "--bind", there, "--udp", "0"], **pipes) as server:
        try:
            assert server.stderr is not None
            port = server.stderr.readline().rsplit(" ", 1)[1].strip()
            words = [*perf, "--to", there, "--udp", port, "--bind", "127.0.0.1,127.0.0.2", "--time", "600"]
            pipes["stderr"] = subprocess.DEVNULL
            with subprocess.Popen([*words, "--events", str(log)], **pipes) as client:
                try:
                    yield client
                finally:
                    client.kill()
        finally:
            server.kill()


MEASURED = """
import sys
from pathlib import Path
import manypath as mp
from manypath import testbed
from manypath.campaign import Campaign
link = mp.Link(rate="5 Mbit/s", delay="10 ms")
flows = {"cmt": mp.Sctp(paths=["a", "b"], app={"kind": "saturated", "message": "1452 B"})}
scenario = mp.Scenario(network=mp.disjoint(a=link, b=link), flows=flows, warmup="1 s", measure="1000 s")
Campaign(scenario, replications=1, runner=testbed.Testbed(events=Path(sys.argv[1]))).run(None, 1, progress=False)
"""
"""A program that measures a run over emulated links, and writes its events into a folder."""


@contextmanager
def measured(folder: Path) -> Iterator[None]:
    """Measure a run until the end of the block."""
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", MEASURED, folder], stderr=subprocess.PIPE, text=True) as run:
        try:
            yield
        finally:
            # The first Ctrl-C lets the run end, the second one aborts it. It removes its namespaces. Two that arrive
            # while the run has no turn are one, and then a third one is needed.
            end, patience = monotonic() + PATIENCE, 2.0
            while run.poll() is None and monotonic() < end:
                run.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    run.communicate(timeout=patience)
                patience = 20.0
            ended = run.poll()
            run.kill()
            assert ended is not None, "the run does not end"
