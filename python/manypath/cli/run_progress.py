"""Progress line of a long run on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from manypath.display import duration

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def run_progress(total: float) -> Iterator[Callable[[float], None] | None]:
    """Yield the progress callback for a run of `total` simulated seconds; None if standard error is no terminal.

    The line appears after one second of real time, and is removed at the end.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with RunProgress(Console(stderr=True), total) as progress:
        yield progress


class RunProgress:
    """A line with the simulated time, the rate and the remaining real time."""

    def __init__(
        self, console: Console, total: float, clock: Callable[[], float] = time.monotonic, after: float = 1.0
    ) -> None:
        """Draw on a console, after the first `after` seconds of real time."""
        from rich.live import Live

        self._total = total
        self._clock = clock
        self._began = clock()
        self._after = after
        self._live = Live(
            console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )
        self._drawn = self._began

    def __enter__(self) -> RunProgress:
        return self

    def __call__(self, done: float) -> None:
        """Show the simulated time so far, seconds."""
        now = self._clock()
        if now - self._began < self._after or now - self._drawn < BETWEEN:
            return
        from rich.text import Text

        self._drawn = now
        if not self._live.is_started:
            self._live.start()
        self._live.update(Text(self.line(done), no_wrap=True, overflow="ellipsis"), refresh=True)

    def line(self, done: float) -> str:
        """Return the progress line for a simulated time so far, seconds."""
        # Messages are delivered until after the end of the measurement.
        done = min(done, self._total)
        seconds = self._clock() - self._began
        rate = done / seconds if seconds > 0 else 0.0
        left = f", {duration((self._total - done) / rate)} left" if rate else ""
        return f"{done:,.1f} of {self._total:,.1f} s simulated, {rate:,.1f} s per second{left}"

    def __exit__(self, *_: object) -> None:
        """Remove the line."""
        if self._live.is_started:
            self._live.stop()


BETWEEN = 0.2
"""Shortest time between two updates of the line, seconds."""
