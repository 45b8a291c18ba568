"""A cause of a missed claim is a change that moves its result significantly in paired runs."""

from dataclasses import replace

import numpy as np
import pytest

from manypath.papers.causes import effects_on, find_causes, slack_at, untried, verify
from manypath.papers.check import Check
from manypath.papers.claim import Claims
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.predicates import near
from manypath.papers.switch import Switch
from manypath.papers.tried import tried_on

CASE = Case.of("sheet", cc="newreno")
NOISE = 0.05 * np.random.default_rng(3).standard_normal(8)
EFFECTS = {"cure": 3.0, "half": 1.0, "nothing": 0.0}
SWITCHES = {name: Switch(name, f"the {name}", lambda scenario: scenario) for name in EFFECTS}


def runs(rate):
    return Runs([{"flows": {"cmt": {"goodput": (rate + noise) * 1e6}}} for noise in NOISE])


def outcome(suspects, *, exhaustive=False, rate=4.0, trial_cases=10, idle=()):
    claim = Claims()

    @claim("C-999-1", place="nowhere", says="it is 7", kind="number", suspects=suspects)
    def is_seven(results):
        return near(results.goodput("sheet", "cmt", cc="newreno"), 7.0, what="rate")

    evidence = Evidence({CASE: runs(rate)})
    asked = []

    def trial(requests):
        asked.extend(switch.name for switch, cases in requests.items() if cases)
        return {switch.name: {CASE: runs(4.0 + EFFECTS[switch.name])} for switch, cases in requests.items() if cases}

    found, _ = find_causes(
        [verify(is_seven, evidence)],
        evidence,
        SWITCHES,
        trial,
        lambda switch, _: switch.name not in idle,
        exhaustive=exhaustive,
        trial_cases=trial_cases,
    )
    return found[0], asked


def test_a_change_that_makes_the_claim_hold_is_the_cause():
    found, asked = outcome(("nothing", "cure", "half"))
    assert found.check.verdict == "contradicted"
    assert found.check.why.startswith("holds with this change: the cure (+3.00")
    assert asked == ["nothing", "cure"]


def test_the_effect_of_a_change_is_measured_relative_to_the_claim():
    found, _ = outcome(("half", "cure"))
    ((leaf, effects),) = effects_on(found)
    # The range begins at 6.3. The mean is 4 without a change, 5 with half of the cure, and 7 with the cure.
    assert slack_at(leaf.missed, leaf) == pytest.approx(-2.3 + NOISE)
    assert effects[0].slack == pytest.approx(-1.3 + NOISE)
    assert effects[1].slack == pytest.approx(0.7 - np.sign(NOISE.mean()) * NOISE)
    assert [effect.holds for effect in effects] == [False, True]


def test_full_precision_tries_every_suspect():
    found, asked = outcome(("cure", "half"), exhaustive=True)
    assert asked == ["cure", "half"]
    assert [check.holds for check in found.trials.values()] == [True, False]


def test_the_precision_limits_the_number_of_tried_cases():
    found, asked = outcome(("nothing", "cure"), trial_cases=1)
    assert asked == ["nothing"]
    assert "none of these changes moves it" in found.check.why
    assert found.check.why.endswith("--full tries further changes.")


def test_each_claim_has_one_trial_whatever_the_limit():
    found, asked = outcome(("nothing", "cure"), trial_cases=0, exhaustive=True)
    assert asked == ["nothing"]
    assert "none of these changes moves it" in found.check.why


def test_full_precision_does_not_refer_to_itself():
    found, asked = outcome(("nothing", "cure"), trial_cases=1, exhaustive=True)
    assert asked == ["nothing"]
    assert found.unfinished == "Further changes were not tried: full precision limits the runs for causes."
    assert found.check.why.endswith(found.unfinished)
    assert "--full" not in found.check.why


def test_an_undecided_claim_has_no_cause_and_needs_full_precision():
    found, asked = outcome(("half", "cure"), rate=6.29)
    assert found.check.verdict == "undecided"
    assert asked == []
    assert found.check.why.startswith("undecided with 8 runs (margin -0.03")
    assert "runs decide it." in found.check.why
    assert found.check.why.endswith("--full tries further changes.")
    found, asked = outcome(("half", "cure"), rate=6.29, exhaustive=True)
    assert asked == ["half", "cure"]
    assert "changes that move it towards the claim: the cure (+0.71" in found.check.why


def test_a_claim_without_trials_has_the_number_of_deciding_runs_and_no_cause():
    undecided, _ = outcome((), rate=6.29)
    assert untried(replace(undecided, check=undecided.check.because(""))).check.why == undecided.check.why
    contradicted, _ = outcome(("nothing",))
    assert untried(contradicted).check.why == ""


def test_points_may_have_different_numbers_of_measured_runs():
    check = near({1: np.array([1.0, 1.3, 0.8]), 2: np.array([1.0, 1.4, 0.7, 1.2, 0.9])}, 1.0, within=0.1)
    claim = Claims()

    @claim("C-999-1", place="nowhere", says="they are 1", kind="number")
    def are_one(_):
        return check

    found = untried(verify(are_one, Evidence({})))
    assert found.check.undecided
    assert found.check.why.startswith("undecided with 3 runs")


def test_significant_trials_are_listed_first():
    found, _ = outcome(("nothing", "half", "cure"), exhaustive=True)
    (tried,) = tried_on(found, {})
    assert (tried.what, tried.unit, tried.verdict) == ("", "Mbit/s", "contradicted")
    assert tried.margin.mean == pytest.approx(-2.3 + NOISE.mean())
    assert [(trial.changed, trial.certain, trial.verdict) for trial in tried.trials] == [
        ("the cure", True, "holds"),
        ("the half", True, "contradicted"),
        ("the nothing", False, "contradicted"),
    ]
    assert [str(trial.moved) for trial in tried.trials][2] == "0 in each run"
    assert tried_on(outcome((), rate=7.0)[0], {}) == ()


def test_a_case_that_a_switch_does_not_change_is_neither_run_nor_counted():
    found, asked = outcome(("nothing", "cure"), trial_cases=1, idle=("nothing",))
    assert asked == ["cure"]
    assert found.check.why.startswith("holds with this change: the cure")


def test_a_change_in_the_right_direction_is_reported_as_partial():
    found, _ = outcome(("half",))
    assert "nearer to the claim, but still contradicted" in found.check.why


def test_a_change_without_effect_is_no_cause():
    found, _ = outcome(("nothing",))
    assert "none of these changes moves it" in found.check.why


def test_a_claim_that_holds_is_not_tried():
    found, asked = outcome(("cure",), rate=7.0)
    assert found.check.holds
    assert found.check.why == ""
    assert asked == []


def test_a_claim_without_its_runs_is_open():
    claim = Claims()

    @claim("C-999-2", place="nowhere", says="something else", kind="number")
    def needs_more(results):
        return near(results.goodput("other", "cmt"), 1.0)

    found = verify(needs_more, Evidence({}))
    assert found.check.verdict == "open"
    assert "other" in found.check.why


def test_a_claim_is_registered_once():
    claim = Claims()

    def unchecked(_results):
        return Check("open", "", "", 0)

    claim("C-999-3", place="", says="", kind="number")(unchecked)
    with pytest.raises(ValueError, match="twice"):
        claim("C-999-3", place="", says="", kind="number")(unchecked)
