"""What is wrong with a command line, in one line as every other mistake."""

from __future__ import annotations

from pydantic import ValidationError
from typer.exceptions import TyperException


def told(error: TyperException) -> str:
    """Say which command was given what, why it cannot be used, and where to read what can."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "manypath"
    said = error.format_message().rstrip(".")
    if isinstance(error.__cause__, ValidationError):
        # The message of a value that cannot be read leaves the value out.
        said += f': it is "{error.__cause__.errors()[0]["input"]}"'
    return f"{command}: {said}; see {command} --help"
