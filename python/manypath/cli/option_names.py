"""Names of options in error messages about the parameters of functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from manypath.errors import UserError


@contextmanager
def as_options(*parameters: str, **others: str) -> Iterator[None]:
    """Replace the parameter in a `UserError` by its option: ``at_once`` by ``--at-once``.

    `others` are parameters whose options have other names, with these names.
    """
    try:
        yield
    except UserError as error:
        field, colon, rest = str(error).partition(":")
        if field not in parameters and field not in others:
            raise
        option = others.get(field, field)
        raise type(error)(f"--{option.replace('_', '-')}{colon}{rest}") from None
