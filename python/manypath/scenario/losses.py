"""Loss models: packets that a link damages on their way."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from manypath.scenario.model import Model


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


Loss = Annotated[NoLoss | Bernoulli, Field(discriminator="kind")]
"""Any loss model."""
