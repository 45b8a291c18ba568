"""A group of commands with common behaviour: refusal of empty paths, quick completion, a one-line end by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

from manypath.cli.bash import Cut
from manypath.cli.option_names import name_options
from manypath.cli.repeated_options import refuse_repeated
from manypath.errors import Stopped, UserError


class Group(TyperGroup):
    """Commands that refuse an empty path, which `pathlib` would read as the working directory.

    During completion, values are not converted, because Typer converts values with pydantic, which loads slowly. So
    completion functions get texts for the given values and defaults for the others.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before a command."""
        if ctx.resilient_parsing:
            _keep_values(self, ctx)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options before a command."""
        params = super().get_params(ctx)
        if any("--install-completion" in each.opts for each in params):
            from manypath.cli.completion import use_own

            use_own(params)
        _without_types_of_flags(params)
        return params

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """Read a line."""
        with _stopped_in_a_line(lambda: False):
            return super().make_context(*args, **settings)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with _stopped_in_a_line(lambda: _stores(self.commands.get(ctx.invoked_subcommand))):
            return super().invoke(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and ctx.resilient_parsing:
            _keep_values(command, ctx)
        elif command is not None:
            _without_types_of_flags(command.get_params(ctx))
            _refuse_empty_paths(command, ctx)
            name_options(command)
            refuse_repeated(command)
        return command


class HandedOver(TyperCommand):
    """A command whose words belong to another program: completion offers the options of that program."""

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the words that complete `incomplete`."""
        if not (ctx.params.get("arguments") or ctx.args):
            return super().shell_complete(ctx, incomplete)
        arguments = next(parameter for parameter in self.params if parameter.name == "arguments")
        return arguments.shell_complete(ctx, incomplete)


@contextmanager
def _stopped_in_a_line(keeps_results: Callable[[], bool]) -> Iterator[None]:
    """Turn Ctrl-C that a command does not handle into a one-line end."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped("stopped: finished results are kept" if keeps_results() else "stopped") from None


def _stores(command: Any) -> bool:
    """Whether a command has a store of results."""
    return command is not None and any(parameter.name == "store" for parameter in command.params)


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


def _without_types_of_flags(parameters: list[Any]) -> None:
    """Remove the type ``<bool>`` from the help: a flag takes no value."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""


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
