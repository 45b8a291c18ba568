"""The options of `manypath measure`, as the kinds of measurements share them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path

from manypath.errors import Stopped


@dataclass(frozen=True)
class Options:
    """The options of the command; None for those that are not given."""

    scenario: str
    cc: list[str] | None
    quick: bool
    udp: bool
    runs: int | None
    most: int | None
    simulations: int | None
    seed: int
    store: Path
    report: Path | None
    at_once: int | None
    tries: int | None
    stack: list[str] | None
    publish: Path | None
    events: Path | None
    as_json: bool

    def given(self, apart: Collection[str] = ()) -> list[str]:
        """Return the names of the argument and options with other values than by default, without those in `apart`."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in apart}
        defaults = {"scenario": "", "seed": 1, "store": Path("runs")}
        # A seed of 0 is given, and equals False.
        other = [
            name
            for name, value in values.items()
            if value is not None and value is not False and value != defaults.get(name)
        ]
        return ["SCENARIO" if name == "scenario" else f"--{name.replace('_', '-')}" for name in other]

    @property
    def pages(self) -> Path:
        """The folder of the page of a measurement."""
        return self.report or Path("report")

    @property
    def stopped(self) -> Stopped:
        """The end by Ctrl-C."""
        return Stopped(f"stopped; {self.store} has the finished runs: the same command continues")

    @property
    def most_tries(self) -> int:
        """The largest number of measurements of a run that has marks."""
        return self.tries or TRIES


DISTURBED = "Marked runs were disturbed. Fewer at once (--at-once) or more tries (--tries) may help."
"""The line below a table with marked runs."""

TRIES = 3
"""Default of `Options.most_tries`."""
