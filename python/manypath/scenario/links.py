"""A link: one direction of a wire, with its queue, its loss and what happens to it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_serializer, model_validator

from manypath.scenario.losses import Loss, NoLoss
from manypath.scenario.model import Model, Rate, Size, Span
from manypath.scenario.queues import DropTail, Queue


class Event(Model):
    """Something that happens to a link at an instant: ``Event(at="30 s", rate="5 Mbit/s")``; one change each."""

    at: Span
    """When, counted from when the run begins: ``"30 s"``."""
    change: Literal["down", "up"] | None = None
    """Down: what waits is lost and what arrives is dropped. Up: all is well again."""
    rate: Rate | None = Field(default=None, gt=0)
    """The new rate."""
    delay: Span | None = None
    """The new propagation delay."""
    loss: Loss | None = None
    """The new loss model; ``0.01`` and ``"1 %"`` are the probability that a packet is lost, independently of others."""

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, fields: Any) -> Any:
        """Read the document's own form too, ``{"at": ..., "change": {"rate": ...}}``."""
        if isinstance(fields, Mapping) and isinstance(fields.get("change"), Mapping):
            return {"at": fields.get("at"), **fields["change"]}
        return fields

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
    """Speed of the transmitter: ``"10 Mbit/s"``."""
    delay: Span = "0 s"
    """Propagation delay: ``"1 ms"``."""
    jitter: Span = "0 s"
    """Each packet takes up to so much longer, uniformly, and none overtakes another."""
    queue: Queue = DropTail(packets=100)
    """Where packets wait for the transmitter."""
    loss: Loss = NoLoss()
    """What is lost on the way; ``0.01`` and ``"1 %"`` are the probability of each packet, independently of others."""
    overhead: Size = Field(default="7 B", le=65_535)
    """Framing on the wire for each packet; PPP has 7."""
    events: tuple[Event, ...] = ()
    """What happens to the link, in the order of time."""

    @field_validator("events")
    @classmethod
    def _in_order(cls, events: tuple[Event, ...]) -> tuple[Event, ...]:
        if any(later.at < earlier.at for earlier, later in pairwise(events)):
            raise ValueError("are not in the order of time: sort them by `at`")
        return events
