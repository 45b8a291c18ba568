"""Queue disciplines: what waits before a link, and what is dropped there."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from manypath.scenario.model import Model, Size, Span


class DropTail(Model):
    """First in, first out; the arriving packet is dropped when the queue is full."""

    kind: Literal["drop-tail"] = "drop-tail"
    """Name of the discipline."""
    packets: int | None = Field(default=None, gt=0)
    """Packets that may wait, not counting the one in transmission."""
    bytes: Size | None = Field(default=None, gt=0)
    """Bytes that may wait, not counting the packet in transmission."""

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if (self.packets is None) == (self.bytes is None):
            raise ValueError("needs one limit: give packets, such as 100, or bytes")
        return self


class Red(Model):
    """Random early detection after Floyd and Jacobson (1993): drops at random before the queue is full."""

    kind: Literal["red"] = "red"
    """Name of the discipline."""
    weight: float = Field(default=0.002, gt=0, le=1)
    """Weight of one sample in the moving average of the queue length."""
    min: float = Field(default=30, ge=0)
    """Average in packets from which packets are dropped at random."""
    max: float = Field(default=90, gt=0)
    """Average in packets from which every packet is dropped; with `gentle`, from which the slope is steeper."""
    max_p: float = Field(default=0.1, ge=0, le=1)
    """Drop probability that the slope from `min` reaches at `max`."""
    gentle: bool = False
    """Whether the drop probability goes on from `max_p` at `max` to 1 at twice `max`, instead of being 1 from there."""
    packets: int | None = Field(default=None, gt=0)
    """Packets that may wait at most, whatever the average; without any limit, the average at which all are dropped."""
    bytes: Size | None = Field(default=None, gt=0)
    """Bytes that may wait at most, whatever the average."""
    packet_rate: float | None = Field(default=None, ge=0)
    """Packets per second by which the average decays while nothing waits; without it the rate over 1500 bytes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max <= self.min:
            raise ValueError(f"max {self.max} is not above min {self.min}: give a larger max")
        return self


class CoDel(Model):
    """Controlled delay (RFC 8289): drops at the head, ever more often, while all packets wait too long."""

    kind: Literal["codel"] = "codel"
    """Name of the discipline."""
    target: Span = Field(default="5 ms", gt=0)
    """Time that packets may wait for long."""
    interval: Span = Field(default="100 ms", gt=0)
    """Time for which the shortest wait must be above `target` before the first drop."""
    mtu: Size = Field(default="1500 B", gt=0)
    """While no more bytes than these wait, nothing is dropped: the largest packet."""
    packets: int | None = Field(default=None, gt=0)
    """Packets that may wait at most; 1000 without any limit."""
    bytes: Size | None = Field(default=None, gt=0)
    """Bytes that may wait at most."""


class Pie(Model):
    """PIE (RFC 8033): drops at random, with a probability that a controller steers by the delay."""

    kind: Literal["pie"] = "pie"
    """Name of the discipline."""
    target: Span = Field(default="15 ms", gt=0)
    """Delay that the controller aims at."""
    update: Span = Field(default="15 ms", ge=1000)
    """Time from one update of the drop probability to the next."""
    alpha: float = Field(default=0.125, ge=0)
    """Gain for the deviation of the delay from the target, per second."""
    beta: float = Field(default=1.25, ge=0)
    """Gain for the growth of the delay since the update before, per second."""
    burst: Span = "150 ms"
    """Time for which nothing is dropped after a calm time."""
    packets: int | None = Field(default=None, gt=0)
    """Packets that may wait at most; 1000 without any limit."""
    bytes: Size | None = Field(default=None, gt=0)
    """Bytes that may wait at most."""


class FqCoDel(Model):
    """FQ-CoDel (RFC 8290): flows take turns, those that just began go first, and each has a CoDel of its own."""

    kind: Literal["fq-codel"] = "fq-codel"
    """Name of the discipline."""
    target: Span = Field(default="5 ms", gt=0)
    """Time that packets of a flow may wait for long."""
    interval: Span = Field(default="100 ms", gt=0)
    """Time for which the shortest wait of a flow must be above `target` before the first drop."""
    mtu: Size = Field(default="1500 B", gt=0)
    """While no more bytes of a flow than these wait, CoDel drops none of them: the largest packet."""
    quantum: Size = Field(default="1514 B", gt=0)
    """Bytes that a flow may send in its turn."""
    buckets: int = Field(default=1024, gt=0, le=65_536)
    """Queues to which flows are assigned by a hash; two flows may share one."""
    packets: int | None = Field(default=None, gt=0)
    """Packets that may wait at most; 10240 without any limit."""
    bytes: Size | None = Field(default=None, gt=0)
    """Bytes that may wait at most."""


Queue = Annotated[DropTail | Red | CoDel | Pie | FqCoDel, Field(discriminator="kind")]
"""Any queue discipline."""
