"""Names that factors cannot have, because columns of results or of tables made from them have these names."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from manypath.errors import UserError, quoted
from manypath.measurements import LABELS, MEASUREMENTS
from manypath.scenario.names import visible_name

REPLICATION = "replication"
"""The column with the number of the replication, in every frame."""

MEANS = ("mean", "half_width", "n")
"""Columns of `Results.mean` beside those of `by`."""

DIFFERENCES = ("difference", "half_width", "n", "p_value")
"""Columns of `Results.compare` beside the factors and `by`."""

OF_TABLES = frozenset({REPLICATION, *MEANS, *DIFFERENCES})
"""Columns that results of every runner have."""

OF_FRAMES = frozenset(name for part in (LABELS, MEASUREMENTS) for names in part.values() for name in names)
"""Columns of the frames of simulations, from the lists of all measurements."""

SEED = "seed"
"""The name under which functions and programs get the seed of a run; the factor would be lost."""

PARTS = ("flows", "links")
"""Parts of the outcome of a simulation, which frames read as tables."""


def check_factors(names: Iterable[str], *, simulated: bool) -> None:
    """Refuse names of factors that would hide a column of results, or be hidden by it.

    Parameters
    ----------
    names
        The names.
    simulated
        Whether the results have the frames of simulations. The rows of other runners are checked after their runs.

    Raises
    ------
    UserError
        If a name is empty or reserved.
    """
    reserved = OF_TABLES | OF_FRAMES if simulated else OF_TABLES
    check_apart("factors", names, reserved, "is the name of a column of results")
    if not simulated:
        check_apart("factors", names, (SEED,), "is the name of the seed that a runner gets")


def check_apart(field: str, names: Iterable[str], reserved: Collection[str], what: str) -> None:
    """Refuse names of factors that are empty or reserved; `what` says what a reserved name is."""
    taken = list(names)
    for name in taken:
        try:
            visible_name(name, 'give the factor a name, such as "cc"')
        except ValueError as error:
            raise UserError(f"{field}: {error}") from None
        if name in reserved:
            other = f"{name}_"
            while other in reserved or other in taken:
                other += "_"
            raise UserError(
                f'{field}: "{quoted(name, "")}" {what}: give the factor another name, such as "{quoted(other, "")}"'
            )


def check_columns(check: str, factors: Iterable[str], columns: Collection[str]) -> None:
    """Refuse factors with the names of columns of the frame of a check, such as `check_warmup`.

    Raises
    ------
    UserError
        If there is one.
    """
    check_apart(check, factors, columns, "is also the name of a column of this check")


def row_mistake(columns: Iterable[str], factors: Collection[str]) -> str | None:
    """Return what is wrong with the names of a row of a runner other than the simulator; None if nothing is.

    A number with the name of a factor would replace its value in every frame.
    """
    for name in columns:
        if name in factors:
            what = "is the name of a factor"
        elif name == REPLICATION:
            what = "is the column with the number of the run"
        elif name in PARTS:
            what = "is a part of the results of simulations"
        else:
            continue
        return f'gave "{quoted(name, "")}", which {what}: give the number another name, such as "{name}_measured"'
    return None
