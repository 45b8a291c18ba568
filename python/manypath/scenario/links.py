"""A link: one direction of a wire, with its queue, its loss and what happens to it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_serializer, model_validator

from manypath.scenario.losses import Bernoulli, Loss, NoLoss
from manypath.scenario.model import Model, Rate, Size, Span
from manypath.scenario.queues import DropTail, Queue


class Event(Model):
    """Something that happens to a link at an instant: ``Event(at="30 s", rate="5 Mbit/s")``; one change each."""

    at: Span
    """When, in nanoseconds since the run began."""
    change: Literal["down", "up"] | None = None
    """Down: what waits is lost and what arrives is dropped. Up: all is well again."""
    rate: Rate | None = Field(default=None, gt=0)
    """The new rate in bit/s."""
    delay: Span | None = None
    """The new propagation delay in nanoseconds."""
    loss: Loss | None = None
    """The new loss model; a number is the probability that a packet is lost, independently of others."""

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, fields: Any) -> Any:
        """Read the document's own form too, ``{"at": ..., "change": {"rate": ...}}``."""
        if isinstance(fields, Mapping) and isinstance(fields.get("change"), Mapping):
            return {"at": fields.get("at"), **fields["change"]}
        return fields

    @field_validator("loss", mode="before", json_schema_input_type=float | Loss | None)
    @classmethod
    def _probability(cls, loss: Any) -> Any:
        """Read a number as independent losses."""
        return Bernoulli.model_validate({"p": loss}) if isinstance(loss, int | float) else loss

    @model_validator(mode="after")
    def _one_change(self) -> Self:
        if sum(value is not None for value in (self.change, self.rate, self.delay, self.loss)) != 1:
            raise ValueError('needs one change: give one of change = "down", change = "up", rate, delay, loss')
        return self

    @model_serializer
    def _document(self) -> dict[str, Any]:
        numbers = {"rate": self.rate, "delay": self.delay, "loss": self.loss}
        return {"at": self.at, "change": self.change or {k: v for k, v in numbers.items() if v is not None}}


class Link(Model):
    """One direction of a wire: queue, then transmitter, then propagation, then loss."""

    rate: Rate = Field(gt=0)
    """Speed of the transmitter in bit/s: ``"10 Mbit/s"``."""
    delay: Span = 0
    """Propagation delay in nanoseconds: ``"1 ms"``."""
    jitter: Span = 0
    """Each packet takes up to so many nanoseconds longer, uniformly, and none overtakes another."""
    queue: Queue = DropTail(packets=100)
    """Where packets wait for the transmitter."""
    loss: Loss = NoLoss()
    """What is lost on the way."""
    overhead: Size = Field(default=7, le=65_535)
    """Framing bytes on the wire for each packet; PPP has 7."""
    events: tuple[Event, ...] = ()
    """What happens to the link, in the order of time."""

    @field_validator("events")
    @classmethod
    def _in_order(cls, events: tuple[Event, ...]) -> tuple[Event, ...]:
        if any(later.at < earlier.at for earlier, later in pairwise(events)):
            raise ValueError("are not in the order of time: sort them by `at`")
        return events
