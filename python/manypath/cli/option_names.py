"""Names of options in messages about the parameters behind them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from manypath.errors import UserError


@contextmanager
def as_options(*parameters: str) -> Iterator[None]:
    """Let a `UserError` about one of these parameters name the option of the same name, such as ``--at-once``."""
    try:
        yield
    except UserError as error:
        field, colon, rest = str(error).partition(":")
        if field not in parameters:
            raise
        raise type(error)(f"--{field.replace('_', '-')}{colon}{rest}") from None
