"""States that are too large for an address: the server keeps the last ones, so that a reload restores them."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from manypath.errors import UserError
from manypath.explore.state import State


class Kept:
    """The last states of the pages whose states are too large for an address."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, State] = OrderedDict()

    def keep(self, key: str, state: State) -> str:
        """Keep a state instead of the last one of its page; return the end of its address."""
        self._states[key] = state
        self._states.move_to_end(key)
        while len(self._states) > MOST_KEPT:
            self._states.popitem(last=False)
        return f"?kept={key}"

    def find(self, key: str) -> State:
        """Return the state of an address.

        Raises
        ------
        UserError
            If it is not kept.
        """
        state = self._states.get(key)
        if state is None:
            raise UserError("kept: the server no longer has the state of this address: load its scenario again")
        return state


def new_key() -> str:
    """Return the key of a page."""
    return secrets.token_urlsafe(12)


KEPT = Kept()
"""The states of all pages of the program."""

MOST_KEPT = 32
"""Largest number of states that are kept; each can take some megabytes."""
