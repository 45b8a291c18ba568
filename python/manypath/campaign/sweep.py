"""A sweep file in TOML or JSON: a scenario or another runner, factors, and replications or precision."""

from __future__ import annotations

import copy
import importlib
import itertools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pydantic import Field, PrivateAttr, field_validator, model_validator

from manypath.campaign.campaign import Campaign
from manypath.campaign.combinations import check_each_apart, repeated, told_twice
from manypath.campaign.fields import put
from manypath.campaign.precision import Precision
from manypath.campaign.reserved import check_factors
from manypath.campaign.runners import Command, Function, Runner
from manypath.errors import UserError, in_file_form, quoted
from manypath.scenario import Scenario
from manypath.scenario.document import with_dimensions
from manypath.scenario.files import mistakes_of, read_table
from manypath.scenario.model import Model


class Factor(Model):
    """A factor with a name and a field: ``north = { field = "network.disjoint.north.rate", values = [...] }``."""

    field: tuple[str, ...] = Field(default=(), min_length=1, validate_default=False)
    """Dotted places in the scenario file that get the value; a single place may be a text."""
    values: tuple[Any, ...] = Field(min_length=1)
    """The values, written as in a scenario file."""

    @field_validator("values")
    @classmethod
    def _each_once(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        twice = repeated(values, label=_called)
        if twice is not None:
            raise ValueError(told_twice(*twice))
        return values

    @field_validator("field")
    @classmethod
    def _each_place_once(cls, field: tuple[str, ...]) -> tuple[str, ...]:
        if "" in field:
            raise ValueError('"" is no place: give one such as "flows.f.cc"')
        for one, other in itertools.combinations(field, 2):
            if one == other:
                raise ValueError(f"{quoted(one)} occurs twice: give each field once")
            if _overlap(one, other):
                outer, inner = sorted((one, other), key=len)
                raise ValueError(f"{quoted(inner)} is a part of {quoted(outer)}: give one of them")
        return field

    @field_validator("field", mode="before", json_schema_input_type=str | tuple[str, ...])
    @classmethod
    def _one_or_several(cls, field: Any) -> Any:
        return (field,) if isinstance(field, str) else field


class RunnerTable(Model):
    """A runner other than the simulator."""

    command: str | None = None
    """Command line of a program that prints numbers; see `Command`."""
    python: str | None = None
    """A function as ``"module:function"``; the module may be in the folder of the sweep file. See `Function`."""
    version: str | None = None
    """Version of the program or function, which identifies its results; a hash of it by default."""
    timeout: str = "1 h"
    """Longest duration of a run of a command."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.command is None) == (self.python is None):
            raise ValueError("needs exactly one of command and python: give one")
        if self.command is None and "timeout" in self.model_fields_set:
            raise ValueError(f"timeout: {quoted(self.timeout)} is only valid with command: leave it out")
        return self


class Sweep(Model):
    """The content of a sweep file."""

    scenario: str | dict[str, Any] | None = None
    """File of the scenario, relative to the folder of the sweep file; or the scenario as a table."""
    runner: RunnerTable | None = None
    """A runner instead of a scenario."""
    factors: dict[str, Factor] = Field(default={})
    """Factors by name, each with a list of values. Without a table the name is the dotted place in the scenario.
    Names of columns of results, such as ``path``, are refused."""
    replications: int | None = Field(default=None, ge=1)
    """Replications of each combination; 10 by default if there is no precision."""
    precision: Precision | None = None
    """Instead of replications: wanted width of confidence intervals, ``"2 %"`` or a table."""
    seed: int = Field(default=1, ge=0, lt=1 << 64)
    """Seed of the random numbers."""
    metrics: tuple[str, ...] = Field(default=("goodput",), min_length=1)
    """Printed measurements."""
    by: tuple[str, ...] | None = None
    """Columns that identify a row beside the factors: ``["flow"]`` (default), ``["flow", "path"]`` or ``["link"]``."""
    _file: Path = PrivateAttr(default=Path())

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a sweep from a TOML or JSON file; ``-`` is standard input.

        Raises
        ------
        UserError
            If the file cannot be read or is invalid.
        """
        fields = read_table(path, "sweep")
        with mistakes_of(path):
            sweep = cls(**fields)
        sweep._file = Path(path)
        return sweep

    @field_validator("scenario", mode="before", json_schema_input_type=str | dict[str, Any] | None)
    @classmethod
    def _file_or_table(cls, scenario: Any) -> Any:
        if not (scenario is None or isinstance(scenario, str | Mapping)):
            raise ValueError(f"{quoted(scenario)} is neither a file nor a table: give the name of a file, or a table")
        return scenario

    @field_validator("factors", mode="before", json_schema_input_type=dict[str, Factor | list[Any] | dict[str, Any]])
    @classmethod
    def _short_factors(cls, factors: Any) -> Any:
        """Read ``"flows.cmt.cc" = [...]`` as a factor with this name and place."""
        if not isinstance(factors, Mapping):
            return factors
        flat = dict(_dotted(factors))
        return {name: {"values": values} if isinstance(values, list) else values for name, values in flat.items()}

    @field_validator("precision", mode="before", json_schema_input_type=str | Precision | None)
    @classmethod
    def _short_precision(cls, precision: Any) -> Any:
        return {"within": precision} if isinstance(precision, str) else precision

    @field_validator("metrics")
    @classmethod
    def _each_metric_once(cls, metrics: tuple[str, ...]) -> tuple[str, ...]:
        twice = repeated(metrics)
        if twice is not None:
            raise ValueError(told_twice(*twice, "measurement"))
        return metrics

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.scenario is None) == (self.runner is None):
            raise ValueError("needs exactly one of scenario and runner: give one")
        if self.replications is not None and self.precision is not None:
            raise ValueError("replications: not valid with precision: give the maximum of the precision instead")
        try:
            check_factors(self.factors, simulated=self.runner is None)
        except UserError as error:
            raise ValueError(str(error)) from None
        if self.runner is None:
            _check_fields_apart(self.factors)
            return self
        for name, factor in self.factors.items():
            if factor.field:
                raise ValueError(
                    f"factors.{name}.field: {', '.join(map(quoted, factor.field))} is a place in a scenario, and a "
                    f"runner gets the factor by its name {quoted(name)}: leave field out"
                )
        return self

    @cached_property
    def values(self) -> dict[str, dict[Any, Any]]:
        """For each factor its values by their labels in tables; the label of a table or a list is its text."""
        return {name: {_called(value): value for value in factor.values} for name, factor in self.factors.items()}

    @property
    def inputs(self) -> list[Path]:
        """Files that the sweep reads beside its own: the scenario, or the module or program of the runner."""
        if isinstance(self.scenario, str):
            return [self._file.parent / self.scenario]
        if self.runner is None:
            return []
        if self.runner.python is not None:
            return [self._file.parent / f"{self.runner.python.partition(':')[0].replace('.', '/')}.py"]
        # `campaign` reports errors of quotation marks.
        return [Path(word) for word in (self.runner.command or "").replace("'", " ").replace('"', " ").split()]

    def campaign(self, most: int = 100_000) -> Campaign:
        """Return the campaign of the file; see `Campaign` for its errors."""
        kind = Campaign if self.runner else _OfFields
        return kind(
            _runner(self.runner, self._file.parent) if self.runner else self._scenario(),
            {name: list(values) for name, values in self.values.items()},
            replications=self.replications,
            seed=self.seed,
            precision=self.precision,
            most=most,
        )

    def _scenario(self) -> Callable[..., Scenario]:
        if isinstance(self.scenario, str):
            base = read_table(self._file.parent / self.scenario, "scenario")
        else:
            base = self.scenario or {}
        base = with_dimensions(Scenario, base)

        def make(**chosen: Any) -> Scenario:
            fields = copy.deepcopy(dict(base))
            with in_file_form() if self._file == Path() else mistakes_of(self._file):
                for name, called in chosen.items():
                    for place in _places(name, self.factors[name]):
                        _put(fields, place, copy.deepcopy(self.values[name][called]), name)
                return Scenario(**fields)

        return make


class _OfFields(Campaign):
    """A campaign whose factors are fields: each value of a field gives another scenario."""

    def _check_apart(self, scenarios: Sequence[tuple[Mapping[str, Any], str]]) -> None:
        with in_file_form():
            check_each_apart(scenarios[0][0], scenarios)


def _places(name: str, factor: Factor) -> tuple[str, ...]:
    """Return the places that a factor sets."""
    return factor.field or (name,)


def _check_fields_apart(factors: Mapping[str, Factor]) -> None:
    """Refuse two factors that set the same field, or a field and a part of it.

    The later would replace the value of the earlier, and rows would have a value that was not simulated.
    """
    for (name, factor), (other, second) in itertools.combinations(factors.items(), 2):
        for here, there in itertools.product(_places(name, factor), _places(other, second)):
            if here == there:
                both = f"{quoted(name)} and {quoted(other)} both set {quoted(here, '')}"
                raise ValueError(f"factors: {both}: give each field once")
            if _overlap(here, there):
                (outer, whole), (inner, part) = sorted(((name, here), (other, there)), key=lambda pair: len(pair[1]))
                sets = f"{quoted(outer)} sets {quoted(whole, '')}, and {quoted(inner)} its part {quoted(part, '')}"
                raise ValueError(f"factors: {sets}: give one of them")


def _overlap(one: str, other: str) -> bool:
    """Whether two places are the same, or one contains the other."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _runner(table: RunnerTable, folder: Path) -> Runner:
    if table.command is not None:
        return Command(table.command, table.version, table.timeout)
    return Function(_function(table.python or "", folder), table.version)


def _put(fields: dict[str, Any], place: str, value: Any, factor: str) -> None:
    try:
        put(fields, place, value)
    except UserError as error:
        where = "" if factor == place else f"{factor}: "
        raise UserError(f"factors: {where}{error}") from None


def _dotted(factors: Mapping[str, Any], within: str = "") -> list[tuple[str, Any]]:
    """Return factors by dotted name; TOML reads ``flows.cmt.cc = [...]`` without quotes as nested tables."""
    found: list[tuple[str, Any]] = []
    for name, value in factors.items():
        if isinstance(value, Mapping) and value and "values" not in value and "field" not in value:
            found += _dotted(value, f"{within}{name}.")
            continue
        found.append((f"{within}{name}", value))
    return found


def _called(value: Any) -> Any:
    """Return the label of a value in tables and figures."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_called(inner)}" for key, inner in value.items())
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple) else value


def _function(name: str, folder: Path) -> Callable[..., Any]:
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute and all(part.isidentifier() for part in module.split("."))):
        raise UserError(f'runner.python: {quoted(name)} is no function: write "module:function"')
    if str(folder.resolve()) not in sys.path:
        sys.path.insert(0, str(folder.resolve()))
    try:
        function = getattr(importlib.import_module(module), attribute, None)
    except ImportError as error:
        raise UserError(
            f"runner.python: {name} cannot be imported ({error}): put it into the folder of the sweep file"
        ) from None
    if not callable(function):
        raise UserError(f"runner.python: {module} has no function {quoted(attribute)}: give the name of one")
    return function
