"""Loss models of links, which lose or damage packets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter

from manypath.errors import quoted
from manypath.quantity import number_of
from manypath.scenario.model import Model, Size


def _probability(value: Any) -> Any:
    """Read ``"1 %"`` as 0.01; a bare number is a share of 1."""
    match = PER_CENT.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        share = float(match["number"]) / 100
        if share > 1:
            raise ValueError(f'{quoted(value)} is too large for a probability: give "100 %" or less')
        return share
    if number_of(value) is None:
        raise ValueError(f'{quoted(value)} is no probability: write a number from 0 to 1 such as 0.01, or "1 %"')
    return value


PER_CENT = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%\s*")
"""A percentage."""

if TYPE_CHECKING:
    # For type checkers: a share of 1, or a text in per cent.
    Probability = Any
else:
    _Part = Annotated[float, Field(ge=0, le=1)]
    _PerCent = Annotated[str, Field(pattern=f"^{PER_CENT.pattern.replace('?P<number>', '?:')}$")]

    Probability = Annotated[float, BeforeValidator(_probability, json_schema_input_type=_Part | _PerCent)]


class NoLoss(Model):
    """No losses.

    Examples
    --------
    >>> import manypath as mp
    >>> lossy = mp.Link(rate="5 Mbit/s", loss="1 %")
    >>> lossy.but(loss=mp.NoLoss()) == mp.Link(rate="5 Mbit/s")
    True
    """

    kind: Literal["none"] = "none"
    """Name of the model."""


class Bernoulli(Model):
    """Independent losses with the same probability for every packet.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", loss=mp.Bernoulli(p=0.01)) == mp.Link(rate="5 Mbit/s", loss="1 %")
    True
    """

    kind: Literal["bernoulli"] = "bernoulli"
    """Name of the model."""
    p: Probability = Field(ge=0, le=1)
    """Probability that a packet is lost."""


class BitError(Model):
    """Independent bit errors with the same probability for every bit; the receiver detects damaged packets.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", loss=mp.BitError(rate=5e-6, spared="48 B")).loss
    BitError(kind='bit-error', rate=5e-06, spared='48 B')
    """

    kind: Literal["bit-error"] = "bit-error"
    """Name of the model."""
    rate: Probability = Field(ge=0, le=1)
    """Probability that a bit is wrong, such as 5e-6: 5.82 % of the packets of 1500 bytes."""
    spared: Size = Field(default="0 B", le=65_535)
    """First bytes of a packet without bit errors, such as ``"48 B"``, so that its receiver can read the headers."""


class GilbertElliott(Model):
    """Bursts of losses: a good and a bad state with different loss probabilities; the state may change at each packet.

    The stationary share of packets in the bad state is ``to_bad / (to_bad + to_good)``, in bursts of ``1 / to_good``
    packets on average.

    Examples
    --------
    >>> import manypath as mp
    >>> mp.Link(rate="5 Mbit/s", loss=mp.GilbertElliott(to_bad="1 %", to_good="25 %")).loss  # bursts of 4 packets
    GilbertElliott(kind='gilbert-elliott', to_bad=0.01, to_good=0.25, loss_bad=1.0, loss_good=0.0)
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
    """Read a bare probability as independent losses."""
    return (
        Bernoulli(p=_SHARE.validate_python(loss))
        if isinstance(loss, str | bool) or number_of(loss) is not None
        else loss
    )


_SHARE = TypeAdapter(Annotated[Probability, Field(ge=0, le=1)], config=ConfigDict(allow_inf_nan=False))
"""Reader of a probability, whose errors have the name of the enclosing field."""


if TYPE_CHECKING:
    # For type checkers: a model, its table, a share of 1, or a text in per cent.
    Loss = Any
else:
    _Model = Annotated[NoLoss | Bernoulli | BitError | GilbertElliott, Field(discriminator="kind")]

    Loss = Annotated[_Model, BeforeValidator(_independent, json_schema_input_type=_Part | _PerCent | _Model)]
"""Any loss model; a number or a text such as ``"1 %"`` is the probability of independent losses."""
