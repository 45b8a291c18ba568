"""Flows over SCTP, with every switch of CMT."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from manypath import _native
from manypath.arguments import text
from manypath.errors import quoted, remedy
from manypath.scenario.applications import Application, Saturated
from manypath.scenario.model import Model, Size, Span
from manypath.scenario.names import CongestionControl, no_path_twice, one_weight_each
from manypath.scenario.ranges import Start, in_order


class Rto(Model):
    """Limits of the retransmission timeout, which is SRTT + 4 RTTVAR. RFC 9260 sections 6.3.1 and 16.

    If the round-trip time of a path is longer than `min` minus the receiver's `sack_delay` (0.8 s with the defaults),
    the path may time out without a loss, because the timeout may be too short for a delayed SACK. With a `granularity`
    of at least a quarter of `sack_delay` (50 ms by default), a delayed SACK arrives before the timeout.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Sctp(paths=["south"], rto=mp.Rto(initial="1 s", min="200 ms")).rto
    Rto(initial='1 s', min='200 ms', max='60 s', granularity='1 ms')
    """

    initial: Span = Field(default="3 s", gt=0)
    """Timeout before the first RTT sample."""
    min: Span = Field(default="1 s", gt=0)
    """Smallest timeout."""
    max: Span = Field(default="60 s", gt=0)
    """Largest timeout."""
    granularity: Span = Field(default="1 ms", le=1_000_000_000)
    """Clock granularity G: RTTVAR is not smaller; 1 s at most. FreeBSD has 1 ms, Linux 1 to 10 ms. RFC 9260 section
    6.3.1 rule G1"""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        in_order(self, "min", "initial", "max")
        return self


class Sctp(Model):
    """An SCTP association; over several paths it is CMT-SCTP.

    The defaults are the settings of [D11]'s authors, except for `rtt_sample`.

    Examples
    --------
    >>> import manypath as mp
    >>> link = mp.Link(rate="5 Mbit/s", delay="10 ms")
    >>> flows = {"cmt": mp.Sctp(paths=["south", "north"], cc="cmt-rpv2"), "single": mp.Sctp.standard("south")}
    >>> network = mp.disjoint(south=link, north=link)
    >>> mp.run(mp.Scenario(network=network, flows=flows, measure="5 s")).goodput.round(1).to_dict()
    {'cmt': 4.9, 'single': 4.6}
    """

    transport: Literal["sctp"] = "sctp"
    """Name of the protocol."""
    paths: tuple[str, ...] = Field(min_length=1)
    """Paths by name; the first is the primary one."""
    concurrent: bool = True
    """Send new data on all paths at once (CMT); if false, only on the primary path while it works."""
    cc: CongestionControl = "newreno"
    """Congestion control, as ``manypath list`` shows them."""
    profile: str = "inet"
    """Units, rounding and limits of the congestion control, as ``manypath list`` shows them."""
    mtu: Size = Field(default="1500 B", ge=576, le=65_535)
    """Largest IP packet."""
    udp_encapsulation: bool = False
    """Use UDP encapsulation, whose header takes 8 bytes per packet. RFC 6951"""
    streams: int = Field(default=1, ge=1, le=65_535)
    """Streams in each direction."""
    send_buffer: Size = Field(default="1 MB", gt=0)
    """Size of the send buffer: waiting and outstanding user data."""
    receive_buffer: Size = Field(default="500 kB", gt=0)
    """Size of the receive buffer: user data that waits for the application."""
    nr_sack: bool = True
    """Acknowledge data non-renegably (NR-SACK)."""
    never_renege: bool = True
    """With NR-SACK, report all arrived data as non-renegable; if false, only messages that the application can read."""
    packet_drop_reports: bool = False
    """Report damaged packets, which are then retransmitted without a reduction of the window."""
    buffer_split: Literal["none", "sender", "receiver", "both"] = "both"
    """The buffers that are divided among the paths that may send new data."""
    split_by: Literal["outstanding", "buffered"] = "outstanding"
    """What counts against a path's share of a divided buffer."""
    rescheduling: Literal["none", "threshold", "inet"] = "none"
    """Whether a path may retransmit the chunk of another path that blocks its buffer, and how that path's window
    reacts."""
    path_blocking: Literal["none", "rto", "rto-times-paths"] = "none"
    """Whether a path pauses if a loss would reduce its window below one packet, and for how long."""
    cuc: Literal["none", "v1", "v2"] = "v2"
    """Which acknowledgements let the window of a path grow (cwnd update for CMT)."""
    sfr: bool = True
    """Count a chunk as missing only if a later chunk of its own path is acknowledged (split fast retransmit)."""
    dac: bool = True
    """Delay SACKs also if there are gaps, and report the number of packets (delayed acknowledgement for CMT)."""
    path_fast_recovery: bool = True
    """Fast Recovery per path; if false, all paths share one Fast Recovery."""
    smart_fast_rtx: bool = True
    """Chunks that a timeout moved to another path do not indicate losses on that path."""
    sack_path: Literal["first-data", "last-data", "primary", "round-robin", "smallest-srtt"] = "smallest-srtt"
    """The path of a SACK."""
    sack_immediately: bool = True
    """Request an immediate SACK with the last packet that fits into a window."""
    sack_immediately_at: Literal["congestion", "any"] = "congestion"
    """The window whose last packet requests the SACK: the congestion window only, or also the peer's receive window
    (RFC 7053)."""
    sack_every: int = Field(default=2, ge=1, le=255)
    """Number of DATA packets per SACK."""
    sack_delay: Span = Field(default="200 ms", le=500_000_000)
    """Largest delay of a SACK, at most 500 ms. RFC 9260 section 6.2"""
    burst: Literal["none", "max-burst", "use-it-or-lose-it"] = "use-it-or-lose-it"
    """The limit of bursts on a path."""
    max_burst: int = Field(default=4, ge=1, le=65_535)
    """Packets in one burst."""
    pacing: bool = False
    """Pace the packets of each path over its round trip, in place of `burst` once the path has an RTT sample."""
    send_order: Literal["address", "round-robin", "smallest-last-transmission", "largest-space", "largest-ssthresh"] = (
        "smallest-last-transmission"
    )
    """The order in which paths may send."""
    t3_reset: Literal["rfc9260", "smart"] = "smart"
    """The events that restart the retransmission timer of a path."""
    t3_path: Literal["same", "next", "largest-window", "largest-ssthresh"] = "next"
    """The path of retransmissions after a timeout."""
    nagle: bool = True
    """Hold packets that are not full while data is outstanding (Nagle's algorithm)."""
    peer_window_threshold: Size = Field(default="3000 B", ge=0, le=4_294_967_295)
    """The peer's receive window counts as full below this size."""
    window_probe: Literal["association", "path"] = "path"
    """Which paths may send one chunk into a full receive window of the peer: any path of an idle association, or
    each idle path."""
    window_overrun: Literal["never", "packet", "wraps"] = "never"
    """Whether new data may exceed the peer's receive window: never, by one packet, or as with INET's unsigned
    counter."""
    rtt_sample: Literal["any-sack", "same-path"] = "any-sack"
    """What gives round-trip times of a path: any SACK (RFC 9260 section 6.3.1), or only SACKs on the path of the
    acknowledged data, as in INET: a path whose data is first acknowledged on a faster path then has samples from
    heartbeats only."""
    rto: Rto = Rto()
    """Limits of the retransmission timeout."""
    heartbeat_interval: Span = Field(default="30 s", gt=0)
    """Interval between heartbeats of an idle path, to which one RTO is added."""
    path_max_retransmissions: int = Field(default=5, ge=0, le=65_535)
    """A path fails when its number of consecutive errors exceeds this."""
    potentially_failed_after: int | None = Field(default=None, ge=0, le=65_535)
    """A path becomes potentially failed when its number of consecutive errors exceeds this (PFMR). Disabled by
    default, and if not below `path_max_retransmissions`. RFC 7829 §3.2"""
    association_max_retransmissions: int = Field(default=10, ge=0, le=65_535)
    """The peer counts as unreachable when the number of consecutive errors exceeds this."""
    app: Application = Saturated()
    """The application."""
    start: Start = Start()
    """Start time of the flow."""

    @classmethod
    def standard(cls, path: str, **settings: object) -> Self:
        """Return standard SCTP on one path, with the mechanisms of CMT disabled and further `settings`.

        Without DAC, packets after a gap are acknowledged at once (RFC 9260 section 6.7). INET calls this flow `off`.

        Examples
        --------
        >>> import manypath as mp
        >>> flow = mp.Sctp.standard("south", cc="cubic")
        >>> flow.paths, flow.cuc, flow.sfr, flow.dac
        (('south',), 'none', False, False)
        """
        return cls(**{**STANDARD, **settings, "paths": (text("path", path, "the name of a path"),)})

    _no_path_twice = field_validator("paths")(no_path_twice)
    _one_weight_each = field_validator("cc")(one_weight_each)

    @field_validator("profile")
    @classmethod
    def _profile_exists(cls, name: str) -> str:
        known = [entry for entry, _ in _native.profiles()]
        if name not in known:
            raise ValueError(f"{quoted(name)} is no accounting profile: {remedy(name, known)}")
        return name


STANDARD = {"cuc": "none", "sfr": False, "dac": False, "path_fast_recovery": False, "smart_fast_rtx": False}
"""Settings that disable the mechanisms of CMT and its successors."""
