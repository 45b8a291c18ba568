"""Receives the intermediate evaluations of papers beside their runs, so that no core waits while figures are drawn."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import Grow, PaperEvaluation


@runtime_checkable
class Stoppable(Protocol):
    """A receiver that can end before it has finished an evaluation."""

    def stop(self) -> None:
        """End as soon as possible; further evaluations are ignored."""
        ...


class Background:
    """Passes evaluations to a receiver in one thread, in their order.

    At the end of the block all of them were received. After an error or Ctrl-C in the block the receiver is stopped.
    """

    def __init__(self, grow: Grow) -> None:
        """Pass evaluations to `grow`."""
        self._grow = grow
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="report")
        self._done: list[Future[None]] = []

    def __enter__(self) -> Background:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if error is None:
                self._check(wait=True)
        except BaseException:
            self._stop()
            raise
        if error is not None:
            self._stop()
        self._thread.shutdown()

    def __call__(self, part: PaperEvaluation) -> None:
        """Pass an evaluation on.

        Raises
        ------
        Exception
            The error of an earlier evaluation.
        """
        self._check(wait=False)
        self._done.append(self._thread.submit(self._grow, part))

    def _check(self, *, wait: bool) -> None:
        """Raise the error of a finished evaluation; with `wait` finish all of them."""
        while self._done and (wait or self._done[0].done()):
            self._done[0].result()
            del self._done[0]

    def _stop(self) -> None:
        """End the thread soon."""
        # First, so that no further evaluation begins when the current one has stopped
        self._thread.shutdown(wait=False, cancel_futures=True)
        if isinstance(self._grow, Stoppable):
            self._grow.stop()
        self._thread.shutdown()
