"""A folder with files of a user, the command run on them with limits, and checks of its answer and of the files."""

from __future__ import annotations

import hashlib
import resource
from dataclasses import dataclass, field
from pathlib import Path

from forks import manypath

SCENARIO = """\
warmup = "1 s"
measure = "2 s"

[network.disjoint.south]
rate = "5 Mbit/s"
delay = "1 ms"
queue = { kind = "drop-tail", packets = 100 }

[network.disjoint.north]
rate = "10 Mbit/s"
delay = "1 ms"

[flows.cmt]
paths = ["south", "north"]
cc = "cmt-rpv2"

[flows.tcp]
transport = "tcp"
path = "south"
"""
"""A scenario with a short run."""

SWEEP = """\
replications = 2
metrics = ["goodput"]

[factors]
cc = { field = "flows.cmt.cc", values = ["newreno", "cmt-rpv2"] }
north = { field = "network.disjoint.north.rate", values = ["2 Mbit/s", "5 Mbit/s"] }

[scenario]
warmup = "1 s"
measure = "2 s"

[scenario.network.disjoint]
south = { rate = "5 Mbit/s", delay = "1 ms" }
north = { rate = "5 Mbit/s", delay = "1 ms" }

[scenario.flows]
cmt = { paths = ["south", "north"] }
single = { paths = ["south"] }
"""
"""A sweep with short runs."""

EMULATION = """\
[network.disjoint.dsl]
rate = "16 Mbit/s"
delay = "15 ms"
"""
"""A network for real packets."""

CAPTURE = bytes.fromhex("d4c3b2a1 02000400 00000000 00000000 ffff0000 65000000")
"""A capture of raw IP without a packet."""

ONE_PACKET = (
    bytes.fromhex("00000000 00000000 24000000 24000000")
    + bytes.fromhex("45000024 00000000 40840000 0a000001 0a000002")
    + bytes.fromhex("1389138a 00000001 0374e2cb 0b000004")
)
"""A packet of this capture, with COOKIE ACK."""

MEMORY = 6 * 2**30
"""Limit of a command's address space in bytes."""


@dataclass
class Answer:
    """The result of a command."""

    code: int
    """Exit code; negative if a signal ended it."""
    out: str
    """Standard output."""
    err: str
    """Standard error."""


@dataclass
class Desk:
    """A folder with files of the user."""

    folder: Path
    treasure: dict[str, str] = field(default_factory=dict)

    @classmethod
    def laid_out(cls, folder: Path) -> Desk:
        """Return a folder with a scenario, a sweep, and files of other programs."""
        desk = cls(folder)
        files: dict[str, str | bytes] = {
            "two.toml": SCENARIO,
            "sweep.toml": SWEEP,
            "emulation.toml": EMULATION,
            "notes.txt": "do not lose me\n",
            "thesis.svg": "<svg xmlns='http://www.w3.org/2000/svg'><title>mine</title></svg>\n",
            "data.csv": "a,b\n1,2\n",
            "trip.pcapng": b"\x0a\x0d\x0d\x0a" + bytes(60),
            "empty.pcap": CAPTURE,
            "one.pcap": CAPTURE + ONE_PACKET,
            "site/index.html": "<html><title>My own page</title></html>\n",
            "mine/measured.parquet": b"PAR1 something of mine PAR1",
        }
        for name, content in files.items():
            desk.put(name, content)
        return desk

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file of the user, which no command may change."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.treasure[name] = _hash(path)
        return path

    def lost(self) -> list[str]:
        """Return the files of the user that are missing or changed."""
        return [name for name, was in self.treasure.items() if _hash(self.folder / name) != was]

    def manypath(self, *words: str, **environment: str) -> Answer:
        """Run the command in a new process with limits of time and memory."""
        done = manypath(words, self.folder, {"COLUMNS": "300", **environment}, {resource.RLIMIT_AS: MEMORY})
        return Answer(done.returncode, done.stdout, done.stderr)


def refused(answer: Answer, *fragments: str) -> None:
    """Check that the command exited with 2 and short error lines, and that one of them has all fragments."""
    lines = [line for line in answer.err.splitlines() if line.strip()]
    assert answer.code == 2, f"exit code {answer.code}\n{answer.err[-2000:]}"
    assert "Traceback" not in answer.err
    assert "panicked" not in answer.err
    errors = [line for line in lines if line.startswith("error: ")]
    assert errors, f"no error line: {answer.err!r}"
    assert all(len(line) < LONGEST for line in errors), errors
    assert not [line for line in errors if ", expected " in line], "an error in the form of the engine"
    matching = [line for line in errors if all(fragment in line for fragment in fragments)]
    assert matching, f"no line with {fragments}: {errors}"


LONGEST = 600
"""The longest allowed error line, in characters."""


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "gone"
