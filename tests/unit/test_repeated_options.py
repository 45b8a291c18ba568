"""An option that is no list is given once: no command silently takes the last of several values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.main import get_command

from manypath.cli.app import app
from manypath.errors import UserError

Called = Callable[..., Any]


def commands(group: Any, *before: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Iterate over all commands, with the words that name them."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *before, name)
        else:
            yield (*before, name), command


APP = get_command(app)

OPTIONS = {
    words: [each for each in command.params if each.param_type_name == "option" and not each.multiple]
    for words, command in commands(APP)
}
"""The options of each command that are no lists."""


def test_every_command_and_group_is_walked():
    assert {("run",), ("papers",), ("store", "prune"), ("measure",)} <= OPTIONS.keys()
    assert len([option for options in OPTIONS.values() for option in options]) > 100


@pytest.mark.parametrize("words", OPTIONS, ids=" ".join)
def test_an_option_that_is_no_list_is_given_once(words: tuple[str, ...]):
    for option in OPTIONS[words]:
        name, *_ = option.opts
        if option.is_flag:
            cases = {(name, name): f"{name}: is given more than once: give it once"}
            for other in option.secondary_opts:
                cases[name, other] = f"{other}: not valid with {name}: give one of them"
        else:
            cases = {
                (name, "1", f"{name}=2"): f'{name}: "1" and "2" are several values: give one',
                (name, "1", name, "1"): f'{name}: "1" is given more than once: give it once',
            }
        for given, said in cases.items():
            with pytest.raises(UserError) as error:
                APP.main([*words, *given], standalone_mode=False)
            assert str(error.value) == said


def test_it_is_one_line_of_the_command_before_anything_is_read(called: Called):
    said = called("sweep", "none.toml", "--baseline", "cc=lia", "--baseline", "cc=olia", code=2).err
    assert said == 'error: --baseline: "cc=lia" and "cc=olia" are several values: give one\n'


def test_lists_may_have_several_values_and_help_is_help(called: Called):
    line = ["sweep", "none.toml", "--metric", "goodput", "--metric", "timeouts"]
    assert called(*line, code=2).err.startswith("error: none.toml: there is no such file")
    assert "Usage" in called("run", "--help", "--help").out
