"""A reconstruction finds the settings of a made-up paper, makes no useless changes, and does not fit noise."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from reconstruction_world import CLAIMS, FACTORS, PRECISION, SETTINGS, MadeUp, paper, trials

import manypath.papers.reconstruction.run as running
from manypath.papers.reconstruction.finding import finding
from manypath.papers.reconstruction.halves import halves_of
from manypath.papers.reconstruction.result import Scores
from manypath.papers.reconstruction.run import reconstruction_of, transfers_of
from manypath.papers.reconstruction.trials import Trials

PLANTED = frozenset({"path", "delays"})
"""The changed settings of the made-up authors."""

NAMES = tuple(SETTINGS)


def rate(point, changed):
    """Return a rate. At each point each factor changes it by a different amount, and two factors interact."""
    parts = np.random.default_rng(point).uniform(-0.3, 0.3, len(NAMES))
    total = sum(part for name, part in zip(NAMES, parts, strict=True) if name in changed)
    return 5.0 * (1.0 + total + (0.1 if {"path", "burst"} <= changed else 0.0))


@pytest.fixture(scope="module")
def planted():
    return reconstruction_of(trials(rate, lambda point: rate(point, PLANTED)))


def test_the_planted_setting_is_found_on_all_claims_and_on_each_half(planted):
    assert set(planted.found) == PLANTED
    assert [set(half.found) for half in planted.halves] == [PLANTED, PLANTED]


def test_the_planted_setting_also_fits_unused_claims(planted):
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


def test_an_undecided_reconstructed_claim_has_a_budget_and_a_decided_one_has_none():
    """The rate of one point is at the end of its tolerance, so that three runs with a spread of 1 % do not decide."""
    result = reconstruction_of(trials(lambda point, _: 5.49 if point == 1 else 5.0, lambda _: 5.0))
    at_the_limit, *others = result.claims
    assert at_the_limit.reconstructed == "undecided"
    assert at_the_limit.needed is not None
    assert at_the_limit.needed > PRECISION.replications
    assert {(each.reconstructed, each.needed, each.needed_seconds) for each in others} == {("holds", None, None)}


def test_the_finding_has_three_sentences_with_numbers_of_the_result(planted):
    first, second, third = finding(planted).split(". ")
    stated = sum(each.stated == "holds" for each in planted.claims)
    assert f"change 2 of {len(NAMES)} settings (path changed; delays changed)" in first
    assert f"{CLAIMS} of {CLAIMS} claims hold, and {stated} as the text says" in first
    unused = [fmean(getattr(half.untouched, name) for half in planted.halves) for name in ("found", "stated", "random")]
    found, text, chance = (f"{value:.2f}" for value in unused)
    assert f"score {found} of 1, those of the text {text} and random settings {chance}" in second
    assert second.endswith("the fit predicts unused claims better than both")
    assert f"{len(PLANTED)} changed (path changed; delays changed)" in third


@pytest.mark.parametrize(
    ("found", "stated", "random", "words"),
    [
        (0.9, 0.8, 0.7, "better than both"),
        (0.8, 0.8, 0.7, "no better than the text"),
        (0.8, 0.7, 0.8, "no better than random settings"),
        (0.7, 0.8, 0.7, "no better than the text or random settings"),
        (0.804, 0.801, 0.7, "no better than the text"),
    ],
)
def test_the_finding_says_when_a_fit_does_not_predict_unused_claims(planted, found, stated, random, words):
    unused = Scores(stated=stated, found=found, random=random, low=0.0, high=1.0)
    # The scores on the fitted claims must not be used
    fitted = Scores(stated=0.0, found=1.0, random=0.0, low=0.0, high=1.0)
    halves = tuple(replace(half, fitted=fitted, untouched=unused) for half in planted.halves)
    assert finding(replace(planted, halves=halves)).split(". ")[1].endswith(words)


def test_the_same_runs_give_the_same_result(planted):
    assert reconstruction_of(trials(rate, lambda point: rate(point, PLANTED))) == planted


def test_changes_without_gain_are_not_made():
    result = reconstruction_of(trials(rate, lambda point: rate(point, frozenset())))
    assert result.found == ()
    assert result.penalty == 0.0
    assert all(each.told == "as stated" for each in result.factors)
    assert [half.found for half in result.halves] == [(), ()]
    assert "No joint change" in finding(result)


def test_a_small_gain_does_not_justify_a_deviation_from_the_text():
    """One claim of 24 gains 0.5. The mean gain of 0.02 exceeds the penalty of an undocumented setting (0.01).

    It does not exceed the penalty of a setting that contradicts the text (0.03).
    """

    def one_claim(point, changed):
        return 5.0 if point != 1 or "burst" in changed else 4.0

    free = reconstruction_of(trials(one_claim, lambda _: 5.0))
    bound = tuple(replace(each, deviation="contradicts") if each.name == "burst" else each for each in FACTORS)
    assert free.found == ("burst",)
    assert reconstruction_of(trials(one_claim, lambda _: 5.0, bound)).found == ()


def test_fits_to_noise_do_not_generalise_to_the_other_half():
    """Each claim has another true setting, so the unused half scores like random settings."""
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


def test_factors_with_the_same_effect_are_reported_together():
    """Two factors have the same effect, so the claims cannot identify the changed one."""

    def either(point, changed):
        return 5.0 if {"burst", "splits"} & changed else 3.5

    result = reconstruction_of(trials(either, lambda _: 5.0))
    assert result.found in {("burst",), ("splits",)}
    assert result.together == (("burst", "splits"),)
    assert {"burst", "splits"} - set(result.found) in [set(rival) for rival in result.rivals]
    assert {each.name for each in result.factors if each.told == "not told"} == {"burst", "splits"}


def test_a_fit_to_one_half_does_not_depend_on_the_other_half():
    """Other printed numbers in the other half do not change the fit to this half."""
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


def test_settings_are_transferred_to_shared_factors_of_another_paper():
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
