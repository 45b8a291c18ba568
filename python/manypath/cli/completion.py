"""A group of commands whose words a shell completes without loading pydantic, with which Typer converts values."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class Group(TyperGroup):
    """Commands that leave the values on a line as they were typed while the line is being completed.

    Functions that complete a word get texts, whatever the type of the value is, and the defaults of what is not there.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options that stand before a command."""
        if ctx.resilient_parsing:
            _keep_values(self, ctx)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and ctx.resilient_parsing:
            _keep_values(command, ctx)
        return command


def _keep_values(command: Any, ctx: Any) -> None:
    for parameter in command.get_params(ctx):
        parameter.process_value = _as_typed


def _as_typed(_: Any, value: Any) -> Any:
    return value
