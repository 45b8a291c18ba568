"""The choice of settings: the search compares no setting of the other half, and the bootstrap counts penalties."""

import numpy as np
import pytest
from reconstruction_world import FACTORS, trials

from manypath.papers.reconstruction import search as searching
from manypath.papers.reconstruction.factors import AS_STATED, Factor
from manypath.papers.reconstruction.fit import CreditTable, certainty
from manypath.papers.reconstruction.halves import halves_of
from manypath.papers.reconstruction.search import WHOLE, design_of, search
from manypath.papers.switch import Switch

CLAIMS = tuple(str(number) for number in range(12))


def table(gain: float) -> CreditTable:
    """Return credits of 0.5 as stated, and `gain` more of each claim with another burst."""
    credits_ = {AS_STATED: 0.5, frozenset({"burst"}): 0.5 + gain}
    return CreditTable(FACTORS, {setting: dict.fromkeys(CLAIMS, credit) for setting, credit in credits_.items()})


@pytest.mark.parametrize(("gain", "share", "told"), [(0.009, 0.0, "as stated"), (0.011, 1.0, "changed")])
def test_the_bootstrap_subtracts_the_penalty_of_a_change(gain, share, told):
    """The penalty of a setting that the paper does not specify is 0.01."""
    made = table(gain)
    chosen = made.best(CLAIMS, made.credits)
    found = certainty(made, CLAIMS, chosen)
    assert found.shares["burst"] == share
    assert found.told("burst") == told
    assert found.rivals == ()


def test_shares_of_fits_are_at_most_1_in_spite_of_rounding():
    """Three settings that change `a` tie in each draw, so that its share is a sum of thirds."""
    factors = tuple(Factor(name, name, Switch(name, name, lambda scenario: scenario), "stated") for name in "abcdefg")
    draws = np.random.default_rng(2)
    for _ in range(40):
        earned = {frozenset({"a", other}): draws.choice([0.5, 0.7, 1.0], 3) for other in "bcdefg"}
        settings = {AS_STATED: np.zeros(3), **earned}
        made = CreditTable(
            factors,
            {setting: dict(zip("123", map(float, values), strict=True)) for setting, values in settings.items()},
        )
        shares = certainty(made, ("1", "2", "3"), made.best("123", settings)).shares
        assert shares["a"] == pytest.approx(1.0)
        assert max(shares.values()) <= 1.0


@pytest.mark.parametrize("name", ["A", "B"])
def test_a_proposal_for_one_half_is_not_offered_to_the_other_half(name, monkeypatch):
    """Only the proposed setting gives the printed numbers. It is outside the design."""
    proposed = frozenset({"path", "delays"})
    made = trials(lambda _, changed: 5.0 if changed == proposed else 1.0, lambda _: 5.0)
    halves = halves_of(made.runner.paper.claims)
    assert proposed not in design_of(made)

    def propose(_factors, _checks, claims, _design):
        return [proposed] if claims == halves[name] else []

    monkeypatch.setattr(searching, "propose", propose)
    found = search(made, halves)
    other = "B" if name == "A" else "A"
    assert found[name] == found[WHOLE] == proposed
    assert found[other] == AS_STATED
    assert made.table.best(halves[other], made.table.credits) == proposed
