"""Tables of a scenario, such as its links by name: they cannot be changed, as the parts of a scenario cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from typing_extensions import override

from manypath.errors import UserError

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dictionary without changes. Equal ones have equal hashes, if their values have hashes."""

    def _refuse(self, *_values: Any, **_named: Any) -> NoReturn:
        raise UserError(
            "a table of a scenario is immutable: make a copy with but(...), such as network.but(links={...})"
        )

    if not TYPE_CHECKING:  # for type checkers the methods have the signatures of `dict`
        __setitem__ = __delitem__ = __ior__ = _refuse
        clear = pop = popitem = setdefault = update = _refuse

        def __hash__(self) -> int:
            return hash(frozenset(self.items()))

    @override
    def __reduce__(self) -> tuple[type[FrozenDict[K, V]], tuple[dict[K, V]]]:
        """Let copies and pickles make the table at once, without changes."""
        return type(self), (dict(self),)
