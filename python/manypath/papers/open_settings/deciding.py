"""The values of open settings that decide a claim: their effects on its worst hypothesis.

The effect of a value is the difference that it makes to the plain value, with the effects of the other settings taken
out. Replications of one number share their random numbers in all settings, so it is fitted in each replication.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manypath.papers.evidence import Sample
from manypath.papers.mean import Mean
from manypath.papers.open_settings.setting import OpenSetting, factors_of
from manypath.papers.open_settings.strongest import rows_of, worst_of
from manypath.papers.open_settings.verdict import Tested
from manypath.papers.paired import holm, p_different
from manypath.papers.reconstruction.factors import Combination
from manypath.stats.looks import SIGNIFICANCE


@dataclass(frozen=True)
class Deciding:
    """The effect of a value of an open setting on a claim.

    Attributes
    ----------
    setting, says : str
        The setting, and the value as a phrase.
    moved : Mean
        Change of the slack of the worst hypothesis; positive towards the claim.
    unit : str
        Its unit.
    """

    setting: str
    says: str
    moved: Mean
    unit: str


def deciding(
    settings: Sequence[OpenSetting], tests: Mapping[Combination, Tested], weakest: Combination
) -> tuple[Deciding, ...]:
    """Return the values with a significant effect on a claim, the largest first.

    Parameters
    ----------
    settings
        The open settings.
    tests
        The claim in each setting.
    weakest
        The setting with the smallest margin, whose worst hypothesis is looked at.
    """
    worst = worst_of(tests[weakest].check)
    if worst is None:
        return ()
    part, name = worst
    slack = {setting: tested.check.leaves()[part].slack.get(name) for setting, tested in tests.items()}
    effects = effects_of(settings, {setting: sample for setting, sample in slack.items() if sample is not None})
    p_values = holm({key: p_different(effect) for key, effect in effects.items()})
    certain = sorted((key for key, p in p_values.items() if p < SIGNIFICANCE), key=lambda key: -_size(effects[key]))
    named = {factor.name: (setting.what, factor.switch.says) for setting in settings for factor in setting.factors}
    unit = tests[weakest].check.leaves()[part].unit
    return tuple(Deciding(*named[key], Mean.of(effects[key]), unit) for key in certain)


def effects_of(settings: Sequence[OpenSetting], slack: Mapping[Combination, Sample]) -> dict[str, Sample]:
    """Return the effect of each value in each replication, by the name of its factor: a fit by least squares.

    Effects that are rounding errors, and those of values that no run has, are left out.
    """
    names = [factor.name for factor in factors_of(settings) if any(factor.name in each for each in slack)]
    runs = min((len(sample) for sample in slack.values()), default=0)
    if not names or not runs:
        return {}
    measured = np.array([sample[:runs] for sample in slack.values()])
    fitted = np.linalg.pinv(rows_of(names, slack)) @ measured
    effects = dict(zip(names, fitted[1:], strict=True))
    return {name: effect for name, effect in effects.items() if _size(effect) > ROUNDING * np.abs(measured).max()}


def _size(effect: Sample) -> float:
    return abs(float(effect.mean()))


ROUNDING = 1e-9
"""Largest effect that is a rounding error, as a part of the largest slack."""
