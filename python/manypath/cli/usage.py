"""What is wrong with a command line, in one line as every other mistake."""

from __future__ import annotations

from typer.exceptions import TyperException


def told(error: TyperException) -> str:
    """Say which command was given what, why it cannot be used, and where to read what can."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "manypath"
    said = error.format_message().rstrip(".")
    if error.__cause__ is not None:
        # The message of a value that cannot be read leaves the value out.
        said += _value(error.__cause__)
    return f"{command}: {said}; see {command} --help"


def _value(cause: BaseException) -> str:
    """The value that pydantic could not read."""
    from pydantic import ValidationError

    return f': it is "{cause.errors()[0]["input"]}"' if isinstance(cause, ValidationError) else ""
