"""Results of a campaign: frames with the factors as columns, and means with confidence intervals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from manypath import display
from manypath.arguments import of_kind, texts
from manypath.campaign import averages, tables
from manypath.campaign.cell import Cell, told, written
from manypath.campaign.reserved import MEANS, REPLICATION, check_factors, row_mistake
from manypath.errors import UserError, quoted, remedy
from manypath.frames import flows_frame, links_frame, paths_frame, runs_frame, streams_frame
from manypath.measurements import LABELS, MEASUREMENTS, TEXTS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class Results:
    """Outcomes of a campaign's cells.

    Frames have one column for each factor, `replication`, the name of the object (`flow`, `stream`, `path`, `link`),
    and the measurements: goodput in Mbit/s, windows in bytes, times in seconds. Rows of runners other than the
    simulator are in `runs`, unchanged.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> scenario = mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"])}, measure="5 s")
    >>> results = mp.Campaign(scenario, replications=2).run(store=None, progress=False)
    >>> results.flows[["replication", "flow", "goodput", "timeouts"]].round(2)
       replication  flow  goodput  timeouts
    0            0  flow     4.74         0
    1            1  flow     4.74         0
    >>> results.links["link"].unique().tolist()
    ['south', 'south/back']
    """

    def __init__(self, cells: Sequence[tuple[Cell, str]]) -> None:
        """Make results of cells and their outcomes as JSON."""
        try:
            self._cells = [(cell, json.loads(outcome)) for cell, outcome in cells]
            check_factors(self.factors, simulated=self.has_flows)
        except (AttributeError, TypeError, ValueError):
            raise UserError(
                f"cells: {quoted(cells)} are no runs: give pairs of a Cell and its outcome as JSON"
            ) from None

    def __len__(self) -> int:
        return len(self._cells)

    def __repr__(self) -> str:
        """Return a table of mean goodputs, as wide as the terminal, and what `manypath sweep` says about the runs."""
        return display.as_text(tables.tables(self), self._last_lines())

    def _repr_html_(self) -> str:
        """Return the same table as HTML for a notebook."""
        return display.as_html(tables.tables(self), self._last_lines())

    def _last_lines(self) -> list[str]:
        return [*display.remarks_of_runs([outcome for _, outcome in self._cells]), tables.size(self)]

    @property
    def outcomes(self) -> list[tuple[Cell, Mapping[str, Any]]]:
        """Every cell with its outcome from the engine."""
        return list(self._cells)

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row for each flow of each run."""
        return flows_frame(self._labelled())

    @cached_property
    def streams(self) -> pd.DataFrame:
        """One row for each stream with ordered messages, of each flow of each run."""
        return streams_frame(self._labelled())

    @cached_property
    def paths(self) -> pd.DataFrame:
        """One row for each path of each flow of each run."""
        return paths_frame(self._labelled())

    @cached_property
    def links(self) -> pd.DataFrame:
        """One row for each link of each run."""
        return links_frame(self._labelled())

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row for each run: digest, simulated length, CPU time and counts."""
        return runs_frame(self._labelled())

    @property
    def factors(self) -> list[str]:
        """Names of the factors."""
        return list(self._cells[0][0].factors) if self._cells else []

    def levels(self, factor: str) -> list[Any]:
        """Return the values of a factor, in the order of the campaign.

        Examples
        --------
        >>> import manypath as mp
        >>> wait = mp.Function(lambda rate, seed: {"wait": 1 / rate}, version="1")
        >>> results = mp.Campaign(wait, {"rate": [2, 4]}, replications=2).run(store=None, progress=False)
        >>> results.levels("rate")
        [2, 4]
        """
        self._know(factor, self.factors)
        return list(dict.fromkeys(cell.factors[factor] for cell, _ in self._cells))

    def by_scenario(self) -> Iterator[tuple[Mapping[str, Any], Results]]:
        """Iterate over the scenarios: their factors, and the results of their replications.

        Examples
        --------
        >>> import manypath as mp
        >>> wait = mp.Function(lambda rate, seed: {"wait": 1 / rate}, version="1")
        >>> results = mp.Campaign(wait, {"rate": [2, 4]}, replications=3).run(store=None, progress=False)
        >>> [(dict(factors), len(part)) for factors, part in results.by_scenario()]
        [({'rate': 2}, 3), ({'rate': 4}, 3)]
        """
        # Values of factors may have equal texts, such as 1 and "1", and scenarios may be equal.
        parts: dict[tuple[str, str], list[tuple[Cell, Any]]] = {}
        for cell, outcome in self._cells:
            parts.setdefault((written(cell.factors), cell.document), []).append((cell, outcome))
        for cells in parts.values():
            yield cells[0][0].factors, self._part(cells)

    def select(self, **where: Any) -> Results:
        """Return the part of the results in which each named factor has the given value.

        Examples
        --------
        >>> import manypath as mp
        >>> wait = mp.Function(lambda rate, seed: {"wait": 1 / rate}, version="1")
        >>> results = mp.Campaign(wait, {"rate": [2, 4]}, replications=2).run(store=None, progress=False)
        >>> results.select(rate=4).runs
           rate  replication  wait
        0     4            0  0.25
        1     4            1  0.25
        """
        for factor, value in where.items():
            self._know(factor, self.factors)
            if hasattr(value, "__array__"):
                raise UserError(f"select: {factor} is {quoted(value)}, not one value: give one value of the factor")
            if not any(level == value for level in self.levels(factor)):
                raise self._no_value("select", factor, value)
        return self._part([pair for pair in self._cells if all(pair[0].factors[k] == v for k, v in where.items())])

    def values(self, measurement: str, **where: Any) -> pd.Series:
        """Return one value for each replication, in their order: ``values("goodput", flow="cmt", cc="newreno")``.

        The named columns must select exactly one row for each replication.

        Examples
        --------
        >>> import manypath as mp
        >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms", loss="1 %"))
        >>> scenario = mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"])}, measure="5 s")
        >>> results = mp.Campaign(scenario, replications=3).run(store=None, progress=False)
        >>> results.values("goodput", flow="flow").round(1).to_list()
        [3.9, 4.3, 4.2]
        """
        rows = self._frame(where, measurement)
        for column, value in where.items():
            rows = rows[_has(rows, column, value)]
        series = rows.set_index("replication")[measurement].sort_index()
        if series.empty:
            raise UserError(f"values: no run has {_condition(where)}: give values that the campaign has")
        if not series.index.is_unique:
            raise UserError(f"values: {_condition(where)} leaves several rows for a replication: name more columns")
        return series

    def mean(self, measurement: str, by: Sequence[str] = (), confidence: float = 0.95) -> pd.DataFrame:
        """Return mean and half-width of Student's t interval over the replications, for each combination of `by`.

        A combination may have several rows of one replication: flows, paths, or scenarios if `by` does not name all
        factors. They are averaged first, because they are not independent: the flows share links, and the scenarios
        have common random numbers. So the sample has one number for each replication.

        Columns: those of `by`, then `mean`, `half_width` (in the measurement's unit) and `n`, the number of
        replications. A replication counts if all of its rows have a number, and no row is missing that another
        replication has. Without such a replication, `mean` is NaN and `n` is 0.

        Examples
        --------
        >>> import manypath as mp
        >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms", loss="1 %"))
        >>> def scenario(cc):
        ...     return mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"], cc=cc)}, measure="5 s")
        >>> results = mp.Campaign(scenario, {"cc": ["newreno", "cubic"]}, replications=3).run(None, progress=False)
        >>> results.mean("goodput", by=["cc", "flow"]).round(2)
                cc  flow  mean  half_width  n
        0  newreno  flow  4.14        0.47  3
        1    cubic  flow  4.54        0.61  3
        """
        by = averages.distinct(texts("by", by, "names of columns"))
        rows = self._frame(by, measurement)
        for name in by:
            if name in MEANS:
                raise UserError(
                    f"by: {quoted(name)} is the name of a column of means: give the measurement another name"
                )
        labels, values = averages.of_replications(rows, measurement, by, self._identity(rows))
        return averages.means(labels, values, by, confidence)

    def compare(self, measurement: str, factor: str, baseline: Any, by: Sequence[str] = ("flow",)) -> pd.DataFrame:
        """Return paired differences to a baseline: equal replications have common random numbers in all scenarios.

        Parameters
        ----------
        measurement
            The compared measurement: ``"goodput"``.
        factor, baseline
            The factor whose values are compared, and the value that the others are compared with.
        by
            Columns that identify a row beside the factors: ``["flow"]``, ``["flow", "path"]``, ``["link"]``. If they
            leave several rows of a replication, these are averaged first, as by `mean`.

        Returns
        -------
        DataFrame
            For each value of the factor except the baseline, and each combination of the other factors and `by`:
            ``difference`` and its 95 % ``half_width`` in the measurement's unit, ``n`` pairs, and the two-sided
            ``p_value`` of Student's paired t-test. A pair counts if both of its runs have a number.

        Raises
        ------
        UserError
            If there is no such column or value.

        Examples
        --------
        >>> import manypath as mp
        >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms", loss="1 %"))
        >>> def scenario(cc):
        ...     return mp.Scenario(network=network, flows={"flow": mp.Sctp(paths=["south"], cc=cc)}, measure="5 s")
        >>> results = mp.Campaign(scenario, {"cc": ["newreno", "cubic"]}, replications=3).run(None, progress=False)
        >>> results.compare("goodput", "cc", baseline="newreno").round(2)
           flow     cc  difference  half_width  n  p_value
        0  flow  cubic        0.39        0.26  3     0.02
        """
        pairs, first, second = self._pairs(measurement, factor, baseline, by)
        return averages.differences(pairs.drop(columns=REPLICATION), first, second)

    def differences(self, measurement: str, factor: str, baseline: Any, by: Sequence[str] = ("flow",)) -> pd.DataFrame:
        """Return the paired differences of `compare`, one row for each replication, to draw them.

        The column of the measurement has the differences; parameters as for `compare`.

        Examples
        --------
        >>> import manypath as mp
        >>> wait = mp.Function(lambda rate, seed: {"wait": 1 / rate}, version="1")
        >>> results = mp.Campaign(wait, {"rate": [1, 2, 4]}, replications=1).run(store=None, progress=False)
        >>> results.differences("wait", "rate", baseline=1)
           rate  replication  wait
        0     2            0 -0.50
        1     4            0 -0.75
        """
        pairs, first, second = self._pairs(measurement, factor, baseline, by)
        return pairs.assign(**{measurement: first - second})

    def _pairs(
        self, measurement: str, factor: str, baseline: Any, by: Sequence[str]
    ) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
        """Return the labels of each pair with the baseline, its numbers, and those of the baseline."""
        self._know(factor, self.factors)
        parts = [name for name in texts("by", by, "names of columns") if self.has_flows]
        rest = [name for name in averages.distinct([*self.factors, *parts]) if name != factor]
        rows = self._frame([factor, *rest], measurement)
        if not _has(rows, factor, baseline).any():
            raise self._no_value("baseline", factor, baseline)
        labels, values = averages.of_replications(rows, measurement, [factor, *rest], self._identity(rows))
        return averages.pairs(labels, values, factor, _has(labels, factor, baseline), rest)

    def rows_of(self, measurement: str, columns: Iterable[str] = ()) -> pd.DataFrame:
        """Return the frame with the measurement and the columns: that of links, paths, streams, flows or runs.

        Raises
        ------
        UserError
            If there is no such column.
        """
        return self._frame(texts("columns", columns, "names of columns"), measurement)

    def _frame(self, columns: Sequence[str] | Mapping[str, Any], measurement: str) -> pd.DataFrame:
        """Return the frame for `columns`, after a check of the names."""
        if not self.has_flows:
            frame = self.runs
        elif "link" in columns:
            frame = self.links
        elif "path" in columns:
            frame = self.paths
        elif "stream" in columns:
            frame = self.streams
        else:
            frame = self.flows
        known = [str(name) for name in frame.columns]
        is_other = self.has_flows and isinstance(measurement, str) and measurement not in known
        if is_other and (other := _kind_of(measurement)):
            kind = f"a measurement of {other}, whose rows have other columns"
            raise UserError(f'{quoted(measurement)} is {kind}: group or select by "{LABELS[other][-1]}"')
        for column in (*columns, measurement):
            self._know(column, known)
        if measurement in TEXTS or frame[measurement].map(lambda value: isinstance(value, str)).any():
            raise UserError(f'{quoted(measurement)} has texts, not numbers: name a measurement, such as "goodput"')
        return frame

    @property
    def has_flows(self) -> bool:
        """Whether these are results of simulations, not rows of another runner."""
        return bool(self._cells) and "flows" in self._cells[0][1]

    def check_runs(self, user: str) -> None:
        """Refuse results without runs, such as a selection by a value that the campaign does not have.

        Raises
        ------
        UserError
            If there are none; `user` is the function that needs them.
        """
        if not self._cells:
            raise UserError(f"{user}: no run is selected: give results with runs")

    def _identity(self, rows: pd.DataFrame) -> list[str]:
        """Return the columns that identify a row of a frame beside the replication."""
        labels = {name for names in LABELS.values() for name in names} if self.has_flows else ()
        return [*self.factors, *(str(name) for name in rows.columns if name in labels)]

    def _labelled(self) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
        for cell, outcome in self._cells:
            # Stores of older versions, and runners of users, may have such rows.
            mistake = None if "flows" in outcome else row_mistake(outcome, cell.factors)
            if mistake is not None:
                raise UserError(f"results: replication {cell.replication} {mistake}")
            yield {**cell.factors, "replication": cell.replication}, outcome

    def _part(self, cells: list[tuple[Cell, Any]]) -> Results:
        part = Results([])
        part._cells = cells
        return part

    def _no_value(self, user: str, factor: str, value: Any) -> UserError:
        """Return the error about a value that a factor does not have."""
        levels, given = self.levels(factor), quoted(value, "")
        known = [str(level) for level in levels]
        # A number and its text look alike.
        hint = f"known: {', '.join(map(quoted, levels))}" if given in known else remedy(given, known)
        return UserError(f"{user}: {quoted(value)} is no value of {factor}: {hint}")

    def _know(self, column: str, known: list[str]) -> None:
        self.check_runs("results")
        if not isinstance(column, str) or column not in known:
            raise UserError(f"{quoted(column)} is no column of these results: {remedy(quoted(column, ''), known)}")


def _kind_of(measurement: str) -> str | None:
    """Return the frame with labelled rows that has a measurement; None if there is none."""
    return next((kind for kind, labels in LABELS.items() if labels and measurement in MEASUREMENTS[kind]), None)


def simulated(user: str, results: object, done: str = "repeated") -> Results:
    """Return results of simulations for a function that repeats their runs; `done` is what it does with them.

    Raises
    ------
    UserError
        If they are no results, have no runs, or are not of simulations.
    """
    found = of_kind("results", results, Results, "the result of Campaign.run")
    found.check_runs(user)
    if not found.has_flows:
        raise UserError(f"{user}: these results are not of simulations: only simulations can be {done}")
    return found


def _has(rows: pd.DataFrame, column: str, value: Any) -> pd.Series:
    """Return which rows have a value in a column; no rows if the value is not comparable."""
    import pandas as pd

    if value is None:
        return rows[column].map(lambda found: found is None)
    try:
        return rows[column] == value
    except (ArithmeticError, TypeError, ValueError, NotImplementedError):
        return pd.Series(data=False, index=rows.index)


def _condition(where: Mapping[str, Any]) -> str:
    return told(where) or "no condition"
