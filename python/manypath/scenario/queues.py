"""Queue disciplines: what waits before a link, and what is dropped there."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from manypath.scenario.model import Model, Size


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


Queue = Annotated[DropTail | Red, Field(discriminator="kind")]
"""Any queue discipline."""
