"""Applications, which make the data of flows."""

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
    """An application that sends data of a given size as fast as possible, and closes the association afterwards."""

    kind: Literal["transfer"] = "transfer"
    """Name of the application."""
    size: Size = Field(gt=0)
    """User data; the application sends as many whole messages as fit into it."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


class Cbr(Model):
    """An application that sends messages at a constant bit rate, starting when the association is established.

    If the send buffer is full, messages wait in the application. Their latency includes this time.
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
    """An application that alternates between a constant bit rate and pauses, both of exponential duration."""

    kind: Literal["on-off"] = "on-off"
    """Name of the application."""
    rate: Rate = Field(gt=0)
    """Rate of the user data while active."""
    on: Span = Field(gt=0)
    """Mean duration of the active periods."""
    off: Span
    """Mean duration of the pauses."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


Application = Annotated[Saturated | Transfer | Cbr | OnOff, Field(discriminator="kind")]
"""Any application."""
