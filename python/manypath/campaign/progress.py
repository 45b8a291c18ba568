"""Progress displays of a campaign on standard error: a bar on a terminal, else plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column

from manypath.display import DAY, counted, duration
from manypath.errors import UserError, quoted


class Progress(Protocol):
    """A display of a campaign's progress."""

    def begin(self, total: int, stored: int) -> None:
        """Start with `total` runs, `stored` of them already stored; called again if the campaign adds runs."""
        ...

    def advance(self, runs: int) -> None:
        """Count `runs` more finished runs."""
        ...

    def state(self, text: str) -> None:
        """Show the state of the results, such as the widest interval."""
        ...

    def say(self, text: str) -> None:
        """Show a message to the user."""
        ...

    def end(self) -> None:
        """End the display."""
        ...


def check_progress(progress: object) -> None:
    """Refuse a value that is neither a boolean nor a display.

    Raises
    ------
    UserError
        If it is neither.
    """
    if not isinstance(progress, bool) and not all(hasattr(progress, name) for name in METHODS):
        raise UserError(f"progress: {quoted(progress)} is no display: give True, False or a Progress")


class Silent:
    """A display without output."""

    def begin(self, total: int, stored: int) -> None:
        """Print nothing."""

    def advance(self, runs: int) -> None:
        """Print nothing."""

    def state(self, text: str) -> None:
        """Print nothing."""

    def say(self, text: str) -> None:
        """Print nothing."""

    def end(self) -> None:
        """Print nothing."""


class Speed:
    """Runs per second since the beginning, and the estimated remaining time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the clock."""
        self._clock = clock
        self._started = clock()
        self._runs = 0

    def advance(self, runs: int) -> None:
        """Count `runs` more finished runs."""
        self._runs += runs

    def told(self, remaining: int) -> str:
        """Return the rate, the remaining time and the local time of the end; an empty text before the first run."""
        seconds = self._clock() - self._started
        if not self._runs or seconds <= 0:
            return ""
        rate = self._runs / seconds
        left = remaining / rate
        end = time.strftime("%H:%M:%S" if left < DAY else "%d %b %H:%M", time.localtime(time.time() + left))
        told = f"{rate:,.0f}" if rate >= THREE_DIGITS else f"{rate:.3g}"
        return f"({told}/s), {duration(left)} left, done at {end}"


class Terminal:
    """A bar with the rate, the remaining time and the state of the results."""

    def __init__(self, console: Console, title: str) -> None:
        """Draw on a console."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            # On a narrow terminal only this column is wrapped.
            TextColumn("runs {task.fields[speed]}{task.fields[state]}", table_column=Column(no_wrap=False)),
        )
        self._bar = Bar(*columns, console=console, transient=True)
        self._task = self._bar.add_task(title, total=None, speed="", state="")
        self._speed = Speed()
        self._total = self._done = 0

    def begin(self, total: int, stored: int) -> None:
        """Show the bar."""
        if not self._total:
            self._speed = Speed()
        self._total, self._done = total, stored
        self._bar.update(self._task, total=total, completed=stored)
        self._bar.start()

    def advance(self, runs: int) -> None:
        """Move the bar."""
        self._done += runs
        self._speed.advance(runs)
        self._bar.update(self._task, advance=runs, speed=self._speed.told(self._total - self._done))

    def state(self, text: str) -> None:
        """Show the state behind the bar."""
        self._bar.update(self._task, state=f"; {text}")

    def say(self, text: str) -> None:
        """Print above the bar."""
        self._bar.console.print(text, highlight=False, markup=False)

    def end(self) -> None:
        """Remove the bar."""
        self._bar.stop()


class Lines:
    """Progress lines at intervals."""

    def __init__(self, console: Console, title: str, every_seconds: float = 10.0) -> None:
        """Print on a console, with at least `every_seconds` between progress lines."""
        self._console = console
        self._title = title
        self._every = every_seconds
        self._total = self._done = 0
        self._state = ""
        self._speed = Speed()
        self._last = time.monotonic()

    def begin(self, total: int, stored: int) -> None:
        """Print the number of runs, in the first call."""
        if not self._total:
            self._speed = Speed()
            if stored < total:
                self.say(f"{self._title}: {counted(total, 'run')}, {stored} of them already stored")
        self._total, self._done = total, stored

    def advance(self, runs: int) -> None:
        """Print a progress line if it is due."""
        self._done += runs
        self._speed.advance(runs)
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            speed = self._speed.told(self._total - self._done)
            self.say(f"{self._title}: {self._done} of {self._total} runs {speed}{self._state}")

    def state(self, text: str) -> None:
        """Add the state to the next line."""
        self._state = f"; {text}"

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Do nothing."""


def progress_on_stderr(title: str) -> Progress:
    """Return the progress display for standard error."""
    console = Console(stderr=True)
    return Terminal(console, title) if console.is_terminal else Lines(console, title)


METHODS = ("begin", "advance", "state", "say", "end")
"""Methods of a display."""

THREE_DIGITS = 100
"""Rates from this value on are shown without decimals, runs/s."""
