"""Predicts the settings in which a claim is shown best and worst, from the settings that were run.

The mean of each measured quantity is modelled by a sum of effects of the values. The margin of a claim is that of its
worst hypothesis, in standard errors. The predicted settings are then run, so a wrong model costs a run and no verdict.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from manypath.papers.check import Check
from manypath.papers.open_settings.setting import OpenSetting, every_combination, factors_of
from manypath.papers.open_settings.verdict import Tested
from manypath.papers.reconstruction.factors import Combination

Values = NDArray[np.float64]


def propose(settings: Sequence[OpenSetting], tests: Iterable[Mapping[Combination, Tested]]) -> tuple[Combination, ...]:
    """Return the settings with the largest and the smallest predicted margin of each claim that were not run."""
    names = [factor.name for factor in factors_of(settings)]
    every = every_combination(settings)
    wanted = rows_of(names, every)
    found: dict[Combination, None] = {}
    for claim in tests:
        run = list(claim)
        margins = predicted([claim[setting].check for setting in run], rows_of(names, run), wanted)
        if margins is not None:
            found.update(dict.fromkeys([every[int(margins.argmax())], every[int(margins.argmin())]]))
        run_already = set(run)
        found = {setting: None for setting in found if setting not in run_already}
    return tuple(found)


def predicted(checks: Sequence[Check], run: Values, wanted: Values) -> Values | None:
    """Return the predicted margin of a claim in the wanted settings, in standard errors; None without a spread."""
    margins = [
        margin
        for leaves in zip(*(check.leaves() for check in checks), strict=False)
        for margin in _of_part(leaves, run, wanted)
    ]
    return np.min(margins, axis=0) if margins else None


def margin_of(check: Check) -> float:
    """Return the margin of a claim's worst hypothesis, in standard errors."""
    return min((margin for margin, _, _ in _margins(check)), default=np.inf)


def worst_of(check: Check) -> tuple[int, Hashable] | None:
    """Return the part and the name of a claim's worst hypothesis; None if no hypothesis has a spread."""
    found = min(_margins(check), key=lambda each: each[0], default=None)
    return None if found is None else found[1:]


def _margins(check: Check) -> Iterator[tuple[float, int, Hashable]]:
    for part, leaf in enumerate(check.leaves()):
        for name, line in leaf.hypotheses.all.items():
            if line.runs and line.spread >= 0.0 and np.isfinite(line.distance):
                yield line.distance / max(line.spread / np.sqrt(line.runs), TINY), part, name


def _of_part(leaves: Sequence[Check], run: Values, wanted: Values) -> Iterator[Values]:
    """Yield the predicted margins of the hypotheses of a part."""
    for name in leaves[0].hypotheses.all:
        lines = [leaf.hypotheses.all.get(name) for leaf in leaves]
        if any(line is None or line.runs == 0 for line in lines):
            continue
        known = [line for line in lines if line is not None]
        numbers = [leaf.numbers().get(name) for leaf in leaves]
        if all(number is not None for number in numbers):
            offsets = np.array([number.mean - number.middle for number in numbers if number is not None])
            tolerance = next(number.tolerance for number in numbers if number is not None)
            distances = tolerance - np.abs(_fitted(offsets, run, wanted))
        else:
            distances = _fitted(np.array([line.distance for line in known]), run, wanted)
        error = float(np.median([line.spread / np.sqrt(line.runs) for line in known]))
        if np.isfinite(distances).all() and np.isfinite(error):
            yield distances / max(error, TINY)


def _fitted(measured: Values, run: Values, wanted: Values) -> Values:
    """Fit a sum of effects by least squares, and predict; NaN if a value is missing."""
    if not np.isfinite(measured).all():
        return np.full(len(wanted), np.nan)
    return wanted @ np.linalg.lstsq(run, measured, rcond=None)[0]


def rows_of(names: Sequence[str], settings: Iterable[Combination]) -> Values:
    """Return settings as rows of the model: a constant, and 1 for each value that is changed."""
    return np.array([[1.0, *(float(name in setting) for name in names)] for setting in settings])


TINY = 1e-12
"""Smallest standard error, which replaces 0."""
