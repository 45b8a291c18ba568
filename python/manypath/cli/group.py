"""A group of commands, and what they have in common: paths that are not empty, quick completion, an end by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from manypath.cli.bash import Cut
from manypath.errors import Stopped, UserError


class Group(TyperGroup):
    """Commands that refuse an empty text for a file or folder, which `pathlib` would read as the working directory.

    While a line is being completed, its values stay as they were typed, so that pydantic, with which Typer converts
    values, is not loaded: functions that complete a word get texts, whatever the type of the value is, and the defaults
    of what is not there.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options that stand before a command."""
        if ctx.resilient_parsing:
            _keep_values(self, ctx)
        return super().parse_args(ctx, args)

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """Read a line."""
        with _stopped_in_a_line():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with _stopped_in_a_line():
            return super().invoke(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and ctx.resilient_parsing:
            _keep_values(command, ctx)
        elif command is not None:
            _refuse_empty_paths(command, ctx)
        return command


@contextmanager
def _stopped_in_a_line() -> Iterator[None]:
    """Let Ctrl-C that a command does not answer itself end in one line."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped("stopped: what was finished stays") from None


def _keep_values(command: Any, ctx: Any) -> None:
    for parameter in command.get_params(ctx):
        parameter.process_value = _as_typed
        cut = ctx.find_root().obj
        if isinstance(cut, Cut):
            parameter.shell_complete = _inserted(cut, type(parameter).shell_complete.__get__(parameter))


def _inserted(cut: Cut, complete: Callable[[Any, str], list[Any]]) -> Callable[[Any, str], list[Any]]:
    def answers(ctx: Any, incomplete: str) -> list[Any]:
        found = complete(ctx, incomplete)
        for item in found:
            item.value = cut.inserted(item.value)
        return found

    return answers


def _as_typed(_: Any, value: Any) -> Any:
    return value


def _refuse_empty_paths(command: Any, ctx: Any) -> None:
    for parameter in command.get_params(ctx):
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is not None and descriptor.annotation is Path:
            parameter.process_value = _not_empty(parameter.opts[0], type(parameter).process_value.__get__(parameter))


def _not_empty(name: str, read: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def process(ctx: Any, value: Any) -> Any:
        if value == "":
            raise UserError(f'{name}: "" is no path: name a file or folder, "." for the working directory')
        return read(ctx, value)

    return process
