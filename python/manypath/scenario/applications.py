"""Applications: what a flow carries."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manypath.scenario.model import Model, Rate, Size, Span
from manypath.scenario.ranges import Sizes


class Saturated(Model):
    """An application that always has something to send."""

    kind: Literal["saturated"] = "saturated"
    """Name of the application."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


class Transfer(Model):
    """An application that sends so much as fast as it can, and closes the association when all of it has arrived."""

    kind: Literal["transfer"] = "transfer"
    """Name of the application."""
    size: Size = Field(gt=0)
    """User data; as many whole messages are sent as fit into it."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


class Cbr(Model):
    """An application that sends messages at a constant bit rate, from the instant at which the association stands.

    A message that finds no room in the send buffer waits in the application; its latency counts from when it was due.
    """

    kind: Literal["cbr"] = "cbr"
    """Name of the application."""
    rate: Rate = Field(gt=0)
    """Rate of the user data."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


class OnOff(Model):
    """An application that sends at a constant bit rate while active, and pauses; both periods are exponential."""

    kind: Literal["on-off"] = "on-off"
    """Name of the application."""
    rate: Rate = Field(gt=0)
    """Rate of the user data while active."""
    on: Span = Field(gt=0)
    """Mean of the active periods."""
    off: Span
    """Mean of the pauses."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


Application = Annotated[Saturated | Transfer | Cbr | OnOff, Field(discriminator="kind")]
"""What an application sends."""
