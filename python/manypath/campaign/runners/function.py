"""A Python function as a runner: a testbed, another simulator, a formula with chance in it."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from manypath import _native
from manypath.arguments import text
from manypath.campaign.cell import Cell
from manypath.campaign.runners.row import row
from manypath.campaign.runners.runner import Halt, Outcome, Runner, chance
from manypath.errors import UserError, quoted


class Function(Runner):
    """Calls a function with the factors as keywords, and with `seed`; it returns a row of numbers by name.

    Equal replications get equal seeds in every scenario. A function that computes in Python holds Python's lock: it
    uses one core, however many `workers` there are; processes of Dask use more.

    Parameters
    ----------
    function
        ``function(rate=5, seed=123) -> {"goodput": 4.7}``. What it raises ends the campaign, after the runs under way.
    version
        What results depend on besides the parameters, such as the state of a testbed; a new one computes everything
        again. By default a hash of the function's own source, which does not see what it calls.

    Raises
    ------
    UserError
        If there is no version and no source to take it from.

    Examples
    --------
    >>> def wait(rate, seed):
    ...     return {"wait": 1 / rate}
    >>> Function(wait, version="1").version
    'manypath.campaign.runners.function.wait:1'
    """

    def __init__(self, function: Callable[..., Mapping[str, Any]], version: str | None = None) -> None:
        if not callable(function):
            raise UserError(f"function: {quoted(function)} is no function: give one that returns a row of numbers")
        self.function = function
        name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"
        own = _source_hash(function, name) if version is None else text("version", version, VERSION)
        self._version = f"{name}:{own}"

    @property
    @override
    def version(self) -> str:
        """Name of the function and version."""
        return self._version

    @override
    def prepare(self, cells: Sequence[Cell], at_once: int) -> None:
        """Nothing to prepare."""

    @override
    def run(self, cells: Sequence[Cell], threads: int, halt: Halt) -> list[Outcome]:
        """Call the function for one cell after the other."""
        return [_native.RunError(STOPPED) if halt.is_set() else self._call(cell) for cell in cells]

    def _call(self, cell: Cell) -> Outcome:
        try:
            return row(self.function(**json.loads(cell.document), seed=chance(cell)))
        except Exception as error:
            said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            return _native.RunError(f"seed {cell.seed}, replication {cell.replication}: {self.version} {said}")


def _source_hash(function: Callable[..., Any], name: str) -> str:
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        raise UserError(f'version: {name} has no source to tell its versions apart: give Function(..., "1")') from None
    return hashlib.sha256(source.encode()).hexdigest()[:16]


STOPPED = "stopped before its end"
"""What is said of a run that the user gave up."""

VERSION = 'one such as "1", or nothing'
"""What a version may be."""
