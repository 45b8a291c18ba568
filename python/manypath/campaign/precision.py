"""Sequential stopping: replications until the confidence intervals are narrow enough.

The rule. Student-t intervals of a scenario are computed after `minimum` replications, and then after each increase of
their number by a quarter. The scenario is finished when the half-width of every interval is at most `within` of its
mean (or at most `absolute`), or when it has `maximum` replications. A decision depends only on the scenario's own
replications, not on batches, workers or other scenarios, so a campaign stops at the same counts on every machine.

The bias. The rule stops early if the interval is narrow by chance, so the interval covers the true mean less often
than its confidence. Chow and Robbins (1965) show that this error vanishes as the wanted width goes to 0. It is large
with few replications, so Law and Kelton start with ten. Fewer decisions also reduce it. Hoad, Robinson and Davies
(2010; `sim-tools` follows them) decide after every replication, starting with three, and confirm the width with five
more. Here the next decision comes after a quarter more replications. With normal and log-normal replications with a
standard deviation of 2 to 30 % of the mean, and `within` of 2 and 5 %, nominal 95 % intervals cover the mean in 92 to
96 % of campaigns. With decisions after every replication from three on, they cover it in as few as 88 %. Use a fixed
number of replications if a verdict depends on the interval.

The limit: rare runs. Student's t interval assumes that the sample shows the whole distribution. If 5 % of the runs have
half the goodput, and the others deviate by 0.5 %, a nominal 95 % interval with `within` = 2 % covers the mean in 40 %
of 4000 campaigns, because in 59 % the first ten replications have no such run, and the rule stops there. A fixed number
of ten replications has the same coverage, 41 %. Nothing in such a sample shows what it lacks, so there is no warning.
A larger `minimum` is the remedy: 60 % coverage with 20, 75 % with 30, 88 % with 60 and with 100. A kind of run with
probability p is in 3/p replications with a probability of about 95 %. `tests/unit/test_precision.py` has the
simulation.

References
----------
Y. S. Chow, H. Robbins, On the Asymptotic Theory of Fixed-Width Sequential Confidence Intervals for the Mean, Annals of
Mathematical Statistics 36(2), 1965. A. M. Law, W. D. Kelton, Simulation Modeling and Analysis, section 9.4. K. Hoad,
S. Robinson, R. Davies, Automated selection of the number of replications for a discrete-event simulation, Journal of
the Operational Research Society 61(11), 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field, field_validator, model_validator

from manypath.campaign.room import check_room
from manypath.errors import UserError, quoted
from manypath.scenario.model import Model
from manypath.stats.confidence import interval

if TYPE_CHECKING:
    from manypath.campaign.cell import Cell
    from manypath.campaign.compute import Computation
    from manypath.campaign.results import Results


class Precision(Model):
    """Wanted width of confidence intervals: ``Precision(within="2 %", metric="goodput", of={"flow": "cmt"})``.

    See `manypath.campaign.precision` for the stopping rule and its bias. If a rare kind of run has quite other results,
    ten replications often have none of them, and the interval is narrow around a wrong mean: with half the goodput in
    5 % of the runs, a nominal 95 % interval covers the mean in 40 % of campaigns with `minimum` 10, in 88 % with 60.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms", loss="1 %"))
    >>> scenario = mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"])}, measure="5 s")
    >>> precision = mp.Precision(within="10 %", minimum=3)
    >>> mp.Campaign(scenario, precision=precision).run(store=None, progress=False).mean("goodput").round(2)
       mean  half_width  n
    0  4.24         0.4  4
    """

    within: str = "2 %"
    """Largest half-width, in per cent of the mean."""
    metric: str = "goodput"
    """The measurement, a column of the frames of results."""
    of: Mapping[str, Any] = {}
    """Selection of rows of a run: ``{"flow": "cmt"}``, with ``path``, ``link`` or ``stream`` for their measurements;
    all flows if empty. The interval of each selected row must be narrow enough."""
    absolute: float = Field(default=0.0, ge=0)
    """A half-width up to this suffices for any mean, in the measurement's unit; for means near 0."""
    minimum: int = Field(default=10, ge=2)
    """Replications before the first decision; at least 3/p if a share p of the runs may have quite other results."""
    maximum: int = Field(default=1000, ge=2)
    """Largest number of replications of a scenario."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Confidence level of the intervals, as a share of 1."""

    @field_validator("within", mode="before", json_schema_input_type=str)
    @classmethod
    def _is_a_share(cls, within: Any) -> Any:
        _share(within)
        return within

    @model_validator(mode="after")
    def _in_order(self) -> Precision:
        if self.maximum < self.minimum:
            raise ValueError(f"maximum: {self.maximum} is below minimum {self.minimum}: give as many or more")
        return self

    @property
    def share(self) -> float:
        """The largest half-width as a share of the mean."""
        return _share(self.within)

    def counts(self) -> list[int]:
        """Return the numbers of replications at which a decision is made.

        Examples
        --------
        >>> import manypath as mp
        >>> mp.Precision(minimum=10, maximum=30).counts()
        [10, 13, 17, 22, 28, 30]
        """
        counts = [self.minimum]
        while counts[-1] < self.maximum:
            counts.append(min(math.ceil(counts[-1] * GROWTH), self.maximum))
        return counts

    def described(self) -> dict[str, Any]:
        """Return the precision for the note of a campaign, as JSON has it."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return {**fields, "of": {name: str(value) for name, value in self.of.items()}}

    def reached(self, width: float) -> bool:
        """Whether a scenario with a widest relative half-width `width` is finished."""
        return width <= self.share

    def width(self, runs: Results) -> float:
        """Return the largest half-width of a scenario's intervals as a share of the mean; 0 if `absolute` suffices."""
        try:
            frame, known = runs.rows_of(self.metric, self.of), list(self.of)
        except UserError as error:
            raise UserError(f"precision: {error}") from None
        rows = frame.loc[(frame[known] == list(self.of.values())).all(axis=1)] if known else frame
        if rows.empty:
            told = ", ".join(f"{name} = {value}" for name, value in self.of.items())
            raise UserError(f"precision.of: no run has {told}: give values that the scenarios have")
        parts = [name for name in ("flow", "path", "stream", "link") if name in rows.columns]
        groups = [group for _, group in rows.groupby(parts, sort=False)] if parts else [rows]
        return max(self._width(group[self.metric].to_numpy(float)) for group in groups)

    def _width(self, values: Any) -> float:
        """Return the relative half-width of the values that are numbers; infinite for fewer than two."""
        numbers = values[~np.isnan(values)]
        if len(numbers) <= 1:
            return math.inf
        found = interval(numbers, self.confidence)
        if found.half_width <= self.absolute:
            return 0.0
        return found.half_width / abs(found.mean) if found.mean else math.inf


def run_until_precise(
    computation: Computation, scenarios: int, cell: Callable[[int, int], Cell], precision: Precision
) -> list[tuple[Cell, str]]:
    """Return the outcomes of the needed replications of each scenario, ordered by replication.

    Parameters
    ----------
    computation
        The computation.
    scenarios
        Number of scenarios.
    cell
        Function that returns the cell of a scenario (by number) and a replication.
    precision
        The wanted precision.
    """
    from manypath.campaign.results import Results

    open_ones, recalled = list(range(scenarios)), 0
    done = dict.fromkeys(open_ones, 0)

    def so_far() -> list[Cell]:
        most = max(done.values(), default=0)
        return [cell(number, r) for r in range(most) for number in done if r < done[number]]

    for count in precision.counts():
        done.update(dict.fromkeys(open_ones, count))
        check_room(sum(done.values()), "precision")
        if count > recalled:
            # Reading ahead keeps the number of reads of the store small.
            ahead = min(4 * count, precision.maximum)
            computation.recall(cell(number, r) for r in range(recalled, ahead) for number in open_ones)
            recalled = ahead
        computation.complete(so_far())
        widths = {
            number: precision.width(Results(computation.outcomes(cell(number, r) for r in range(count))))
            for number in open_ones
        }
        open_ones = [number for number in open_ones if not precision.reached(widths[number])]
        computation.display.state(_state(scenarios - len(open_ones), scenarios, widths, precision))
        if not open_ones:
            break
    if open_ones:
        computation.display.say(
            f"precision: {len(open_ones)} of {scenarios} scenarios do not reach {precision.within} with "
            f"{precision.maximum} replications: allow more replications, or wider intervals"
        )
    return computation.outcomes(so_far())


def _state(reached: int, scenarios: int, widths: Mapping[int, float], precision: Precision) -> str:
    widest = max(widths.values())
    shown = f"±{widest:.2%}" if math.isfinite(widest) else "unknown"
    return f"widest interval {shown}, {reached} of {scenarios} scenarios within {precision.within}"


def _share(text: Any) -> float:
    if not isinstance(text, str):
        raise ValueError(f'{quoted(text)} is no share of the mean: write "2 %"')
    number, sign, rest = text.partition("%")
    try:
        share = float(number) / 100 if sign and not rest.strip() else math.nan
    except ValueError:
        share = math.nan
    if not 0 < share < math.inf:
        raise ValueError(f'{quoted(text)} is no share of the mean: write "2 %"')
    if share >= 1:
        raise ValueError(f"{quoted(text)} is as wide as the mean: give less than 100 %")
    return share


GROWTH = 1.25
"""Ratio of the numbers of replications at consecutive decisions."""
