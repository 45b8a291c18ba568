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
        if self.packets is None and self.bytes is None:
            raise ValueError("has no limit: give packets = 100, or bytes")
        return self


class Red(Model):
    """Random early detection after Floyd and Jacobson (1993): drops before the queue is full."""

    kind: Literal["red"] = "red"
    """Name of the discipline."""


Queue = Annotated[DropTail | Red, Field(discriminator="kind")]
"""Any queue discipline."""
