"""How far a campaign is: a bar on a terminal, plain lines elsewhere; always on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Column

from manypath.display import DAY, duration


class Progress(Protocol):
    """Is told how far a campaign is."""

    def begin(self, total: int, stored: int) -> None:
        """`total` runs are wanted, `stored` of them are there already; said again if a campaign wants more."""
        ...

    def advance(self, runs: int) -> None:
        """So many more runs are done."""
        ...

    def state(self, text: str) -> None:
        """How good the results are by now, such as the widest interval."""
        ...

    def say(self, text: str) -> None:
        """Something the user should know."""
        ...

    def end(self) -> None:
        """Nothing more will come."""
        ...


class Silent:
    """Says nothing."""

    def begin(self, total: int, stored: int) -> None:
        """Say nothing."""

    def advance(self, runs: int) -> None:
        """Say nothing."""

    def state(self, text: str) -> None:
        """Say nothing."""

    def say(self, text: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


class Speed:
    """Runs per second since the beginning, and what follows for the rest."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Count from now on."""
        self._clock = clock
        self._started = clock()
        self._runs = 0

    def advance(self, runs: int) -> None:
        """So many more runs are done."""
        self._runs += runs

    def told(self, remaining: int) -> str:
        """The rate, and when the rest will be done, by the clock on the wall; nothing before the first run."""
        seconds = self._clock() - self._started
        if not self._runs or seconds <= 0:
            return ""
        rate = self._runs / seconds
        left = remaining / rate
        end = time.strftime("%H:%M:%S" if left < DAY else "%d %b %H:%M", time.localtime(time.time() + left))
        told = f"{rate:,.0f}" if rate >= THREE_DIGITS else f"{rate:.3g}"
        return f"({told}/s), {duration(left)} left, done at {end}"


class Terminal:
    """A bar with the rate, the time that remains and the state of the results."""

    def __init__(self, console: Console, title: str) -> None:
        """Draw on that console."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            # On a narrow terminal this one is folded, and the others stay whole.
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
        """Take the bar away."""
        self._bar.stop()


class Lines:
    """A line now and then."""

    def __init__(self, console: Console, title: str, every_seconds: float = 10.0) -> None:
        """Print on that console, at most so often."""
        self._console = console
        self._title = title
        self._every = every_seconds
        self._total = self._done = 0
        self._state = ""
        self._speed = Speed()
        self._last = time.monotonic()

    def begin(self, total: int, stored: int) -> None:
        """Say what is to do, the first time."""
        if not self._total:
            self._speed = Speed()
            if stored < total:
                self.say(f"{self._title}: {total} runs, {stored} of them stored already")
        self._total, self._done = total, stored

    def advance(self, runs: int) -> None:
        """Say how far it is, if it is time to."""
        self._done += runs
        self._speed.advance(runs)
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            speed = self._speed.told(self._total - self._done)
            self.say(f"{self._title}: {self._done} of {self._total} runs {speed}{self._state}")

    def state(self, text: str) -> None:
        """Say it with the next line."""
        self._state = f"; {text}"

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Nothing to take away."""


def progress_on_stderr(title: str) -> Progress:
    """The progress display that suits standard error."""
    console = Console(stderr=True)
    return Terminal(console, title) if console.is_terminal else Lines(console, title)


THREE_DIGITS = 100
"""Runs per second that are told without a fraction."""
