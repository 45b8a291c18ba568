"""Errors of the command line as one-line messages."""

from __future__ import annotations

from typer.exceptions import TyperException


def told(error: TyperException) -> str:
    """Return the message: an option with its wrong value, or the command, its error, and a reference to its help."""
    said = _of_value(error)
    if said is not None:
        return said
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "manypath"
    return f"{command}: {error.format_message().rstrip('.')}; see {command} --help"


def _of_value(error: TyperException) -> str | None:
    """Return the message about a value that pydantic could not read; None for another error."""
    from pydantic import ValidationError

    cause, parameter = error.__cause__, getattr(error, "param", None)
    if not isinstance(cause, ValidationError) or parameter is None:
        return None
    from manypath.scenario.mistakes import of_word

    name = parameter.opts[0] if parameter.param_type_name == "option" else parameter.name.upper()
    return f"{name}: {of_word(cause.errors()[0])}"
