"""Flows over TCP and Multipath TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic_core import CoreSchema

from manypath.errors import quoted
from manypath.scenario.applications import Application, Saturated
from manypath.scenario.model import Model, Size, Span, wrong_keys
from manypath.scenario.names import CongestionControl, Scheduler, no_path_twice, one_weight_each
from manypath.scenario.ranges import Start, in_order


class TcpRto(Model):
    """Computation and limits of the retransmission timeout.

    Both rules smooth the round-trip times to SRTT and their deviations to RTTVAR (RFC 6298 section 2) and take one
    sample for each acknowledgement.

    `rule="linux"`: the timeout is SRTT plus a margin. The margin is at least `min`. It rises at once to 4 RTTVAR if
    that is larger. At the end of a round in which 4 RTTVAR stayed smaller, it falls by a quarter of the difference. A
    constant round-trip time of any length causes no timeouts.

    `rule="rfc6298"`: the timeout is SRTT + 4 RTTVAR, and at least `min`. If the round-trip time is longer than `min`
    and almost constant, the timeout is only slightly longer than the round-trip time, and timeouts may be spurious.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Tcp(path="south", rto=mp.TcpRto(min="1 s", rule="rfc6298")).rto
    TcpRto(initial='1 s', min='1 s', max='120 s', rule='rfc6298')
    """

    initial: Span = Field(default="1 s", gt=0)
    """Timeout before the first RTT sample."""
    min: Span = Field(default="200 ms", gt=0)
    """Smallest margin beyond SRTT (rule linux), or smallest timeout (rule rfc6298). Common hosts have 200 ms."""
    max: Span = Field(default="120 s", gt=0)
    """Largest timeout."""
    rule: Literal["linux", "rfc6298"] = "linux"
    """The rule that computes the timeout from RTT samples."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        in_order(self, "min", "initial", "max")
        return self


class Connection(Model):
    """The common settings of TCP and Multipath TCP.

    TCP always delivers data in order; the `ordered` setting of the application has no effect.
    """

    paths: tuple[str, ...] = Field(min_length=1)
    """Paths by name; the connection opens on the first."""
    cc: CongestionControl
    """Congestion control, as ``manypath list`` shows them."""
    mss: Size = Field(default="1460 B", ge=88, le=65_495)
    """Largest size after the TCP header in a segment, options included. RFC 9293 section 3.7.1"""
    initial_window: int = Field(default=10, ge=1, le=65_535)
    """Initial congestion window of each path in segments. RFC 6928"""
    initial_threshold: int | None = Field(default=None, ge=1, le=65_535)
    """Initial slow-start threshold of each path in segments. None: slow start continues until the first loss.
    RFC 5681 section 3.1"""
    smallest_window: int = Field(default=2, ge=1, le=65_535)
    """Smallest slow-start threshold, and smallest window after a fast retransmission, in segments; not more than
    `initial_window`, but 2 always passes. RFC 5681 section 3.1. With several paths `olia` keeps its minimum of 1."""
    sack: bool = True
    """Use selective acknowledgements. RFC 2018"""
    recovery: Literal["newreno", "reno"] = "newreno"
    """Fast recovery without selective acknowledgements: each partial acknowledgement shows the next loss (RFC 6582),
    or the first new acknowledgement ends it, and further losses of a flight wait for the timer
    (RFC 5681 section 3.2)."""
    ack_every: int = Field(default=2, ge=1, le=2)
    """Number of full segments per acknowledgement: 2 delays acknowledgements, 1 does not. RFC 5681 section 4.2"""
    ack_delay: Span = Field(default="40 ms", le=500_000_000)
    """Largest delay of an acknowledgement, at most 500 ms. RFC 5681 section 4.2"""
    limited_transmit: bool = True
    """Send new data on the first two duplicate acknowledgements. RFC 3042"""
    send_buffer: Size = Field(default="1 MB", gt=0)
    """Size of the send buffer for all paths: waiting and outstanding user data."""
    receive_buffer: Size = Field(default="1 MB", gt=0, le=1_073_741_824)
    """Size of the receive buffer for all paths: user data that waits for the application."""
    rto: TcpRto = TcpRto()
    """Computation and limits of the retransmission timeout."""
    option_bytes: Size = Field(default="0 B", ge=0, le=40, multiple_of=4)
    """Size of the options in every segment, except selective acknowledgements; they count in the MSS. A pure
    acknowledgement that reports gaps leaves room for one SACK block."""
    abc_limit: int = Field(default=2, ge=1, le=65_535)
    """Largest number of segments by which an acknowledgement opens the window in slow start. RFC 3465 section 2.3"""
    app: Application = Saturated()
    """The application."""
    start: Start = Start()
    """Start time of the flow."""

    _no_path_twice = field_validator("paths")(no_path_twice)
    _one_weight_each = field_validator("cc")(one_weight_each)

    @model_validator(mode="after")
    def _windows_fit(self) -> Self:
        """Compare the windows in segments, as the engine does."""
        smallest, threshold = self.smallest_window, self.initial_threshold
        if smallest > max(self.initial_window, 2):
            raise ValueError(
                f"smallest_window: {smallest} segments is more than initial_window, {self.initial_window}: "
                f"give {max(self.initial_window, 2)} or less, or a larger initial_window"
            )
        if threshold is not None and threshold < smallest:
            raise ValueError(
                f"initial_threshold: {threshold} segments is less than smallest_window, {smallest}: "
                f"give {smallest} or more"
            )
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema, which requires `transport`, because the default is SCTP."""
        schema = super().__get_pydantic_json_schema__(core, handler)
        table = handler.resolve_ref_schema(schema)
        table["required"] = ["transport", *table["required"]]
        return schema


class Tcp(Connection):
    """A TCP connection over one path: ``Tcp(path="south")``. The defaults are common on hosts, without options.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> flows = {"reno": mp.Tcp(path="south"), "cubic": mp.Tcp(path="south", cc="cubic")}
    >>> mp.run(mp.Scenario(network=network, flows=flows, measure="5 s")).goodput.round(1).to_dict()
    {'reno': 2.4, 'cubic': 2.5}
    """

    transport: Literal["tcp"] = "tcp"
    """Name of the protocol."""
    cc: CongestionControl = "newreno"
    """Congestion control, as ``manypath list`` shows them."""

    _short_forms = ("path",)

    if TYPE_CHECKING:

        def __init__(self, *, path: str = ..., paths: Sequence[str] = ..., **settings: Any) -> None: ...

    def but(self, **changes: Any) -> Self:
        """Return a validated copy with some fields changed: ``flow.but(path="north")``."""
        if "path" in changes:
            changes["paths"] = (changes.pop("path"),)
        return super().but(**changes)

    @model_validator(mode="before")
    @classmethod
    def _one_path(cls, fields: Any) -> Any:
        """Read ``path="south"`` as the only element of `paths`."""
        if isinstance(fields, Mapping) and "path" in fields:
            if "paths" in fields:
                raise ValueError("path and paths are both given: leave one of them out")
            if not isinstance(fields["path"], str):
                said = f"{quoted(fields['path'])} is no name of a path: write one name, or use Mptcp for several paths"
                raise wrong_keys({"path": said})
            others = {name: value for name, value in fields.items() if name != "path"}
            return {**others, "paths": (fields["path"],)}
        return fields

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema, in which `path` is an alternative to `paths`."""
        schema = super().__get_pydantic_json_schema__(core, handler)
        table = handler.resolve_ref_schema(schema)
        table["properties"]["path"] = {"type": "string", "description": "The only path by name."}
        table["required"].remove("paths")
        table["oneOf"] = [{"required": ["path"]}, {"required": ["paths"]}]
        return schema

    @field_validator("paths")
    @classmethod
    def _only_one(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        if len(paths) > 1:
            raise ValueError(f"{len(paths)} paths are too many for TCP: give one, or use Mptcp")
        return paths


class Mptcp(Connection):
    """A Multipath TCP connection with a subflow on each path. RFC 8684.

    It opens no further subflow on a path whose subflow has ended: after 127 s without an answer to its SYN, or after 15
    timeouts in a row. ``result.paths["path_state"]`` tells which paths are open at the end of a run.

    Examples
    --------
    >>> import manypath as mp
    >>> link = mp.Link(rate="5 Mbit/s", delay="10 ms")
    >>> flows = {"mptcp": mp.Mptcp(paths=["south", "north"], cc="olia"), "tcp": mp.Tcp(path="south")}
    >>> network = mp.disjoint(south=link, north=link)
    >>> mp.run(mp.Scenario(network=network, flows=flows, measure="5 s")).goodput.round(1).to_dict()
    {'mptcp': 5.0, 'tcp': 4.6}
    """

    transport: Literal["mptcp"] = "mptcp"
    """Name of the protocol."""
    cc: CongestionControl = "lia"
    """Congestion control, as ``manypath list`` shows them."""
    scheduler: Scheduler = "lowest-rtt"
    """The path of the next data, as ``manypath list schedulers`` shows them. It matters while paths have free windows:
    if an application always has more data and the buffers have room, every path sends as much as its window allows."""
    opportunistic_retransmission: bool = False
    """Opportunistic retransmission: resend the data that blocks the receive window on another path. [R12]"""
    penalisation: bool = False
    """Penalisation: halve the window of the path whose data blocks the receive window. [R12]"""
    option_bytes: Size = Field(default="20 B", ge=0, le=40, multiple_of=4)
    """Size of the options in every segment, except selective acknowledgements: the mapping of its data. They count
    in the MSS. A pure acknowledgement that reports gaps leaves room for one SACK block."""
