"""The compiled engine: functions from JSON documents to outcomes."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from manypath.sctp.rows import OptionsRow

class ScenarioError(ValueError):
    """A document that cannot be run; one line names field, value and remedy."""

class RunError(RuntimeError):
    """A run whose results cannot be trusted; one line names seed and replication."""

class CaptureError(OSError):
    """A capture that cannot be written; one line names argument, value and reason."""

class EventsError(OSError):
    """Events that cannot be written; one line names argument, value and reason."""

class SeriesError(ValueError):
    """A series that does not fit into memory; one line names field, value and remedy."""

class DecodeError(ValueError):
    """A capture that cannot be read completely; one line has the reason."""

class Capture:
    """A reader of a pcapng or pcap file: an iterator of texts with the lines of packets; some texts are empty.

    `form` is "line" or "json"; other values give no lines. `port` is the UDP source or destination port of SCTP over
    UDP. Frames of interfaces other than `interface` are skipped. With `any_checksum`, packets with a wrong checksum are
    read, too. Memory does not grow with the file. Raise `DecodeError` if the file cannot be read; during iteration,
    after the lines before the error.
    """

    def __init__(
        self, file: Path, form: str, port: int, interface: str | None = None, any_checksum: bool = False
    ) -> None: ...
    def __iter__(self) -> Capture: ...
    def __next__(self) -> str: ...
    def summary(self) -> str:
        """Return the summary so far, as JSON."""

class SctpError(Exception):
    """A failed operation; the arguments are the kind of the error and a one-line message."""

    args: tuple[str, str]

class SctpOperation:
    """An operation that may have to wait. Only the polling task waits, and only it takes the outcome."""

    def poll(self, wake: Callable[[], object] | None = None) -> bool:
        """Return whether the outcome is available. If not, `wake` is called from another thread when it may be."""

    def outcome(self) -> Any:
        """Return the outcome or raise `SctpError`. It can be taken once."""

    def cancel(self) -> None:
        """Cancel the operation, unless it has ended."""

class SctpEndpoint:
    """An SCTP port over UDP on local addresses. After it is dropped, it ends with its last association."""

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
        """Make an endpoint, which is the outcome; with a `backlog` of None it refuses associations of peers."""

    def connect(self, addresses: list[IPv4Address | IPv6Address], port: int, encapsulation: int) -> SctpOperation:
        """Open an association, which is the outcome."""

    def accept(self) -> SctpOperation:
        """Wait for the next association of a peer, which is the outcome."""

    def close(self) -> SctpOperation:
        """Shut all associations down, and wait for their end."""

    def finish_events(self) -> SctpOperation:
        """Complete the file of events; the outcome is the number of events lost to a slow disk."""

    def counters(self) -> dict[str, int]:
        """Return the fields of `EndpointCounters`."""

    def port(self) -> int:
        """Return the SCTP port."""

    def encapsulation(self) -> int:
        """Return the UDP port."""

    def local(self) -> list[str]:
        """Return the local addresses."""

class SctpAssociation:
    """An association with a peer. After it is dropped, it is shut down in the background."""

    def send(
        self, payload: bytes, stream: int, ppid: int, unordered: bool, lifetime: int | None, sack_immediately: bool
    ) -> SctpOperation:
        """Put a message into the send buffer when it has room; `lifetime` is in nanoseconds."""

    def receive(self) -> SctpOperation:
        """Wait for the next message: a `MessageRow`, or None after the peer's last message."""

    def shutdown(self) -> SctpOperation:
        """Shut the association down after all messages have arrived, and wait for its end."""

    def close(self) -> SctpOperation:
        """Like `shutdown`, and discard unreceived messages."""

    def closed(self) -> SctpOperation:
        """Wait for the end."""

    def abort(self, reason: bytes) -> None:
        """End the association at once."""

    def events(self) -> SctpEvents:
        """Return the events from now on."""

    def streams(self) -> tuple[int, int]:
        """Return the numbers of outgoing and incoming streams."""

    def paths(self) -> list[dict[str, Any]]:
        """Return the fields of `Path`, for each path."""

    def set_primary(self, path: int) -> None:
        """Make the path with this number the primary path."""

    def counters(self) -> dict[str, int]:
        """Return the fields of `AssociationCounters`."""

class SctpEvents:
    """The events of an association since the call of `SctpAssociation.events`."""

    def next(self) -> SctpOperation:
        """Wait for the next event: a tuple of its name and its fields, or None after the last one."""

class Stop:
    """A signal that ends running simulations soon."""

    def set(self) -> None:
        """End the runs with this signal."""

def run(
    document: str,
    seed: int,
    replication: int,
    watch: str | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[str, dict[str, NDArray] | None]:
    """Run a scenario; return the outcome as JSON, and columns over time on request of `watch`.

    `watch` is the document of `Watch` in `crates/lab/src/run.rs`, which has all keys.
    `progress` is called with the simulated time so far, in seconds, several times per second; an exception in it ends
    the run. In the main thread, a signal handler that raises an exception, such as for Ctrl-C, also ends the run.
    """

def run_batch(documents: list[str], jobs: list[tuple[int, int, int]], stop: Stop | None = None) -> list[str | RunError]:
    """Run jobs in sequence without the GIL; a job is (index of the document, seed, replication).

    A failed run gives its `RunError`, and so does a run that `stop` ends.
    """

def ideal_rates(document: str, seed: int, replication: int) -> list[float]:
    """Return the rate of a connection on each path in packets/s, under given losses, without network and protocol.

    The document has `cc`, `paths` (each `rtt` in nanoseconds, `loss`, `periodic`), `warmup` and `packets`.
    """

def first_between(stream: str, seed: int, replication: int, low: int, high: int) -> int:
    """Return the first number from `low` to `high` of a random stream of a simulation with this seed and replication.

    Raise `ValueError` if `low` is greater than `high`.
    """

def memory(document: str) -> int:
    """Return an upper bound of the memory of a run in bytes, with all buffers and queues full.

    Raise `ScenarioError` if the document cannot be run.
    """

def available_memory() -> int | None:
    """Return the memory that this process may still allocate, bytes; None if unknown."""

def check(document: str, runs: int = 1) -> None:
    """Raise `ScenarioError` if this number of simultaneous runs of the document is impossible."""

def check_series(document: str, every: int) -> None:
    """Raise `SeriesError` if samples of a run each `every` nanoseconds do not fit into memory; nothing is run."""

def algorithms() -> list[tuple[str, str]]:
    """Return congestion controls: names and one-line descriptions."""

def algorithm_parameters() -> list[tuple[str, str, str, str]]:
    """Return parameters of congestion controls: names, keys, defaults and one-line descriptions."""

def algorithm_mistake(name: str) -> str | None:
    """Return the error of a congestion control's name and parameters in one line; None if they are valid."""

def algorithm_is_coupled(name: str) -> bool | None:
    """Return whether a congestion control couples the paths of a connection; None if it is unknown."""

def profiles() -> list[tuple[str, str]]:
    """Return accounting profiles: names and one-line descriptions."""

def queues() -> list[tuple[str, str]]:
    """Return queue disciplines: names and one-line descriptions."""

def loss_models() -> list[tuple[str, str]]:
    """Return loss models: names and one-line descriptions."""

def schedulers() -> list[tuple[str, str]]:
    """Return schedulers of Multipath TCP: names and one-line descriptions."""

def events() -> list[tuple[str, str]]:
    """Return events of runs: names and one-line descriptions."""

def counters() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return counters of results by kind of frame, and the limits of paths: names and one-line descriptions."""

def nearest(word: str, known: list[str]) -> str | None:
    """Return the known word most similar to `word`, or None if none is similar."""

def remedy(word: str, known: list[str]) -> str:
    """Return the hint for an unknown `word`: the most similar known word, and all known words if they are few."""

def sctp_counters() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return counters of associations, of their paths, and of endpoints: names and one-line descriptions."""

def engine_version() -> str:
    """Return a hash of the engine's sources; results of different versions are never mixed."""

def has_debug_assertions() -> bool:
    """Return whether this is the build of the tests: with equal results, but slower."""
