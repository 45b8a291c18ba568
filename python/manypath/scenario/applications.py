"""Applications, which make the data of flows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manypath.scenario.model import Model, Rate, Size, Span
from manypath.scenario.ranges import Sizes


class Saturated(Model):
    """An application that always has something to send.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Sctp(paths=["south"], app=mp.Saturated(message="1 kB", ordered=True)).app
    Saturated(kind='saturated', message=Sizes(min='1 kB', max='1 kB'), ordered=True)
    """

    kind: Literal["saturated"] = "saturated"
    """Name of the application."""
    message: Sizes = Sizes(min="500 B", max="1452 B")
    """Sizes of its messages."""
    ordered: bool = False
    """Whether messages are delivered in the order of their stream."""


class Transfer(Model):
    """An application that sends data of a given size as fast as possible, and closes the association afterwards.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> flow = mp.Tcp(path="south", app=mp.Transfer(size="1 MB"), start="0 s")
    >>> result = mp.run(mp.Scenario(network=network, flows={"file": flow}, warmup="0 s", measure="5 s"))
    >>> result.flows["closed_at"].round(2).to_dict()  # s
    {'file': 2.22}
    """

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

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> flow = mp.Sctp(paths=["south"], app=mp.Cbr(rate="1 Mbit/s", message="1 kB"))
    >>> result = mp.run(mp.Scenario(network=network, flows={"video": flow}, warmup="1 s", measure="4 s"))
    >>> result.goodput.to_dict()  # Mbit/s
    {'video': 1.0}
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
    """An application that alternates between a constant bit rate and pauses, both of exponential duration.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Sctp(paths=["south"], app=mp.OnOff(rate="1 Mbit/s", on="1 s", off="4 s")).app
    OnOff(kind='on-off', rate='1 Mbit/s', on='1 s', off='4 s', message=Sizes(min='500 B', max='1452 B'), ordered=False)
    """

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
