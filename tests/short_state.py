"""The first state of the explorer with a short run, for tests without a browser."""

from __future__ import annotations

import threading

from manypath.explore import presets
from manypath.explore.moves import Answer, answer
from manypath.explore.state import State

SHORT = {"warmup": "1 s", "measure": "2 s"}
"""Times of its run."""


def small(**changes: object) -> State:
    """Return the state with some fields of its scenario changed."""
    state = presets.default()
    return state.but(scenario=state.scenario.but(**{**SHORT, **changes}))


def answered(state: State) -> Answer:
    """Return the run of a state."""
    return answer(state.scenario, state.seed, threading.Event())
