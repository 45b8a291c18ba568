"""Progress line of a long run on standard error, if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from manypath.display import duration

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def run_progress(total: float, files: Collection[Path] = ()) -> Iterator[Callable[[float], None] | None]:
    """Yield the progress callback for a run of `total` simulated seconds; None if standard error is no terminal.

    The line appears after one second of real time, and is removed at the end. It has the size of the `files` that the
    run writes.
    """
    # A closed standard error is None.
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with RunProgress(Console(stderr=True), total, files) as progress:
        yield progress


class RunProgress:
    """A line with the simulated time, the rate, the remaining real time and the size of written files."""

    def __init__(
        self,
        console: Console,
        total: float,
        files: Collection[Path] = (),
        clock: Callable[[], float] = time.monotonic,
        after: float = 1.0,
    ) -> None:
        """Draw on a console, after the first `after` seconds of real time."""
        from rich.live import Live

        self._total = total
        self._files = files
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
        size = sum(map(_size, self._files))
        written = f", {size:,} MB written" if size else ""
        return f"{done:,.1f} of {self._total:,.1f} s simulated, {rate:,.1f} s per second{left}{written}"

    def __exit__(self, *_: object) -> None:
        """Remove the line."""
        if self._live.is_started:
            self._live.stop()


def _size(file: Path) -> int:
    """Return the size of a file in whole MB; 0 for devices and pipes."""
    try:
        return file.stat().st_size // 10**6
    except OSError:
        return 0


BETWEEN = 0.2
"""Shortest time between two updates of the line, seconds."""
