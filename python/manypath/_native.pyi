"""The laboratory's engine, compiled: documents in, outcomes out."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from manypath.run import Watch
from manypath.sctp.rows import OptionsRow, PathRow

class ScenarioError(ValueError):
    """A document that cannot be run; one line names field, value and remedy."""

class RunError(RuntimeError):
    """A run whose results cannot be trusted; one line names seed and replication."""

class CaptureError(OSError):
    """A capture that cannot be written as asked; one line names argument, value and reason."""

class EventsError(OSError):
    """Events that cannot be written as asked; one line names argument, value and reason."""

class SeriesError(ValueError):
    """A series that has no room in memory; one line names field, value and remedy."""

class DecodeError(ValueError):
    """A capture that cannot be read, or not to its end; one line says why."""

class Capture:
    """A capture on its way through, pcapng or pcap: an iterator of texts with the lines of packets, some of them empty.

    `form` is "line" or "json"; with any other there are no lines. `port` is that of UDP on either side of
    encapsulated SCTP. Frames of interfaces other than `interface` are passed over. With `any_checksum` packets
    are read whose checksum is wrong. Memory does not grow with the file. Raise `DecodeError` if the file cannot be
    read; while iterating, behind the lines in front of the fault.
    """

    def __init__(
        self, file: Path, form: str, port: int, interface: str | None = None, any_checksum: bool = False
    ) -> None: ...
    def __iter__(self) -> Capture: ...
    def __next__(self) -> str: ...
    def summary(self) -> str:
        """Return what was counted so far, as JSON."""

class SctpError(Exception):
    """Something that was not done; the arguments are a word for the kind and one line for people."""

    args: tuple[str, str]

class SctpOperation:
    """A call that may have to wait. The task that waits is the one that polls; others lose nothing to it."""

    def poll(self, wake: Callable[[], object] | None = None) -> bool:
        """Tell whether the outcome is there. If not, `wake` is called once it may be, from another thread."""

    def outcome(self) -> Any:
        """Return the outcome or raise `SctpError`. It can be taken once."""

    def cancel(self) -> None:
        """Give the operation up, unless it has ended."""

class SctpEndpoint:
    """One SCTP port on some local addresses, inside UDP. It ends after its last association, once it was dropped."""

    @staticmethod
    def bind(
        local: list[IPv4Address | IPv6Address],
        port: int,
        encapsulation: int,
        backlog: int | None,
        streams: int,
        congestion: str,
        concurrent: bool,
        options: OptionsRow,
        events: str | PathLike[str] | None,
    ) -> SctpOperation:
        """Make an endpoint, the outcome; no peer can open an association if `backlog` is None."""

    def connect(self, addresses: list[IPv4Address | IPv6Address], port: int, encapsulation: int) -> SctpOperation:
        """Open an association, the outcome."""

    def accept(self) -> SctpOperation:
        """Wait for the next association that a peer opens, the outcome."""

    def close(self) -> SctpOperation:
        """Shut all associations down, and wait for their ends."""

    def finish_events(self) -> SctpOperation:
        """Complete the file of events; the outcome is how many are missing because the disk was too slow."""

    def counters(self) -> dict[str, int]:
        """Return the fields of `EndpointCounters`."""

    def port(self) -> int:
        """Return the SCTP port."""

    def encapsulation(self) -> int:
        """Return the UDP port."""

    def local(self) -> list[str]:
        """Return the local addresses."""

class SctpAssociation:
    """A conversation with one peer. When it is dropped, it is shut down in the background."""

    def send(
        self, payload: bytes, stream: int, ppid: int, unordered: bool, lifetime: int | None, sack_immediately: bool
    ) -> SctpOperation:
        """Hand a message over, as soon as there is room; `lifetime` is in nanoseconds."""

    def receive(self) -> SctpOperation:
        """Wait for the next message: a `MessageRow`, or None once the peer sends nothing more."""

    def shutdown(self) -> SctpOperation:
        """Close the association once everything has arrived, and wait for that."""

    def close(self) -> SctpOperation:
        """Like `shutdown`, and discard what was not received."""

    def closed(self) -> SctpOperation:
        """Wait for the end."""

    def abort(self, reason: bytes) -> None:
        """End the association at once."""

    def events(self) -> SctpEvents:
        """Return the events from now on."""

    def streams(self) -> tuple[int, int]:
        """Return how many streams there are to send on, and how many to receive on."""

    def paths(self) -> list[PathRow]:
        """Return one row for each path."""

    def set_primary(self, path: int) -> None:
        """Make data take the path with this number while it works."""

    def counters(self) -> dict[str, int]:
        """Return the fields of `AssociationCounters`."""

class SctpEvents:
    """The events of an association from when it was asked for them."""

    def next(self) -> SctpOperation:
        """Wait for the next event: a tuple of its name and what it tells, or None after the last one."""

class Stop:
    """Set it, and whatever was given it ends soon."""

    def set(self) -> None:
        """End what was given this."""

def run(
    document: str,
    seed: int,
    replication: int,
    watch: Watch | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[str, dict[str, NDArray] | None]:
    """Run one scenario; the outcome as JSON, and columns over time if `watch` asks for them.

    `progress` is called with the simulated seconds that are done, several times a second; an exception of it ends the
    run. In the main thread a signal whose handler raises something, such as Ctrl-C, ends the run, too.
    """

def run_batch(
    documents: list[str], jobs: list[tuple[int, int, int]], threads: int, stop: Stop | None = None
) -> list[str | RunError]:
    """Run many on `threads` threads without the GIL; a job is (index of the document, seed, replication).

    A run that fails gives its `RunError`, and so do those that `stop` ends.
    """

def ideal_rates(document: str, seed: int, replication: int) -> list[float]:
    """Packets per second that a connection sends on each path under given losses, without network and protocol.

    The document has `cc`, `paths` (each `rtt` in nanoseconds, `loss`, `periodic`), `warmup` and `packets`.
    """

def first_between(stream: str, seed: int, replication: int, low: int, high: int) -> int:
    """The first number from `low` to `high` of a random stream of a simulation with this seed and replication.

    Raise `ValueError` if `low` is greater than `high`.
    """

def memory(document: str) -> int:
    """Bytes that a run of the document needs when every buffer and queue is full, as an upper bound.

    Raise `ScenarioError` unless the document can be run.
    """

def available_memory() -> int | None:
    """Bytes of memory that this process may still take, as far as the system tells."""

def check(document: str) -> None:
    """Raise `ScenarioError` unless the document can be run."""

def algorithms() -> list[tuple[str, str]]:
    """Congestion controls: name and one line about each."""

def algorithm_parameters() -> list[tuple[str, str, str, str]]:
    """What may be set in the names of congestion controls: name, key, default and one line about each."""

def algorithm_mistake(name: str) -> str | None:
    """What is wrong with the name of a congestion control, parameters included, in one line; None if it is right."""

def algorithm_is_coupled(name: str) -> bool | None:
    """Whether a congestion control couples the paths of a connection; None if there is none of that name."""

def profiles() -> list[tuple[str, str]]:
    """Accounting profiles: name and one line about each."""

def queues() -> list[tuple[str, str]]:
    """Queue disciplines: name and one line about each."""

def loss_models() -> list[tuple[str, str]]:
    """Loss models: name and one line about each."""

def events() -> list[tuple[str, str]]:
    """Events of a run: name and one line about each."""

def engine_version() -> str:
    """A hash of the engine's sources: results of different versions are never mixed."""
