"""Runs the command line, whose work waits at a place until it is interrupted: `held.py PLACE WORD...`.

So the command has not ended when a test interrupts it, no matter how late the test is. Places are in `PLACES`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NoReturn
from unittest.mock import patch

GO = Path("go")
"""A file in the folder of the command, at whose appearance runs that wait go on."""

LOADING = Path("loading")
"""A file in the folder of the command, which appears when a library is loaded."""


def after_batches(number: int) -> None:
    """Let a number of batches of runs be computed and stored. The others wait for Ctrl-C, or until there is `GO`."""
    from manypath.campaign.executors import local
    from manypath.campaign.work import Work

    do, interruptible, begun = Work.do, local.interruptible, count(1)
    interrupted: list[threading.Event] = []

    @contextmanager
    def noted(tell: Callable[[str], None]) -> Iterator[threading.Event]:
        with interruptible(tell) as stopped:
            interrupted.append(stopped)
            yield stopped

    def held(work: Work, cells: Any, threads: int, halt: Any) -> Any:
        if next(begun) > number:
            while not (halt.is_set() or GO.exists() or any(each.is_set() for each in interrupted)):
                time.sleep(0.01)
        return do(work, cells, threads, halt)

    patch.object(local, "interruptible", noted).start()
    patch.object(Work, "do", held).start()


def after_a_figure() -> None:
    """Wait after a figure until Ctrl-C, which is raised here or stops the report in another thread."""
    from manypath.report.build import Report

    drawing = Report._drawing

    def held(report: Report, *arguments: Any) -> Any:
        drawn = drawing(report, *arguments)
        while not report._stopped.is_set():
            time.sleep(0.01)
        return drawn

    patch.object(Report, "_drawing", held).start()


def while_a_library_is_loaded() -> None:
    """Wait amid the import of pandas, which the command line itself does not import."""
    sys.meta_path.insert(0, Waiting)


class Waiting:
    """A finder of modules that waits instead of finding one of pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Find nothing."""
        if name == "pandas.core.api":
            LOADING.touch()
            _wait()


def _wait() -> NoReturn:
    while True:
        time.sleep(0.01)


PLACES: dict[str, Callable[[], None]] = {
    "one-batch": lambda: after_batches(1),
    "two-batches": lambda: after_batches(2),
    "three-batches": lambda: after_batches(3),
    "figure": after_a_figure,
    "library": while_a_library_is_loaded,
}
"""Places by their words."""

if __name__ == "__main__":
    from manypath.__main__ import main

    PLACES[sys.argv.pop(1)]()
    main()
