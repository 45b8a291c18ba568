"""Outputs of a sweep: rows, a figure, frames. They are checked before the first run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from manypath.cli.frame_files import KINDS, filled, write
from manypath.errors import UserError, quoted, remedy
from manypath.measurements import columns
from manypath.outputs import FIGURE, Outputs, table
from manypath.settings import FILE as SETTINGS
from manypath.settings import KIND as SETTINGS_FILE
from manypath.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

    from manypath.campaign import Campaign, Results
    from manypath.figures import Picture


@dataclass(frozen=True)
class View:
    """The rows that are printed, drawn and written."""

    metrics: Sequence[str]
    """Printed measurements."""
    by: Sequence[str]
    """Columns that identify a row beside the factors."""
    where: Sequence[str] = ()
    """Conditions ``NAME=VALUE`` for rows."""
    baseline: str | None = None
    """The value ``NAME=VALUE`` that others are compared with."""
    frames: Path | None = None
    """Folder for the frames of every run."""
    plot: Path | None = None
    """File for a figure."""
    x: str | None = None
    """Column on the horizontal axis."""
    y: str | None = None
    """Measurement of the figure; the first of `metrics` if None."""
    hue: str | None = None
    """Column that has a colour for each value."""
    columns: str | None = None
    """Column that has a panel for each value."""
    metrics_from: str = "metric"
    """The option or the field that names `metrics`, for messages."""
    by_from: str = "by"
    """The field that names `by`, for messages."""

    def check(self, campaign: Campaign, inputs: Iterable[Path], store: Path | None = None) -> None:
        """Check all outputs with a rehearsal; measurements of runners other than the simulator cannot be checked.

        Parameters
        ----------
        campaign
            The campaign.
        inputs
            Files that the sweep reads.
        store
            Folder of results, which is no place for frames.

        Raises
        ------
        UserError
            If an output cannot be printed, drawn or written.
        """
        from manypath.campaign.rehearsal import rehearse
        from manypath.campaign.reserved import REPLICATION

        outputs = Outputs(inputs)
        if self.plot is not None:
            outputs.file("--plot", self.plot, FIGURE, makes_folder=True)
        if self.frames is not None:
            _check_frames(outputs, self.frames, campaign, store)
        factors = list(campaign.scenarios[0][0])
        named = [*self.metrics, *self.by, *filter(None, (self.x, self.y, self.hue, self.columns))]
        foreign = [name for name in named if name not in (*factors, "replication")]
        whole = rehearse(campaign, foreign)
        campaign.check_precision()
        # A column of every frame, so the message is about `by`.
        _check_columns(self.by_from, REPLICATION, self.by, whole)
        for metric in self.metrics:
            _check_columns(self.metrics_from, metric, self.by, whole)
        if self.y is not None:
            _check_columns("--y", self.y, self.by, whole)
        chosen = [_condition("--where", condition, whole) for condition in self.where]
        part = rehearse(campaign, foreign, chosen)
        if not len(part):
            raise UserError(f"--where: no run has {' and '.join(self.where)}: name a factor once")
        self.rows(part)
        if self.plot is not None:
            self.picture(part)

    def select(self, results: Results) -> Results:
        """Return the part of the results that meets the conditions."""
        for condition in self.where:
            name, value = _condition("--where", condition, results)
            results = results.select(**{name: value})
        return results

    def rows(self, results: Results) -> pd.DataFrame:
        """Return one row for each combination of the factors and `by`: mean and half-width of each metric, and `n`.

        `n` is the number of replications with a number. With several metrics, each has its own, ``METRIC_n``, because
        not every run has a number for each. With a baseline, the means are those of paired differences to it.
        """
        if self.baseline is None:
            keys = list(dict.fromkeys([*results.factors, *self.by]))
            return _side_by_side({metric: results.mean(metric, by=keys) for metric in self.metrics}, "mean")
        name, value = _condition("--baseline", self.baseline, results)
        found = {metric: results.compare(metric, name, value, self.by) for metric in self.metrics}
        if any(frame.empty for frame in found.values()):
            raise UserError(f"--baseline: {self.baseline} is the only value: give {name} other values, too")
        return _side_by_side({metric: frame.drop(columns="p_value") for metric, frame in found.items()}, "difference")

    def picture(self, results: Results) -> Picture:
        """Return the figure: of the measurement, or of its paired differences to the baseline."""
        from manypath.figures.lines import LABELS, STYLES, lines

        y, y_label, factors = self.y or self.metrics[0], None, results.factors
        if self.baseline is None:
            frame = results.rows_of(y, self.by)
        else:
            name, value = _condition("--baseline", self.baseline, results)
            frame = results.differences(y, name, value, self.by)
            y_label = f"{LABELS.get(y, y)}:\ndifference to {name} = {value}"
        for option, column in (("--x", self.x), ("--hue", self.hue), ("--columns", self.columns)):
            if column is not None and column not in frame.columns:
                known = remedy(column, [str(name) for name in frame.columns])
                raise UserError(f"{option}: {quoted(column)} is no column of these results: {known}")
        numeric = (name for name in factors if _has_numbers(results.levels(name)))
        along = self.x or next(numeric, next(iter(factors), None))
        if along is None:
            raise UserError("--plot: there is no factor to draw over: name a column with --x")
        keys = dict.fromkeys([*factors, *self.by])
        count = {name: frame[name].nunique() for name in keys if frame[name].nunique() > 1}
        rest = [name for name in count if name not in (along, self.hue, self.columns)]
        colour = self.hue or (rest.pop(0) if rest else None)
        style = next((name for name in rest if count[name] <= len(STYLES)), None)
        panels = self.columns or next((name for name in rest if name != style), None)
        _check_places(count, colour, panels, [name for name in rest if name not in (style, panels)])
        return lines(frame, x=along, y=y, color=colour, style=style, columns=panels, y_label=y_label)

    def write(self, results: Results, settings: Settings) -> None:
        """Write the frames of all results, and their settings in another file."""
        if self.frames is None:
            return
        from manypath.frames import with_none_as_text

        frames = {kind: with_none_as_text(frame, results.factors) for kind, frame in filled(results)}
        files = {self.frames / f"{kind}.csv": frame for kind, frame in frames.items()}
        write("--frames", {**files, self.frames / SETTINGS: settings.file()})
        for target in files:
            typer.echo(f"runs: {target}", err=True)
        self._remove_old(self.frames, results, [*frames])

    @staticmethod
    def _remove_old(folder: Path, results: Results, written: Sequence[str]) -> None:
        """Remove files of an earlier sweep that this one does not replace; `check` found that manypath wrote them."""
        for kind in KINDS if results.has_flows else ():
            old = folder / f"{kind}.csv"
            if kind not in written and old.is_file():
                old.unlink()
                typer.echo(f"runs: {old} of an earlier sweep is removed, because this one has no {kind}", err=True)


def _check_places(count: Mapping[str, int], colour: str | None, panels: str | None, rest: Sequence[str]) -> None:
    """Refuse a figure with more columns, or more values of a column, than a figure can show."""
    from manypath.figures.lines import MOST_PANELS
    from manypath.figures.style import COLOURS

    if rest:
        raise UserError(
            f"--plot: {' and '.join(rest)} cannot be shown beside the other columns: choose one value with "
            f"--where {rest[0]}=VALUE"
        )
    for column, what, most in ((colour, "colours", len(COLOURS)), (panels, "panels", MOST_PANELS)):
        values = count.get(column or "", 0)
        if values > most:
            raise UserError(
                f"--plot: {column} has {values} values, but there are {most} {what}: choose one value with --where "
                f"{column}=VALUE, or other columns with --x, --hue and --columns"
            )


def _check_frames(outputs: Outputs, folder: Path, campaign: Campaign, store: Path | None) -> None:
    """Check the files of `View.write`; existing ones may be from a sweep with other factors."""
    from manypath.campaign.runners import SIMULATOR

    outputs.folder("--frames", folder)
    if store is not None and folder.resolve() == store.resolve():
        raise UserError(f"--frames: {folder} is the store itself: choose another folder")
    if campaign.runner is SIMULATOR:
        kinds = {kind: table(("replication", *columns(kind)), more="before") for kind in KINDS}
    else:
        kinds = {"runs": table((*campaign.scenarios[0][0], "replication"), more="after")}
    for name, kind in kinds.items():
        outputs.file("--frames", folder / f"{name}.csv", kind, makes_folder=True)
    outputs.file("--frames", folder / SETTINGS, SETTINGS_FILE, makes_folder=True)


def _check_columns(field: str, metric: str, by: Sequence[str], results: Results) -> None:
    """Refuse names that are no columns of the results."""
    try:
        results.rows_of(metric, by)
    except UserError as error:
        raise UserError(f"{field}: {error}") from None


def _condition(option: str, condition: str, results: Results) -> tuple[str, Any]:
    """Read ``NAME=VALUE`` as a factor and one of its values."""
    name, equals, text = condition.partition("=")
    if not equals:
        raise UserError(f"{option}: {quoted(condition)} is no condition: write NAME=VALUE")
    if name not in results.factors:
        raise UserError(f"{option}: {quoted(name)} is no factor: {remedy(name, results.factors)}")
    levels = results.levels(name)
    known = {str(value): value for value in levels}
    if len(known) < len(levels):
        raise UserError(f"{option}: several values of {name} have the same text: give them different texts")
    if text not in known:
        raise UserError(f"{option}: {quoted(text)} is no value of {name}: {remedy(text, known)}")
    return name, known[text]


def _side_by_side(found: dict[str, pd.DataFrame], value: str) -> pd.DataFrame:
    """Merge frames with the same rows; each has a `value`, its half-width and its number of runs."""
    first = next(iter(found.values()))
    rows = first.drop(columns=[value, "half_width", "n"])
    for metric, frame in found.items():
        count = "n" if len(found) == 1 else f"{metric}_n"
        for column, source in ((metric, value), (f"{metric}_half_width", "half_width"), (count, "n")):
            if column in rows.columns:
                raise UserError(
                    f'metric: {quoted(metric)} needs a column "{column}", which the rows have already: give the factor '
                    "another name, or print other measurements"
                )
            rows[column] = frame[source]
    return rows


def _has_numbers(levels: list[Any]) -> bool:
    from manypath.figures.axis import Axis

    return not Axis.of(levels).words
