"""Names of options in error messages about the parameters of functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from manypath.errors import UserError


@contextmanager
def as_options(*parameters: str) -> Iterator[None]:
    """Replace the parameter in a `UserError` by its option: ``at_once`` by ``--at-once``."""
    try:
        yield
    except UserError as error:
        field, colon, rest = str(error).partition(":")
        if field not in parameters:
            raise
        raise type(error)(f"--{field.replace('_', '-')}{colon}{rest}") from None
