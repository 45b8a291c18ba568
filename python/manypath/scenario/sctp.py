"""Flows over SCTP, with every switch of CMT."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from manypath import _native
from manypath.arguments import text
from manypath.errors import remedy
from manypath.scenario.applications import Application, Saturated
from manypath.scenario.model import Model, Size, Span
from manypath.scenario.names import CongestionControl, no_path_twice
from manypath.scenario.ranges import Start, in_order


class Rto(Model):
    """Bounds of the retransmission timeout: SRTT + 4 RTTVAR, and `min` at least. RFC 9260 sections 6.3.1 and 16.

    A path whose round-trip time is longer than `min` less the receiver's `sack_delay` (0.8 s with the defaults) may
    time out without a loss, because nothing but RTTVAR then leaves time for a delayed SACK. A `granularity` of 50 ms,
    a quarter of the default `sack_delay`, leaves that time.
    """

    initial: Span = Field(default="3 s", gt=0)
    """Before the first measurement."""
    min: Span = Field(default="1 s", gt=0)
    """At least."""
    max: Span = Field(default="60 s", gt=0)
    """At most."""
    granularity: Span = Field(default="1 ms", le=1_000_000_000)
    """Clock granularity G: RTTVAR is not smaller; 1 s at most. FreeBSD has 1 ms, Linux 1 to 10 ms. RFC 9260 section
    6.3.1 rule G1"""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        in_order(self, "min", "initial", "max")
        return self


class Sctp(Model):
    """An SCTP association; over several paths it is CMT-SCTP. The defaults are the settings of [D11]'s authors."""

    transport: Literal["sctp"] = "sctp"
    """Name of the protocol."""
    paths: tuple[str, ...] = Field(min_length=1)
    """Paths by name; the first is the primary one."""
    concurrent: bool = True
    """Use all paths at once; else the primary one, and another only if that one fails."""
    cc: CongestionControl = "newreno"
    """Congestion control, as ``manypath list`` shows them."""
    profile: str = "inet"
    """How the congestion control counts and rounds, as ``manypath list`` shows them."""
    mtu: Size = Field(default="1500 B", ge=576, le=65_535)
    """Largest IP packet."""
    udp_encapsulation: bool = False
    """Packets travel inside UDP, whose header takes 8 bytes of each. RFC 6951"""
    streams: int = Field(default=1, ge=1, le=65_535)
    """Streams in each direction."""
    send_buffer: Size = Field(default="1 MB", gt=0)
    """User data that waits or is outstanding at most."""
    receive_buffer: Size = Field(default="500 kB", gt=0)
    """User data that waits for the receiving application at most."""
    nr_sack: bool = True
    """Report what will never be dropped again (NR-SACK)."""
    never_renege: bool = True
    """With NR-SACK, promise to keep whatever arrived; else only what the application has been offered."""
    packet_drop_reports: bool = False
    """Report packets that arrive damaged, so that they are sent again without a window cut."""
    buffer_split: Literal["none", "sender", "receiver", "both"] = "both"
    """Which buffers are divided among the paths that may send new data."""
    split_by: Literal["outstanding", "buffered"] = "outstanding"
    """What fills a path's share of a divided buffer."""
    rescheduling: Literal["none", "threshold", "inet"] = "none"
    """Whether a path may send the chunk of another path that blocks its buffer, and how that path's window reacts."""
    path_blocking: Literal["none", "rto", "rto-times-paths"] = "none"
    """Whether a path whose window a loss would bring below one packet pauses, and for how long."""
    cuc: Literal["none", "v1", "v2"] = "v2"
    """How the growth of a window is tied to its path (cwnd update for CMT)."""
    sfr: bool = True
    """Count a chunk as missing only by news of its own path (split fast retransmit)."""
    dac: bool = True
    """Delay the acknowledgement across gaps, and count packets (delayed acknowledgement for CMT)."""
    path_fast_recovery: bool = True
    """Enter and leave Fast Recovery path by path."""
    smart_fast_rtx: bool = True
    """Chunks that a timeout moved to another path tell nothing about losses there."""
    sack_path: Literal["first-data", "last-data", "primary", "round-robin", "smallest-srtt"] = "smallest-srtt"
    """Which path a SACK takes."""
    sack_immediately: bool = True
    """Ask for a SACK with the last packet that a window admits."""
    sack_immediately_at: Literal["congestion", "any"] = "congestion"
    """Which window that is: the path's congestion window alone, or the peer's receive window too (RFC 7053)."""
    sack_every: int = Field(default=2, ge=1, le=255)
    """One SACK for so many DATA packets."""
    sack_delay: Span = Field(default="200 ms", le=500_000_000)
    """A SACK at the latest after so long, 500 ms at most. RFC 9260 section 6.2"""
    burst: Literal["none", "max-burst", "use-it-or-lose-it"] = "use-it-or-lose-it"
    """What limits a burst on one path."""
    max_burst: int = Field(default=4, ge=1, le=65_535)
    """Packets in one burst."""
    pacing: bool = False
    """Spread the packets of each path over its round trip, in place of `burst` once the path has an RTT sample."""
    send_order: Literal["address", "round-robin", "smallest-last-transmission", "largest-space", "largest-ssthresh"] = (
        "smallest-last-transmission"
    )
    """In which order the paths are served."""
    t3_reset: Literal["rfc9260", "smart"] = "smart"
    """What restarts the retransmission timer of a path."""
    t3_path: Literal["same", "next", "largest-window", "largest-ssthresh"] = "next"
    """Where chunks go whose timer expired."""
    nagle: bool = True
    """Hold a packet that is not full while data is outstanding."""
    peer_window_threshold: Size = Field(default="3000 B", ge=0, le=4_294_967_295)
    """Below so much the peer's receive window counts as full."""
    window_probe: Literal["association", "path"] = "path"
    """Who may send one chunk into a full window of the peer: the association once, or each path that is idle."""
    window_overrun: Literal["never", "packet", "wraps"] = "never"
    """Whether new data may overrun the peer's window: never, by one packet, or as INET's unsigned counter lets it."""
    rto: Rto = Rto()
    """Bounds of the retransmission timeout."""
    heartbeat_interval: Span = Field(default="30 s", gt=0)
    """Pause between the probes of an idle path."""
    path_max_retransmissions: int = Field(default=5, ge=0, le=65_535)
    """Errors in a row after which a path counts as failed."""
    potentially_failed_after: int | None = Field(default=None, ge=0, le=65_535)
    """Errors in a row after which a path counts as potentially failed (PFMR); never without a number, or if it is not
    below `path_max_retransmissions`. RFC 7829 §3.2"""
    association_max_retransmissions: int = Field(default=10, ge=0, le=65_535)
    """Errors in a row after which the peer counts as gone."""
    app: Application = Saturated()
    """What the application sends."""
    start: Start = Start()
    """When the flow begins."""

    @classmethod
    def standard(cls, path: str, **settings: object) -> Self:
        """Return standard SCTP on one path: what only CMT needs is off, the rest as `settings` say.

        Without DAC a gap is acknowledged at once (RFC 9260 section 6.7); INET calls this flow `off`.
        """
        return cls(**{**STANDARD, **settings, "paths": (text("path", path, "the name of one"),)})

    _no_path_twice = field_validator("paths")(no_path_twice)

    @field_validator("profile")
    @classmethod
    def _profile_exists(cls, name: str) -> str:
        known = [entry for entry, _ in _native.profiles()]
        if name not in known:
            raise ValueError(f'"{name}" is no accounting profile: {remedy(name, known)}')
        return name


STANDARD = {"cuc": "none", "sfr": False, "dac": False, "path_fast_recovery": False, "smart_fast_rtx": False}
"""The switches of CMT and its successors, off."""
