"""Options of endpoints that few programs change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from manypath.arguments import of_kind, size, span, whole
from manypath.errors import UserError, quoted
from manypath.quantity import SIZE, SPAN
from manypath.sctp.rows import OptionsRow

BoundedOption: TypeAlias = Literal[
    "send_buffer",
    "receive_buffer",
    "mtu",
    "rto_initial",
    "rto_min",
    "rto_max",
    "heartbeat_interval",
    "sack_delay",
]
"""Options with sizes or times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings for `connect` and `listen`: ``options=mp.sctp.Options(send_buffer="16 MiB")``.

    Raises
    ------
    UserError
        If a value is invalid.
    """

    send_buffer: str = "4 MiB"
    """Size of the send buffer of an association, for unacknowledged payload. No message may be larger."""
    receive_buffer: str = "4 MiB"
    """Size of the receive buffer of an association, for payload that the program has not received."""
    mtu: str = "1500 B"
    """Initial path MTU: largest IP packet, headers included. Reports of the network change it for a path."""
    rto_initial: str = "1 s"
    """Retransmission timeout of a path before its first RTT sample. RFC 9260 section 16"""
    rto_min: str = "1 s"
    """Smallest retransmission timeout. RFC 9260 section 16"""
    rto_max: str = "60 s"
    """Largest retransmission timeout. RFC 9260 section 16"""
    heartbeat_interval: str = "30 s"
    """Interval of heartbeats on an idle path, to which a retransmission timeout is added. RFC 9260 section 8.3"""
    path_max_retransmissions: int = 5
    """A path fails after more than this number of consecutive timeouts. RFC 9260 section 8.2"""
    association_max_retransmissions: int = 10
    """The association ends after more than this number of consecutive timeouts on all paths. RFC 9260 section 8.1"""
    init_max_retransmissions: int = 8
    """`connect` fails after more than this number of timeouts, but not before it tried each address of the peer.
    RFC 9260 section 5.1"""
    sack_every: int = 2
    """Number of data packets per SACK. RFC 9260 section 6.2"""
    sack_delay: str = "200 ms"
    """Largest delay of a SACK, at most 500 ms. RFC 9260 section 6.2"""
    pacing: bool = False
    """Pace the packets of each path over its round-trip time; this reduces losses in short queues.
    RFC 9002 section 7.7"""
    nodelay: bool = False
    """Disable Nagle's algorithm, which delays packets that are not full while data is outstanding.
    RFC 6458 section 8.1.5"""

    def __post_init__(self) -> None:
        row = self.row()
        for name, (least, most) in BOUNDS.items():
            dimension = SIZE if name in SIZES else SPAN
            if not dimension.parse(least) <= row[name] <= dimension.parse(most):
                value = quoted(getattr(self, name))
                raise UserError(f"{name}: {value} cannot be used: give {least} to {most}")
        if row["rto_max"] < max(row["rto_min"], row["rto_initial"]):
            raise UserError(f"rto_max: {quoted(self.rto_max)} is below rto_min or rto_initial: give at least both")

    def row(self) -> OptionsRow:
        """Return the options for the engine: sizes in bytes, times in nanoseconds."""
        return {
            "send_buffer": int(size("send_buffer", self.send_buffer)),
            "receive_buffer": int(size("receive_buffer", self.receive_buffer)),
            "mtu": int(size("mtu", self.mtu)),
            "rto_initial": int(span("rto_initial", self.rto_initial)),
            "rto_min": int(span("rto_min", self.rto_min)),
            "rto_max": int(span("rto_max", self.rto_max)),
            "heartbeat_interval": int(span("heartbeat_interval", self.heartbeat_interval)),
            "path_max_retransmissions": _times("path_max_retransmissions", self.path_max_retransmissions),
            "association_max_retransmissions": _times(
                "association_max_retransmissions", self.association_max_retransmissions
            ),
            "init_max_retransmissions": _times("init_max_retransmissions", self.init_max_retransmissions),
            "sack_every": whole(
                "sack_every", self.sack_every, "number of packets", least=1, below=256, right="1 to 255"
            ),
            "sack_delay": int(span("sack_delay", self.sack_delay)),
            "pacing": of_kind("pacing", self.pacing, bool, "True or False"),
            "nodelay": of_kind("nodelay", self.nodelay, bool, "True or False"),
        }


def _times(name: str, value: object) -> int:
    return whole(name, value, "number of times", below=2**16, right="0 to 65535")


SIZES = {"send_buffer", "receive_buffer", "mtu"}
"""Options with sizes."""

BOUNDS: dict[BoundedOption, tuple[str, str]] = {
    "send_buffer": ("1500 B", "1 GiB"),
    "receive_buffer": ("1500 B", "1 GiB"),
    "mtu": ("576 B", "65535 B"),
    "rto_initial": ("1 ms", "1 h"),
    "rto_min": ("1 ms", "1 h"),
    "rto_max": ("1 ms", "1 h"),
    "heartbeat_interval": ("1 ms", "24 h"),
    "sack_delay": ("0 s", "500 ms"),
}
"""Smallest and largest values of options with sizes or times."""
