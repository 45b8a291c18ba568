"""Names of options in error messages about the parameters of functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from manypath.errors import UserError


def name_options(command: Any) -> None:
    """Let a command replace a parameter by its option in its errors: ``at_once`` by ``--at-once``.

    Only options of the command line are named: without ``--cc``, a message about ``cc`` is about something else.
    """
    invoke: Callable[[Any], Any] = command.invoke
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]

    def with_names(context: Any) -> Any:
        with _named(lambda: {_field(each.opts[0]): each.opts[0] for each in options if _is_given(context, each.name)}):
            return invoke(context)

    command.invoke = with_names


@contextmanager
def as_options(**options: str) -> Iterator[None]:
    """Replace parameters whose options have other names in a `UserError`: ``as_options(links="--link")``."""
    with _named(lambda: options):
        yield


def _field(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def _is_given(context: Any, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@contextmanager
def _named(options: Callable[[], Mapping[str, str]]) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        known, changed = options(), []
        for line in str(error).splitlines():
            field, colon, rest = line.partition(":")
            changed.append(f"{known.get(field, field)}{colon}{rest}")
        if changed == str(error).splitlines():
            raise
        raise type(error)("\n".join(changed)) from None
