"""How far a campaign is: a bar on a terminal, plain lines elsewhere; always on standard error."""

from __future__ import annotations

import time
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar


class Progress(Protocol):
    """Is told how far a campaign is."""

    def begin(self, total: int, stored: int) -> None:
        """`total` runs are wanted, `stored` of them are there already."""
        ...

    def advance(self, runs: int) -> None:
        """So many more runs are done."""
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

    def say(self, text: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


class Terminal:
    """A bar with the time that remains."""

    def __init__(self, console: Console, title: str) -> None:
        """Draw on that console."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("runs"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Bar(*columns, console=console, transient=True)
        self._title = title
        self._task = self._bar.add_task(title, total=None)

    def begin(self, total: int, stored: int) -> None:
        """Show the bar."""
        self._bar.update(self._task, total=total, completed=stored)
        self._bar.start()

    def advance(self, runs: int) -> None:
        """Move the bar."""
        self._bar.advance(self._task, runs)

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
        self._last = time.monotonic()

    def begin(self, total: int, stored: int) -> None:
        """Say what is to do."""
        self._total, self._done = total, stored
        if stored < total:
            self.say(f"{self._title}: {total} runs, {stored} of them stored already")

    def advance(self, runs: int) -> None:
        """Say how far it is, if it is time to."""
        self._done += runs
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self.say(f"{self._title}: {self._done} of {self._total} runs")

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Nothing to take away."""


def progress_on_stderr(title: str) -> Progress:
    """The progress display that suits standard error."""
    console = Console(stderr=True)
    return Terminal(console, title) if console.is_terminal else Lines(console, title)
