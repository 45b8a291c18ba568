"""Refusal of options that are given several times, but are no lists: the parser would take the last one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from manypath.errors import UserError, quoted


def refuse_repeated(command: Any) -> None:
    """Let a command refuse each option that is no list and is given more than once."""
    make: Callable[[Any], Any] = command.make_parser

    def make_parser(context: Any) -> Any:
        parser = make(context)
        read: Callable[[list[str]], tuple[Any, Any, list[Any]]] = parser.parse_args

        def parse_args(args: list[str]) -> tuple[Any, Any, list[Any]]:
            words = list(args)
            values, rest, order = read(args)
            for parameter, count in Counter(order).items():
                if count > 1 and not context.resilient_parsing and _is_single(parameter):
                    raise UserError(_told(parameter, words))
            return values, rest, order

        parser.parse_args = parse_args
        return parser

    command.make_parser = make_parser


def _is_single(parameter: Any) -> bool:
    """Whether a parameter is an option with one value, or a flag; help ends the command in any case."""
    return parameter.param_type_name == "option" and not (parameter.multiple or parameter.count or parameter.is_eager)


def _told(parameter: Any, words: Sequence[str]) -> str:
    """Return the message about an option that is given several times in these words."""
    names = [*parameter.opts, *parameter.secondary_opts]
    given = list(dict.fromkeys(word for word in words if word in names))
    if parameter.is_flag and len(given) > 1:
        return f"{given[1]}: not valid with {given[0]}: give one of them"
    values = [] if parameter.is_flag else list(dict.fromkeys(_values(words, names)))
    if len(values) > 1:
        return f"{names[0]}: {' and '.join(map(quoted, values))} are several values: give one"
    return f"{names[0]}: {f'{quoted(values[0])} ' if values else ''}is given more than once: give it once"


def _values(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the values of an option in the words, in their order."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if word in names and place + 1 < len(words):
            yield words[place + 1]
        elif equals and name in names:
            yield value
