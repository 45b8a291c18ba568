"""Laws of quantities."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manypath.quantity import RATE, SIZE, SPAN, QuantityError

dimensions = st.sampled_from([RATE, SPAN, SIZE])
amounts = st.integers(min_value=0, max_value=2**63 - 1)


@given(dimension=dimensions, amount=amounts)
def test_displayed_values_can_be_read_back(dimension, amount):
    assert dimension.parse(dimension.show(amount)) == amount


@given(dimension=dimensions, amount=amounts)
def test_a_quantity_is_accepted_as_a_value_and_a_bare_number_is_refused(dimension, amount):
    quantity = dimension.parse(dimension.show(amount))
    assert dimension.parse(quantity) is quantity
    if amount:
        with pytest.raises(QuantityError, match="has no unit: write"):
            dimension.parse(amount)


@given(dimension=dimensions, data=st.data(), number=st.decimals(min_value=0, max_value=1000, places=3))
def test_units_are_exact_decimals(dimension, data, number):
    unit = data.draw(st.sampled_from(list(dimension.units)))
    exact = Decimal(number) * dimension.units[unit]
    if exact == int(exact):
        assert dimension.parse(f"{number} {unit}") == int(exact)
    else:
        with pytest.raises(QuantityError, match="no multiple of"):
            dimension.parse(f"{number} {unit}")


@given(dimension=dimensions, text=st.text(max_size=20))
def test_any_text_is_read_or_refused(dimension, text):
    try:
        amount = dimension.parse(text)
    except QuantityError:
        amount = None
    assert amount is None or 0 <= amount < 2**63
