"""Queue disciplines of links."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from manypath.scenario.model import Model, Size, Span

MOST_PACKETS = 2**32 - 1
"""Largest limit of a queue, packets."""


class DropTail(Model):
    """First in, first out; packets that arrive at a full queue are dropped.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", queue=mp.DropTail(bytes="64 kB")).queue
    DropTail(kind='drop-tail', packets=None, bytes='64 kB')
    """

    kind: Literal["drop-tail"] = "drop-tail"
    """Name of the discipline."""
    packets: int | None = Field(default=None, gt=0, le=MOST_PACKETS)
    """Largest number of queued packets, without the packet in transmission."""
    bytes: Size | None = Field(default=None, gt=0)
    """Largest number of queued bytes, without the packet in transmission."""

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if (self.packets is None) == (self.bytes is None):
            raise ValueError("needs exactly one limit: give packets, such as 100, or bytes")
        return self


class Red(Model):
    """Random early detection by Floyd and Jacobson (1993): drops at random before the queue is full.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", queue=mp.Red(min=10, max=30, packets=60)).queue
    Red(kind='red', weight=0.002, min=10.0, max=30.0, max_p=0.1, gentle=False, packets=60, bytes=None, packet_rate=None)
    """

    kind: Literal["red"] = "red"
    """Name of the discipline."""
    weight: float = Field(default=0.002, gt=0, le=1)
    """Weight of one sample in the moving average of the queue length."""
    min: float = Field(default=30, ge=0)
    """Average queue length above which packets are dropped at random, packets."""
    max: float = Field(default=90, gt=0)
    """Average queue length above which every packet is dropped, or with `gentle`, above which the slope is steeper,
    packets."""
    max_p: float = Field(default=0.1, ge=0, le=1)
    """Drop probability at `max`; it increases linearly from 0 at `min`."""
    gentle: bool = False
    """Whether the drop probability rises from `max_p` at `max` to 1 at twice `max`; if false, it is 1 from `max`."""
    packets: int | None = Field(default=None, gt=0, le=MOST_PACKETS)
    """Largest number of queued packets for any average; without any limit, the average at which all are dropped."""
    bytes: Size | None = Field(default=None, gt=0)
    """Largest number of queued bytes for any average."""
    packet_rate: float | None = Field(default=None, ge=0)
    """Packets per second by which the average decays while the queue is empty; by default the link's rate over 1500
    bytes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max <= self.min:
            raise ValueError(f"max {self.max:g} is not above min {self.min:g}: give a larger max")
        return self


class CoDel(Model):
    """Controlled delay (RFC 8289): drops at the head, increasingly often while the queueing delay is too high.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", queue=mp.CoDel(target="10 ms")).queue
    CoDel(kind='codel', target='10 ms', interval='100 ms', mtu='1.5 kB', packets=None, bytes=None)
    """

    kind: Literal["codel"] = "codel"
    """Name of the discipline."""
    target: Span = Field(default="5 ms", gt=0)
    """Acceptable standing queueing delay."""
    interval: Span = Field(default="100 ms", gt=0)
    """Time for which the smallest queueing delay must be above `target` before the first drop."""
    mtu: Size = Field(default="1500 B", gt=0)
    """Largest packet: no packet is dropped while at most this many bytes are queued."""
    packets: int | None = Field(default=None, gt=0, le=MOST_PACKETS)
    """Largest number of queued packets; 1000 without any limit."""
    bytes: Size | None = Field(default=None, gt=0)
    """Largest number of queued bytes."""


class Pie(Model):
    """PIE (RFC 8033): drops at random, with a probability that a controller adjusts to the queueing delay.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", queue=mp.Pie(target="20 ms", packets=200)).queue
    Pie(kind='pie', target='20 ms', update='15 ms', alpha=0.125, beta=1.25, burst='150 ms', packets=200, bytes=None)
    """

    kind: Literal["pie"] = "pie"
    """Name of the discipline."""
    target: Span = Field(default="15 ms", gt=0)
    """Target of the queueing delay."""
    update: Span = Field(default="15 ms", ge=1000)
    """Interval of updates of the drop probability."""
    alpha: float = Field(default=0.125, ge=0)
    """Gain for the deviation of the delay from the target, per second."""
    beta: float = Field(default=1.25, ge=0)
    """Gain for the growth of the delay since the previous update, per second."""
    burst: Span = "150 ms"
    """Time without drops after a period without congestion."""
    packets: int | None = Field(default=None, gt=0, le=MOST_PACKETS)
    """Largest number of queued packets; 1000 without any limit."""
    bytes: Size | None = Field(default=None, gt=0)
    """Largest number of queued bytes."""


class FqCoDel(Model):
    """FQ-CoDel (RFC 8290): round robin between flows, with priority for new flows, and CoDel for each flow.

    Examples
    --------
    >>> import manypath as mp
    >>> queue = mp.Link(rate="5 Mbit/s", queue=mp.FqCoDel(buckets=16)).queue
    >>> queue.buckets, queue.target, queue.quantum  # ns, bytes
    (16, 5000000, 1514)
    """

    kind: Literal["fq-codel"] = "fq-codel"
    """Name of the discipline."""
    target: Span = Field(default="5 ms", gt=0)
    """Acceptable standing queueing delay of a flow."""
    interval: Span = Field(default="100 ms", gt=0)
    """Time for which the smallest queueing delay of a flow must be above `target` before the first drop."""
    mtu: Size = Field(default="1500 B", gt=0)
    """Largest packet: CoDel drops no packet of a flow while at most this many of its bytes are queued."""
    quantum: Size = Field(default="1514 B", gt=0)
    """Bytes that a flow may send in one round."""
    buckets: int = Field(default=1024, gt=0, le=65_536)
    """Number of queues, to which flows are assigned by a hash; two flows may share one."""
    packets: int | None = Field(default=None, gt=0, le=MOST_PACKETS)
    """Packets that may wait at most; 10240 without any limit."""
    bytes: Size | None = Field(default=None, gt=0)
    """Largest number of queued bytes."""


Queue = Annotated[DropTail | Red | CoDel | Pie | FqCoDel, Field(discriminator="kind")]
"""Any queue discipline."""
