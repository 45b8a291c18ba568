"""Sequential stopping: as many replications as it takes for intervals that are narrow enough.

The rule. After `minimum` replications, and then whenever a quarter more of them are there, a scenario's Student-t
intervals are computed. It is finished once the half-width of every one of them is at most `within` of its mean (or at
most `absolute`), or once it has `maximum` replications. A decision depends on the scenario's own replications only,
never on batches, workers or other scenarios, so that a campaign stops at the same counts wherever it runs.

The bias. Who stops when the interval happens to be narrow stops too early too often: the interval covers the true
mean less often than it says. Chow and Robbins (1965) show that the error vanishes as the wanted width does; Law and
Kelton start with ten replications because it is large with few. Looking only now and then makes it smaller, too.
Hoad, Robinson and Davies (2010; `sim-tools` follows them) look after every replication, from three on, and go on for
five more to see whether the width stays; here the next look comes a quarter later anyway. With normal and log-normal
replications that deviate by 2 to 30 % of the mean, and `within` of 2 and 5 %, intervals of nominally 95 % cover the
mean in 92 to 96 % of campaigns, and in as few as 88 % if the looks begin at three and come after every replication.
Where a verdict hangs on the interval, take a fixed number of replications.

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

from pydantic import Field, field_validator, model_validator

from manypath.campaign.room import check_room
from manypath.errors import UserError
from manypath.scenario.model import Model
from manypath.stats.confidence import interval

if TYPE_CHECKING:
    from manypath.campaign.cell import Cell
    from manypath.campaign.compute import Computation
    from manypath.campaign.results import Results


class Precision(Model):
    """How narrow intervals must be: ``Precision(within="2 %", metric="goodput", of={"flow": "cmt"})``.

    See `manypath.campaign.precision` for the rule and what it does to the intervals.
    """

    within: str = "2 %"
    """Largest half-width, in per cent of the mean."""
    metric: str = "goodput"
    """The measurement, as frames of results name it."""
    of: Mapping[str, Any] = {}
    """Which rows of a run count: ``{"flow": "cmt"}``, with ``path``, ``link`` or ``stream`` for measurements of those;
    all flows if it is empty. Each row that counts must be precise."""
    absolute: float = Field(default=0.0, ge=0)
    """A half-width up to this is enough whatever the mean, in the measurement's unit: for means near 0."""
    minimum: int = Field(default=10, ge=2)
    """Replications before the first decision."""
    maximum: int = Field(default=1000, ge=2)
    """Replications after which a scenario is left as it is."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Probability of the intervals, as a share of 1."""

    @field_validator("within")
    @classmethod
    def _is_a_share(cls, within: str) -> str:
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
        """Numbers of replications after which it is decided."""
        counts = [self.minimum]
        while counts[-1] < self.maximum:
            counts.append(min(math.ceil(counts[-1] * GROWTH), self.maximum))
        return counts

    def reached(self, width: float) -> bool:
        """Whether a scenario with intervals of that `width` is finished."""
        return width <= self.share

    def width(self, runs: Results) -> float:
        """The widest half-width of a scenario's intervals as a share of the mean; 0 where `absolute` is enough."""
        frame, known = runs.rows_of(self.metric, self.of), list(self.of)
        rows = frame.loc[(frame[known] == list(self.of.values())).all(axis=1)] if known else frame
        if rows.empty:
            told = ", ".join(f"{name} = {value}" for name, value in self.of.items())
            raise UserError(f"precision.of: no run has {told}: ask for what the scenarios have")
        parts = [name for name in ("flow", "path", "stream", "link") if name in rows.columns]
        groups = [group for _, group in rows.groupby(parts, sort=False)] if parts else [rows]
        return max(self._width(group[self.metric].to_numpy(float)) for group in groups)

    def _width(self, values: Any) -> float:
        found = interval(values, self.confidence)
        if found.half_width <= self.absolute:
            return 0.0
        return found.half_width / abs(found.mean) if found.mean else math.inf


def run_until_precise(
    computation: Computation, scenarios: int, cell: Callable[[int, int], Cell], precision: Precision
) -> list[tuple[Cell, str]]:
    """Outcomes of as many replications of each scenario as it needs, replication by replication.

    Parameters
    ----------
    computation
        What computes.
    scenarios
        How many there are.
    cell
        Makes the cell of a scenario, by its number, and a replication.
    precision
        What is wanted.
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
            # The store is read seldom, and not for more replications than may be wanted.
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
            f"{precision.maximum} replications: allow more, or a wider interval"
        )
    return computation.outcomes(so_far())


def _state(reached: int, scenarios: int, widths: Mapping[int, float], precision: Precision) -> str:
    widest = max(widths.values())
    shown = f"±{widest:.2%}" if math.isfinite(widest) else "unknown"
    return f"widest interval {shown}, {reached} of {scenarios} scenarios within {precision.within}"


def _share(text: str) -> float:
    number, sign, rest = text.partition("%")
    try:
        share = float(number) / 100 if sign and not rest.strip() else math.nan
    except ValueError:
        share = math.nan
    if not 0 < share < math.inf:
        raise ValueError(f'"{text}" is no share of the mean: write "2 %"')
    return share


GROWTH = 1.25
"""Each decision comes after so many times the replications of the one before."""
