"""Loss models: packets that a link takes away or damages on their way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter

from manypath.errors import quoted
from manypath.quantity import number_of
from manypath.scenario.model import Model, Size


def _probability(value: Any) -> Any:
    """Read ``"1 %"`` as 0.01; a bare number is a part of 1."""
    match = PER_CENT.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        share = float(match["number"]) / 100
        if share > 1:
            raise ValueError(f'{quoted(value)} is too large for a probability: give "100 %" or less')
        return share
    if number_of(value) is None:
        raise ValueError(f'{quoted(value)} is no probability: write a part of 1 such as 0.01, or "1 %"')
    return value


PER_CENT = re.compile(r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*%\s*")
"""A number of per cent."""

if TYPE_CHECKING:
    # A checker sees what may be written: a part of 1, or a text in per cent.
    Probability = Any
else:
    _Part = Annotated[float, Field(ge=0, le=1)]
    _PerCent = Annotated[str, Field(pattern=f"^{PER_CENT.pattern.replace('?P<number>', '?:')}$")]

    Probability = Annotated[float, BeforeValidator(_probability, json_schema_input_type=_Part | _PerCent)]


class NoLoss(Model):
    """Every packet arrives."""

    kind: Literal["none"] = "none"
    """Name of the model."""


class Bernoulli(Model):
    """Every packet is lost with the same probability, independently."""

    kind: Literal["bernoulli"] = "bernoulli"
    """Name of the model."""
    p: Probability = Field(ge=0, le=1)
    """Probability that a packet is lost."""


class BitError(Model):
    """Every bit is wrong with the same probability; a damaged packet arrives, and its receiver finds it damaged."""

    kind: Literal["bit-error"] = "bit-error"
    """Name of the model."""
    rate: Probability = Field(ge=0, le=1)
    """Probability that a bit is wrong, such as 5e-6: 5.82 % of the packets of 1500 bytes."""
    spared: Size = Field(default="0 B", le=65_535)
    """Front of a packet that stays intact, such as ``"48 B"``, so that its receiver can tell what it was."""


class GilbertElliott(Model):
    """Losses come in bursts: a good and a bad state that follow each other packet by packet, with losses in each.

    In the long run ``to_bad / (to_bad + to_good)`` of the packets meet the bad state, ``1 / to_good`` in a row.
    """

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    """Name of the model."""
    to_bad: Probability = Field(ge=0, le=1)
    """Probability that a packet in the good state is followed by one in the bad state."""
    to_good: Probability = Field(ge=0, le=1)
    """Probability that a packet in the bad state is followed by one in the good state."""
    loss_bad: Probability = Field(default=1, ge=0, le=1)
    """Probability that a packet is lost in the bad state."""
    loss_good: Probability = Field(default=0, ge=0, le=1)
    """Probability that a packet is lost in the good state."""


def _independent(loss: Any) -> Any:
    """Read a probability as that of independent losses."""
    return (
        Bernoulli(p=_SHARE.validate_python(loss))
        if isinstance(loss, str | bool) or number_of(loss) is not None
        else loss
    )


_SHARE = TypeAdapter(Annotated[Probability, Field(ge=0, le=1)], config=ConfigDict(allow_inf_nan=False))
"""Reads a probability where a mistake has the name of the field that it stands in."""


if TYPE_CHECKING:
    # A checker sees what may be written: a model, a table of one, a part of 1, or a text in per cent.
    Loss = Any
else:
    _Model = Annotated[NoLoss | Bernoulli | BitError | GilbertElliott, Field(discriminator="kind")]

    Loss = Annotated[_Model, BeforeValidator(_independent, json_schema_input_type=_Part | _PerCent | _Model)]
"""Any loss model; a number or a text such as ``"1 %"`` is the probability of independent losses."""
