"""A reconstruction finds what a made-up paper ran, leaves alone what brings nothing, and does not sell noise."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from reconstruction_world import CLAIMS, FACTORS, PRECISION, SETTINGS, MadeUp, paper, trials

import manypath.papers.reconstruction.run as running
from manypath.papers.reconstruction.finding import finding
from manypath.papers.reconstruction.halves import halves_of
from manypath.papers.reconstruction.run import reconstruction_of, transfers_of
from manypath.papers.reconstruction.trials import Trials

PLANTED = frozenset({"path", "delays"})
"""What the made-up authors ran."""

NAMES = tuple(SETTINGS)


def rate(point, changed):
    """At each point each factor moves the rate by a part of its own, and two factors interact."""
    parts = np.random.default_rng(point).uniform(-0.3, 0.3, len(NAMES))
    total = sum(part for name, part in zip(NAMES, parts, strict=True) if name in changed)
    return 5.0 * (1.0 + total + (0.1 if {"path", "burst"} <= changed else 0.0))


@pytest.fixture(scope="module")
def planted():
    return reconstruction_of(trials(rate, lambda point: rate(point, PLANTED)))


def test_finds_the_planted_setting_on_all_claims_and_on_each_half(planted):
    assert set(planted.found) == PLANTED
    assert [set(half.found) for half in planted.halves] == [PLANTED, PLANTED]


def test_the_planted_setting_also_fits_the_claims_that_were_not_used(planted):
    for half in planted.halves:
        assert half.untouched.found > 0.99
        assert half.untouched.found > half.untouched.stated + 0.2
        assert half.untouched.found > half.untouched.random + 0.2


def test_changed_and_unchanged_settings_are_listed(planted):
    assert {each.name: each.told for each in planted.factors} == {
        name: "changed" if name in PLANTED else "as stated" for name in NAMES
    }
    assert planted.together == ()


def test_both_columns_have_a_verdict_on_every_claim(planted):
    assert len(planted.claims) == CLAIMS
    assert all(each.reconstructed == "holds" for each in planted.claims)
    assert sum(each.stated == "contradicted" for each in planted.claims) > CLAIMS / 4


def test_the_finding_has_three_sentences_made_from_the_data(planted):
    said = finding(planted)
    assert said.count(". ") == 2
    assert said.endswith(".")
    assert "path changed and delays changed" in said
    assert f"{CLAIMS} of {CLAIMS} claims hold" in said


def test_the_same_runs_give_the_same_result(planted):
    assert reconstruction_of(trials(rate, lambda point: rate(point, PLANTED))) == planted


def test_changes_that_bring_nothing_are_not_made():
    result = reconstruction_of(trials(rate, lambda point: rate(point, frozenset())))
    assert result.found == ()
    assert result.penalty == 0.0
    assert all(each.told == "as stated" for each in result.factors)
    assert [half.found for half in result.halves] == [(), ()]
    assert "No joint change" in finding(result)


def test_a_small_gain_does_not_pay_for_a_deviation_from_the_text():
    """One claim of 24 gains 0.5: 0.02 of the mean credit pay for a silence (0.01), not for a contradiction (0.03)."""

    def one_claim(point, changed):
        return 5.0 if point != 1 or "burst" in changed else 4.0

    free = reconstruction_of(trials(one_claim, lambda _: 5.0))
    bound = tuple(replace(each, deviation="contradicts") if each.name == "burst" else each for each in FACTORS)
    assert free.found == ("burst",)
    assert reconstruction_of(trials(one_claim, lambda _: 5.0, bound)).found == ()


def test_fits_to_noise_do_not_carry_over_to_the_other_half():
    """Each claim was printed under a setting of its own: the untouched half scores as random settings do."""
    gains, excess = [], []
    for seed in range(6):
        chance = np.random.default_rng(seed)
        settings = [frozenset(name for name in NAMES if chance.random() < 0.5) for _ in range(CLAIMS + 1)]
        result = reconstruction_of(trials(rate, lambda point, settings=settings: rate(point, settings[point])))
        gains += [half.fitted.found - half.fitted.random for half in result.halves]
        excess += [half.untouched.found - half.untouched.random for half in result.halves]
    error = np.std(excess, ddof=1) / np.sqrt(len(excess))
    assert min(gains) > 0.0
    assert fmean(gains) > 4.0 * error
    assert abs(fmean(excess)) < 2.0 * error


def test_factors_that_stand_in_for_each_other_are_named_together():
    """Either of two factors has the same effect, so that the claims show that one was changed, and not which."""

    def either(point, changed):
        return 5.0 if {"burst", "splits"} & changed else 3.5

    result = reconstruction_of(trials(either, lambda _: 5.0))
    assert result.found in {("burst",), ("splits",)}
    assert result.together == (("burst", "splits"),)
    assert {"burst", "splits"} - set(result.found) in [set(rival) for rival in result.rivals]
    assert {each.name for each in result.factors if each.told == "not told"} == {"burst", "splits"}


def test_a_fit_to_one_half_does_not_depend_on_the_other_half():
    """The other half prints something else, and the fit to this half stays as it was."""
    half = halves_of(paper(lambda _: 0.0).claims)["A"]
    first, second = (
        reconstruction_of(
            trials(rate, lambda point, rest=rest: rate(point, PLANTED) if f"C-999-{point}" in half else rest(point))
        ).halves[0]
        for rest in (lambda point: rate(point, PLANTED), lambda point: rate(point, frozenset({"sacks", "splits"})))
    )
    assert first.claims == second.claims == half
    assert first.found == second.found
    assert first.fitted == second.fitted
    assert first.untouched != second.untouched


def test_settings_are_carried_to_the_factors_that_another_paper_shares():
    result = replace(reconstruction_of(trials(rate, lambda point: rate(point, PLANTED))), paper="first")
    shared = tuple(each for each in FACTORS if each.name != "delays")
    other = Trials(
        MadeUp(
            replace(paper(lambda point: rate(point, frozenset({"path"})), shared), name="second"),
            PRECISION,
            store=None,
            progress=False,
            rate=rate,
        )
    )
    reconstruction_of(other)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "GROUPS", (("first", "second"),))
        (transfer,) = transfers_of(result, {"first": other, "second": other})
    assert transfer.to == "second"
    assert transfer.carried == ("path",)
    assert transfer.scores.found == pytest.approx(1.0)
    assert transfer.scores.found > transfer.scores.stated
