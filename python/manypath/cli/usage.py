"""Errors of the command line as one-line messages."""

from __future__ import annotations

from typer.exceptions import TyperException


def told(error: TyperException) -> str:
    """Return the message: command, error, and a reference to its help."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "manypath"
    said = error.format_message().rstrip(".")
    if error.__cause__ is not None:
        # Typer's message does not contain the invalid value.
        said += _value(error.__cause__)
    return f"{command}: {said}; see {command} --help"


def _value(cause: BaseException) -> str:
    """Return the value that pydantic could not read."""
    from pydantic import ValidationError

    return f': it is "{cause.errors()[0]["input"]}"' if isinstance(cause, ValidationError) else ""
