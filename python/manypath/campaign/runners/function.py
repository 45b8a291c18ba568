"""A Python function as a runner: a testbed, another simulator, a stochastic formula."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from manypath import _native
from manypath.arguments import text
from manypath.campaign.cell import Cell
from manypath.campaign.runners.row import row
from manypath.campaign.runners.runner import Halt, JsonOrError, OfFactors, chance
from manypath.errors import UserError, quoted
from manypath.scenario.model import Model


class Function(OfFactors):
    """Calls a function with the factors and `seed` as keyword arguments; it returns a row of numbers by name.

    Equal replications get equal seeds in every scenario. Python's global lock limits a function in pure Python to one
    core, regardless of `workers`; Dask processes can use more.

    Parameters
    ----------
    function
        ``function(rate=5, seed=123) -> {"goodput": 4.7}``. An exception ends the campaign after the current runs. So
        does a number with the name of a factor.
    version
        Version of the function or, for example, of a testbed, which identifies its results: with a new version all runs
        are computed again. By default a hash of the function's source, its default arguments, and the numbers, texts
        and parts of scenarios outside of it that it names, without the functions that it calls.

    Raises
    ------
    UserError
        If there is neither a version nor a source.

    Examples
    --------
    >>> import manypath as mp
    >>> def wait(rate, seed):
    ...     return {"wait": 1 / rate}
    >>> campaign = mp.Campaign(mp.Function(wait, version="1"), {"rate": [2, 4]}, replications=1)
    >>> campaign.run(store=None, progress=False).runs
       rate  replication  wait
    0     2            0  0.50
    1     4            0  0.25
    """

    def __init__(self, function: Callable[..., Mapping[str, Any]], version: str | None = None) -> None:
        if not callable(function):
            raise UserError(f"function: {quoted(function)} is no function: give one that returns a row of numbers")
        self.function = function
        name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"
        self._name = name
        own = _source_hash(function, name) if version is None else text("version", version, VERSION)
        self._version = f"{name}:{own}"

    @property
    @override
    def version(self) -> str:
        """Name of the function and version."""
        return self._version

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Do nothing."""

    @override
    def check_factors(self, documents: Iterable[str]) -> None:
        """Refuse factors that are not the arguments of the function."""
        try:
            signature = inspect.signature(self.function)
        except ValueError:
            return  # A function without a signature is called unchecked.
        for names in dict.fromkeys(tuple(json.loads(document)) for document in documents):
            try:
                signature.bind(**dict.fromkeys(names), seed=0)
            except TypeError as error:
                raise UserError(
                    f"factors: {', '.join(names) or 'none'} differ from the arguments of {self._name} ({error}): give "
                    "all of its arguments except seed, and no others"
                ) from None

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[JsonOrError]:
        """Call the function for the cells in sequence."""
        return [_native.RunError(STOPPED) if halt.is_set() else self._call(cell) for cell in cells]

    def _call(self, cell: Cell) -> JsonOrError:
        try:
            return row(self.function(**json.loads(cell.document), seed=chance(cell)), cell.factors)
        except (Exception, SystemExit) as error:
            said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            return _native.RunError(f"seed {cell.seed}, replication {cell.replication}: {self.version} {said}")


def _source_hash(function: Callable[..., Any], name: str) -> str:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        raise UserError(
            f'version: {name} has no source for a hash: give a version, such as Function(..., "1")'
        ) from None
    values = _values_of(function, name)
    return hashlib.sha256((source + values).encode()).hexdigest()[:16]


def _values_of(function: Callable[..., Any], name: str) -> str:
    """Return the values that a function has from its surroundings; empty without any."""
    if inspect.ismethod(function):
        raise UserError(f'version: {name} depends on its object: give a version, such as Function(..., "1")')
    around = inspect.getclosurevars(function) if inspect.isfunction(function) else None
    outer = {} if around is None else {**around.globals, **around.nonlocals}
    defaults = {f"argument {key}": value for key, value in _defaults(function).items()}
    used = {key: value for key, value in {**outer, **defaults}.items() if not _is_code(value)}
    if not used:
        return ""
    try:
        return json.dumps(used, sort_keys=True, default=_written)
    except (TypeError, ValueError):
        raise UserError(
            f"version: {name} uses {', '.join(used)}, not only numbers, texts and parts of scenarios: give a version, "
            'such as Function(..., "1")'
        ) from None


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the default arguments of a function."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}


def _written(value: Any) -> str:
    """Return a part of a scenario as text, for the hash."""
    if isinstance(value, Model):
        return repr(value)
    raise TypeError


def _is_code(value: Any) -> bool:
    """Whether a value is a module, a class or a function, which the hash leaves out."""
    return inspect.ismodule(value) or inspect.isclass(value) or callable(value)


STOPPED = "stopped before its end"
"""Error of a run that the user aborted."""

VERSION = 'a version such as "1", or None'
"""Valid versions, for messages."""
