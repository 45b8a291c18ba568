"""The checked windows of each paper, in a small table that is part of the package.

`manypath papers NAME --check-warmup --publish` writes the file `windows.json` into the folder of the paper or study. It
has a row for each experiment whose quick window is not that of full precision, and a row for each experiment with the
cases that change within the window of full precision. A hash of the scenarios ties a row to the experiment, so that a
changed experiment counts as unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, TypeAdapter

from manypath import _native
from manypath.errors import UserError, quoted
from manypath.outputs import Kind
from manypath.papers import kept
from manypath.papers.consistency import Amount, Count, Whole, malformed, repeated
from manypath.papers.evidence import Case, Level
from manypath.papers.experiment import Precision
from manypath.papers.paper import Paper
from manypath.papers.runner import SEED
from manypath.papers.steadiness import CheckedWindow, Steady
from manypath.quantity import SPAN
from manypath.replacement import replacing
from manypath.scenario import Saturated, Scenario

FORMAT = 2
"""Version of the tables. Tables of other versions are refused."""

FILE = "windows.json"
"""Name of a table, in the folder of its paper."""


@dataclass(frozen=True)
class UnsteadyCase:
    """A case whose quick window is not shown to be steady.

    Attributes
    ----------
    factors : mapping
        The levels of its factors.
    flow : str
        The flow with the largest change.
    steady : Steady
        The outcome of the check.
    quick, full : float
        Its goodput in the quick window and in the full window of the same runs, Mbit/s.
    truncation : float or None
        Time that MSER-5 removes from the full run, in seconds; None without an estimate.
    """

    factors: Mapping[str, Level]
    flow: str
    steady: Steady
    quick: Amount
    full: Amount
    truncation: Amount | None


@dataclass(frozen=True)
class CheckedExperiment:
    """The check of the quick windows of an experiment.

    Attributes
    ----------
    experiment : str
        Name of the experiment.
    scenarios : str
        Hash of its scenarios and windows.
    cases : int
        Number of its cases.
    replications : int
        Largest number of runs of a case.
    truncation : float or None
        Largest truncation by MSER-5 of a flow, in seconds; None without an estimate.
    unsteady : tuple of UnsteadyCase
        The cases that are not shown to be steady.
    """

    experiment: str
    scenarios: str
    cases: Count
    replications: Count
    truncation: Amount | None
    unsteady: tuple[UnsteadyCase, ...]

    def why(self, case: Case) -> str:
        """Return why a case has no quick verdict; empty if its window is steady."""
        found = next((each for each in self.unsteady if Case.of(self.experiment, **each.factors) == case), None)
        if found is None:
            return ""
        shown = "not steady" if found.steady == "changes" else "not shown to be steady"
        rates = f"{found.flow} has {found.quick:.3g} Mbit/s in it and {found.full:.3g} Mbit/s in the full window"
        cut = "" if found.truncation is None else f"; MSER-5 suggests {found.truncation:g} s"
        return f"the quick window of {self.experiment} is {shown}: {rates}{cut}"


@dataclass(frozen=True)
class ChangingCase:
    """A case whose flow has another rate in a part of the window of full precision than in the rest.

    Attributes
    ----------
    factors : mapping
        The levels of its factors.
    flow : str
        The flow with the largest change.
    part : str
        The part, such as ``first half``.
    within, rest : float
        Its goodput in the part and in the rest of the window, Mbit/s.
    """

    factors: Mapping[str, Level]
    flow: str
    part: str
    within: Amount
    rest: Amount

    def __str__(self) -> str:
        return (
            f"{self.flow} has {self.within:.3g} Mbit/s in the {self.part} of the window and {self.rest:.3g} in the rest"
        )


@dataclass(frozen=True)
class CheckedWhole:
    """The check of an experiment for changes within the window of full precision.

    Attributes
    ----------
    experiment : str
        Name of the experiment.
    scenarios : str
        Hash of its scenarios and windows.
    cases : int
        Number of its cases, but those whose scenario itself changes.
    changing : tuple of ChangingCase
        Those of them that change.
    """

    experiment: str
    scenarios: str
    cases: Whole
    changing: tuple[ChangingCase, ...]


@dataclass(frozen=True)
class CheckedPaper:
    """The checked windows of a paper by experiment: shorter ones of quick precision, and those of full precision."""

    quick: Mapping[str, CheckedExperiment]
    full: Mapping[str, CheckedWhole]


def load(name: str) -> CheckedPaper | None:
    """Return the checked experiments of a paper or study; None if there is no table.

    Raises
    ------
    UserError
        If the file is no table of this version, is inconsistent, or belongs to another paper.
    """
    file = kept.file_of(name, FILE)
    if not file.is_file():
        return None
    table = kept.read(_TABLE, file, AGAIN)
    wrong = next(_wrong(table, name), None)
    if wrong:
        raise UserError(f"{file}: {wrong}: {AGAIN}")
    return CheckedPaper(
        {each.experiment: each for each in table.experiments}, {each.experiment: each for each in table.regimes}
    )


def is_shorter(paper: Paper, precision: Precision, case: Case) -> bool:
    """Return whether a case has another window than with full precision."""
    return _spans(paper, precision, case) != _spans(paper, paper.full, case)


def _spans(paper: Paper, precision: Precision, case: Case) -> list[int]:
    """Return the warm-up and the duration of the measurement of a case, in nanoseconds."""
    return [SPAN.parse(text) for text in paper.experiments.window(case, precision)]


def changing_cases(paper: Paper) -> dict[Case, ChangingCase]:
    """Return the cases that change within the window of full precision, but those whose scenario itself changes."""
    table = load(paper.name)
    rows = [] if table is None else [row for row in table.full.values() if row.changing]
    return {
        Case.of(row.experiment, **each.factors): each
        for row in rows
        if row.scenarios == scenarios_of(paper, row.experiment, full=True)
        for each in row.changing
    }


def unchecked(paper: Paper, experiments: Iterable[str]) -> set[str]:
    """Return the experiments whose windows of full precision were not checked for changes, or have changed since."""
    table = load(paper.name)
    rows = {} if table is None else table.full
    return {
        name for name in experiments if name not in rows or rows[name].scenarios != scenarios_of(paper, name, full=True)
    }


def changes_itself(scenario: Scenario) -> bool:
    """Return whether a scenario itself changes within its window.

    It does by events or traces of links, by applications that pause or end, and by flows that start late.
    """
    links, flows = scenario.network.links.values(), scenario.flows.values()
    return (
        any(link.events or link.trace for link in links)
        or any(flow.start.earliest > scenario.warmup for flow in flows)
        or not all(isinstance(flow.app, Saturated) for flow in flows)
    )


def scenarios_of(paper: Paper, experiment: str, *, full: bool = False) -> str:
    """Return a hash of the quick or full cases of an experiment, with their scenarios and both windows.

    Settings with their default values are left out, so that a new setting does not change it.
    """
    lines: list[str] = []
    for case in paper.experiments.cases(paper.precision(full=full), {experiment}):
        windows = [_spans(paper, each, case) for each in (paper.quick, paper.full)]
        scenario = paper.experiments.scenario(case, paper.full).model_dump(mode="json", exclude_defaults=True)
        lines.append(json.dumps([str(case), windows, scenario], sort_keys=True))
    return sha256("\n".join(lines).encode()).hexdigest()[:HASH]


def publish(paper: Paper, quick: Iterable[CheckedWindow], full: Iterable[CheckedWindow]) -> Path:
    """Write the checks of all windows of a paper into the package, and return the path of the file."""
    target = kept.file_of(paper.name, FILE)
    with replacing("--publish", target) as begun:
        begun.write_text(table(paper, quick, full), encoding="utf-8")
    return target


def table(paper: Paper, quick: Iterable[CheckedWindow], full: Iterable[CheckedWindow]) -> str:
    """Return the text of the table, with a line for each experiment of both lists."""
    rows: dict[str, list[Any]] = {
        "experiments": [_row(paper, name, found) for name, found in _grouped(each for each in quick if not each.same)],
        "regimes": [_whole(paper, name, found) for name, found in _grouped(full)],
    }
    head = {"windows": FORMAT, "paper": paper.name, "engine": _native.engine_version(), "seed": SEED}
    lines = [f'"{name}": {_json(value)}' for name, value in head.items()]
    lines += [f'"{name}": [\n' + ",\n".join(map(_json, each)) + "\n]" for name, each in rows.items()]
    return "{" + ",\n".join(lines) + "}\n"


def _grouped(found: Iterable[CheckedWindow]) -> Iterator[tuple[str, list[CheckedWindow]]]:
    ordered = sorted(found, key=lambda each: each.case.experiment)
    return ((name, [*group]) for name, group in groupby(ordered, lambda each: each.case.experiment))


def _whole(paper: Paper, name: str, found: Sequence[CheckedWindow]) -> dict[str, Any]:
    own = [each for each in found if not changes_itself(paper.experiments.scenario(each.case, paper.full))]
    return {
        "experiment": name,
        "scenarios": scenarios_of(paper, name, full=True),
        "cases": len(own),
        "changing": [
            {
                "factors": dict(each.case.factors),
                "flow": each.rates[0].flow,
                "part": each.rates[0].part,
                "within": round(float(each.rates[0].one.mean()), 4),
                "rest": round(float(each.rates[0].other.mean()), 4),
            }
            for each in own
            if each.steady == "changes"
        ],
    }


def _row(paper: Paper, name: str, found: Sequence[CheckedWindow]) -> dict[str, Any]:
    return {
        "experiment": name,
        "scenarios": scenarios_of(paper, name),
        "cases": len(found),
        "replications": max(each.replications for each in found),
        "truncation": max((each.truncation for each in found if each.truncation is not None), default=None),
        "unsteady": [
            {
                "factors": dict(each.case.factors),
                "flow": each.rates[0].flow,
                "steady": each.steady,
                "quick": round(float(each.rates[0].one.mean()), 4),
                "full": round(float(each.rates[0].other.mean()), 4),
                "truncation": each.rates[0].truncation,
            }
            for each in found
            if each.steady != "steady"
        ],
    }


def _readable(version: int) -> int:
    if version != FORMAT:
        raise ValueError(f"version {version} is unknown: this package reads version {FORMAT}")
    return version


@dataclass(frozen=True)
class _Table:
    """The content of a file. `windows` is the first field, so a wrong version is reported before other errors."""

    windows: Annotated[int, AfterValidator(_readable)]
    paper: str
    engine: str
    seed: Whole
    experiments: tuple[CheckedExperiment, ...]
    regimes: tuple[CheckedWhole, ...]


def _wrong(table: _Table, name: str) -> Iterator[str]:
    """Describe the inconsistencies in a table: the field, and what is wrong."""
    if table.paper != name:
        yield f"paper: {quoted(table.paper)} is not {name}"
    yield from malformed("engine", table.engine, 16)
    for rows, found in (("experiments", table.experiments), ("regimes", table.regimes)):
        yield from repeated(rows, [each.experiment for each in found])
        for each in found:
            yield from malformed(f"{rows}.{each.experiment}.scenarios", each.scenarios, HASH)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


_TABLE = TypeAdapter(_Table)

AGAIN = "delete it and check the windows of the paper again"

HASH = 16
"""Characters of a hash."""

KIND = Kind("a table of checked windows", lambda head, _: head.startswith(b'{"windows": '))
"""Kind of the file, for checks of outputs."""
