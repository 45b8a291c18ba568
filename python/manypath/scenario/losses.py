"""Loss models: packets that a link takes away or damages on their way."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manypath.scenario.model import Model, Size


class NoLoss(Model):
    """Every packet arrives."""

    kind: Literal["none"] = "none"
    """Name of the model."""


class Bernoulli(Model):
    """Every packet is lost with the same probability, independently."""

    kind: Literal["bernoulli"] = "bernoulli"
    """Name of the model."""
    p: float = Field(ge=0, le=1)
    """Probability that a packet is lost."""


class BitError(Model):
    """Every bit is wrong with the same probability; a damaged packet arrives, and its receiver finds it damaged."""

    kind: Literal["bit-error"] = "bit-error"
    """Name of the model."""
    rate: float = Field(ge=0, le=1)
    """Probability that a bit is wrong, such as 5e-6: 5.82 % of the packets of 1500 bytes."""
    spared: Size = Field(default=0, le=65_535)
    """Bytes at the front of a packet that stay intact, so that its receiver can tell what it was."""


class GilbertElliott(Model):
    """Losses come in bursts: a good and a bad state that follow each other packet by packet, with losses in each.

    In the long run ``to_bad / (to_bad + to_good)`` of the packets meet the bad state, ``1 / to_good`` in a row.
    """

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    """Name of the model."""
    to_bad: float = Field(ge=0, le=1)
    """Probability that a packet in the good state is followed by one in the bad state."""
    to_good: float = Field(ge=0, le=1)
    """Probability that a packet in the bad state is followed by one in the good state."""
    loss_bad: float = Field(default=1, ge=0, le=1)
    """Probability that a packet is lost in the bad state."""
    loss_good: float = Field(default=0, ge=0, le=1)
    """Probability that a packet is lost in the good state."""


Loss = Annotated[NoLoss | Bernoulli | BitError | GilbertElliott, Field(discriminator="kind")]
"""Any loss model."""
