"""Progress of an evaluation of several papers on standard error: one bar on a terminal, else few lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from rich.console import Console
from typing_extensions import override

from manypath.campaign.progress import Progress, Speed, Terminal
from manypath.display import counted, duration


class PapersProgress(Progress, Protocol):
    """A display of the campaigns of several papers."""

    def begin_paper(self, name: str, runs: int) -> None:
        """Start with a paper of about `runs` runs."""
        ...

    def end_paper(self, name: str, seconds: float) -> None:
        """Report that a paper is finished, `seconds` after its start."""
        ...

    def close(self) -> None:
        """End the display."""
        ...


class Counts:
    """Runs of a paper: those of its figures together, then each part of the further ones alone.

    How many further runs undecided claims, causes and mutations need is not known before.

    Attributes
    ----------
    total, done : int
        Runs that are counted now, and those of them that are finished.
    is_further : bool
        Whether they are further ones.
    """

    def __init__(self, runs: int) -> None:
        """Count the runs of the figures, about `runs`."""
        self.total = runs
        self.done = 0
        self.is_further = False
        self._begun = 0

    def begin(self, total: int, stored: int) -> None:
        """Count a campaign: one of the figures as long as there are not more runs than theirs."""
        self._begun += total
        if self._begun > self.total or self.is_further:
            self.is_further = True
            self.total, self.done = total, 0
        self.done += stored


class PapersLines:
    """A line when a paper begins and when it ends. Lines about its runs follow at intervals that double.

    So an evaluation of any length has few lines: a new interval begins after 1, 3, 7 and 15 minutes, then every 10.
    """

    def __init__(self, console: Console, papers: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Print on a console the progress of a number of papers."""
        self._console = console
        self._papers = papers
        self._clock = clock
        self._interval = SHORTEST_INTERVAL
        self._due = clock() + self._interval
        self._count = 0
        self._name = self._state = ""
        self._runs = Counts(0)
        self._speed = Speed(clock)
        self._said: set[str] = set()

    def begin_paper(self, name: str, runs: int) -> None:
        """Print the name of the paper and the number of its runs."""
        self._count += 1
        self._name, self._runs = name, Counts(runs)
        self._speed = Speed(self._clock)
        self.say(f"{name}: paper {self._count} of {self._papers}, {counted(runs, 'run')}")

    def end_paper(self, name: str, seconds: float) -> None:
        """Print how long the paper took."""
        self.say(f"{name}: done in {duration(seconds)}")

    def begin(self, total: int, stored: int) -> None:
        """Count the stored runs of a campaign of the paper."""
        self._runs.begin(total, stored)
        if self._runs.is_further:
            self._speed = Speed(self._clock)

    def advance(self, runs: int) -> None:
        """Print a line about the paper if it is due."""
        self._runs.done += runs
        self._speed.advance(runs)
        now = self._clock()
        if now >= self._due:
            self._interval = min(2 * self._interval, LONGEST_INTERVAL)
            self._due = now + self._interval
            speed = self._speed.told(self._runs.total - self._runs.done)
            kind = "further runs in this part" if self._runs.is_further else "runs"
            self.say(f"{self._name}: {self._runs.done:,} of {self._runs.total:,} {kind} {speed}{self._state}")

    def state(self, text: str) -> None:
        """Add the state to the next line."""
        self._state = f"; {text}"

    def say(self, text: str) -> None:
        """Print a line. A message that campaigns repeat is printed once."""
        if text not in self._said:
            self._said.add(text)
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def end(self) -> None:
        """Do nothing at the end of a campaign."""

    def close(self) -> None:
        """Do nothing."""


class PapersBar(Terminal):
    """One bar for the paper that is evaluated. A finished paper leaves a line above the bar."""

    def __init__(self, console: Console, papers: int) -> None:
        """Draw on a console the progress of a number of papers."""
        super().__init__(console, "papers")
        self._papers = papers
        self._count = 0
        self._title = ""
        self._runs = Counts(0)
        self._said: set[str] = set()

    def begin_paper(self, name: str, runs: int) -> None:
        """Show the bar with the name of the paper."""
        self._count += 1
        self._speed, self._runs = Speed(), Counts(runs)
        self._title = f"{name} ({self._count} of {self._papers})"
        self._bar.update(self._task, description=self._title, total=runs, completed=0, speed="", state="")
        self._bar.start()

    def end_paper(self, name: str, seconds: float) -> None:
        """Print above the bar how long the paper took."""
        self.say(f"{name}: done in {duration(seconds)}")

    @override
    def begin(self, total: int, stored: int) -> None:
        """Count the stored runs of a campaign of the paper."""
        self._runs.begin(total, stored)
        title = self._title
        if self._runs.is_further:
            self._speed = Speed()
            title = f"{title}, further"
        self._total, self._done = self._runs.total, self._runs.done
        self._bar.update(self._task, description=title, total=self._total, completed=self._done)

    @override
    def advance(self, runs: int) -> None:
        """Move the bar."""
        self._runs.done += runs
        super().advance(runs)

    @override
    def say(self, text: str) -> None:
        """Print above the bar. A message that campaigns repeat is printed once."""
        if text not in self._said:
            self._said.add(text)
            super().say(text)

    @override
    def end(self) -> None:
        """Keep the bar at the end of a campaign."""

    def close(self) -> None:
        """Remove the bar."""
        super().end()


def papers_on_stderr(papers: int) -> PapersProgress:
    """Return the progress display of a number of papers for standard error."""
    console = Console(stderr=True)
    return PapersBar(console, papers) if console.is_terminal else PapersLines(console, papers)


SHORTEST_INTERVAL, LONGEST_INTERVAL = 60.0, 600.0
"""Time between lines about the runs of papers at the beginning and at the end of a long evaluation, seconds."""
