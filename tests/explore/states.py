"""States of the explorer for tests of its page, with and without a browser."""

from __future__ import annotations

import manypath as mp
from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.state import State


def short() -> State:
    """Return the first state of the page with a run of 5 s."""
    return changed(changed(presets.default(), "warmup", "1 s"), "measure", "4 s")


def long_sweep() -> State:
    """Return a state with a sweep that goes on during all steps of a test, also on a busy machine."""
    values = ", ".join(f"{10 + number} Mbit/s" for number in range(12))
    return changed(short(), "measure", "60 s").but(sweep=("links\tsouth\trate", values, "50"))


def expected(state: State) -> str:
    """Return the digest of the run of a state, without the page."""
    return mp.run(state.scenario, seed=state.seed).digest


CHOICES = (
    ("Link south, queue", "codel", "links\tsouth\tqueue"),
    ("Link north, loss", "bernoulli", "links\tnorth\tloss"),
    ("Flow multipath, transport", "mptcp", "transport\tmultipath"),
    ("Flow multipath, cc", "olia", "flows\tmultipath\tcc"),
    ("Flow multipath, application", "on-off", "flows\tmultipath\tapp"),
    ("Flow rival, path", "north", "flows\trival\tpath"),
)
"""Lists of the page of `short`, an option of each that changes the run, and the place of its setting."""
