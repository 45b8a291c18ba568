"""A link: one direction of a wire, with its queue, loss model and events."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal, Self

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticUndefined

from manypath.errors import quoted
from manypath.quantity import RATE, SIZE
from manypath.scenario import traces
from manypath.scenario.losses import Loss, NoLoss
from manypath.scenario.model import Model, Rate, Size, Span
from manypath.scenario.queues import DropTail, Queue


class Event(Model):
    """A change of a link at a time: ``Event(at="30 s", rate="5 Mbit/s")``. Each event has exactly one change.

    Examples
    --------
    >>> import manypath as mp
    >>> outage = [mp.Event(at="30 s", change="down"), mp.Event(at="40 s", change="up")]
    >>> link = mp.Link(rate="5 Mbit/s", events=outage)
    >>> [(event.at, event.change) for event in link.events]  # ns
    [(30000000000, 'down'), (40000000000, 'up')]
    """

    at: Span
    """Time of the change since the start of the run: ``"30 s"``."""
    change: Literal["down", "up"] | None = None
    """Down: queued packets are lost and arriving packets are dropped. Up: the link works again."""
    rate: Rate | None = Field(default=None, gt=0)
    """The new rate."""
    delay: Span | None = None
    """The new propagation delay."""
    loss: Loss | None = None
    """The new loss model; ``0.01`` and ``"1 %"`` are the probability of independent losses."""

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, fields: Any) -> Any:
        """Also read the form of documents, ``{"at": ..., "change": {"rate": ...}}``."""
        if isinstance(fields, Mapping) and isinstance(fields.get("change"), Mapping):
            return {"at": fields.get("at"), **fields["change"]}
        return fields

    @model_validator(mode="after")
    def _one_change(self) -> Self:
        if sum(value is not None for value in (self.change, self.rate, self.delay, self.loss)) != 1:
            raise ValueError('needs exactly one change: give one of change = "down", change = "up", rate, delay, loss')
        return self

    @model_serializer
    def _document(self) -> dict[str, Any]:
        numbers = {"rate": self.rate, "delay": self.delay, "loss": self.loss}
        return {"at": self.at, "change": self.change or {k: v for k, v in numbers.items() if v is not None}}


class Link(Model):
    """One direction of a wire. A packet passes its queue, transmitter, propagation delay and loss model, in this order.

    A link has a rate, or a trace of the times at which packets leave.

    Examples
    --------
    >>> import manypath as mp
    >>> link = mp.Link(rate="10 Mbit/s", delay="20 ms", queue=mp.DropTail(packets=50), loss="1 %")
    >>> link.rate, link.delay, link.loss.p  # bit/s, ns
    (10000000, 20000000, 0.01)
    >>> mp.Link(trace=[1], delay="20 ms").rate  # a packet of 1500 bytes and its framing in each millisecond
    12056000
    """

    # Required for pydantic, but optional for type checkers, because a trace determines the rate.
    rate: Rate = Field(default=PydanticUndefined, gt=0)
    """Rate of the transmitter: ``"10 Mbit/s"``. With a trace it must be left out; it is then the mean rate of the
    trace, framing included."""
    delay: Span = "0 s"
    """Propagation delay: ``"1 ms"``."""
    jitter: Span = "0 s"
    """Largest additional delay of a packet, uniformly distributed; packets are not reordered."""
    queue: Queue = DropTail(packets=100)
    """Queue before the transmitter."""
    loss: Loss = NoLoss()
    """Loss model; ``0.01`` and ``"1 %"`` are the probability of independent losses."""
    overhead: Size = Field(default="7 B", le=65_535)
    """Framing of each packet on the wire; PPP has 7 bytes."""
    events: tuple[Event, ...] = ()
    """Changes of the link, ordered by time."""
    trace: str | None = None
    """Recorded times at which packets leave a real link: a file in Mahimahi's format, or a list of milliseconds.

    Each line of the file is a millisecond at which a packet of 1500 bytes may leave (an opportunity), in ascending
    order; two lines with the same millisecond are two packets. After the last line the trace repeats. Smaller packets
    share an opportunity, larger ones need several; framing counts. Unused opportunities are lost. A relative name is
    relative to the folder of the scenario file, or else to the working directory. The link stores the content as gaps:
    ``"5 0*2 20"``."""

    def but(self, **changes: Any) -> Self:
        """Return a validated copy with some fields changed; a trace determines the rate.

        Examples
        --------
        >>> import manypath as mp
        >>> link = mp.Link(rate="10 Mbit/s", delay="20 ms")
        >>> slow = link.but(rate="1 Mbit/s")
        >>> slow.rate, slow.delay  # bit/s, ns
        (1000000, 20000000)
        """
        follows = changes.get("trace", self.trace) is not None
        kept = {name: getattr(self, name) for name in type(self).model_fields if not (follows and name == "rate")}
        return type(self)(**{**kept, **changes})

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema, which requires a rate or a trace."""
        schema = super().__get_pydantic_json_schema__(core, handler)
        table = handler.resolve_ref_schema(schema)
        table["anyOf"] = [{"required": table.pop("required")}, {"required": ["trace"]}]
        return schema

    @model_validator(mode="before")
    @classmethod
    def _rate_of_trace(cls, fields: Any) -> Any:
        """Set the rate of a link with a trace. An invalid trace gets a placeholder; another validator reports it."""
        if not isinstance(fields, Mapping) or fields.get("trace") is None or "rate" in fields:
            return fields
        try:
            text = traces.compact(fields["trace"])
            overhead = SIZE.parse(fields.get("overhead", cls.model_fields["overhead"].default))
            return {**fields, "rate": RATE.show(max(traces.mean_rate(text, overhead), 1)), "trace": text}
        except (ValueError, TypeError):
            return {**fields, "rate": "1 bit/s"}

    @field_validator("trace", mode="before", json_schema_input_type=str | list[int] | None)
    @classmethod
    def _compact(cls, trace: Any) -> Any:
        return traces.compact(trace)

    @field_validator("trace")
    @classmethod
    def _says_the_rate(cls, trace: str | None, info: ValidationInfo) -> str | None:
        if trace is None or not {"rate", "overhead", "events"} <= info.data.keys():
            return trace
        rate = traces.mean_rate(trace, info.data["overhead"])
        if rate == 0:
            raise ValueError(
                f"{quoted(trace)} has a mean rate below 1 bit/s: give more opportunities, or a shorter trace"
            )
        if info.data["rate"] != rate:
            raise ValueError("determines the rate, but the link also has a rate: leave one of them out")
        if any(event.rate is not None for event in info.data["events"]):
            raise ValueError("determines the rate, but an event changes the rate: leave one of them out")
        return trace

    @field_validator("events")
    @classmethod
    def _in_order(cls, events: tuple[Event, ...]) -> tuple[Event, ...]:
        if any(later.at < earlier.at for earlier, later in pairwise(events)):
            raise ValueError("are not ordered by time: sort them by `at`")
        return events
