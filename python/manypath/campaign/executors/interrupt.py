"""Ctrl-C in two steps: the first finishes the running batches, the second aborts them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible(tell: Callable[[str], None]) -> Iterator[threading.Event]:
    """Yield an event that the first Ctrl-C sets; the second one raises `KeyboardInterrupt`."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, before)
        tell(STOPPING)

    signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)


STOPPING = "finishing the current runs, to store them; press Ctrl-C again to abort them"
"""Message after the first Ctrl-C."""
