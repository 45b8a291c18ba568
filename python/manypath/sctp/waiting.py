"""Waiting of a task for an operation of the engine."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from manypath import _native
from manypath.sctp.errors import told


async def finish(operation: _native.SctpOperation) -> Any:
    """Wait for an operation of the engine, and return its outcome.

    The task takes the outcome in the step in which it resumes. So a cancelled task has taken no outcome, and an
    operation with an immediate outcome needs no iteration of the event loop.
    """
    try:
        if not operation.poll():
            await _outcome_of(operation)
        return operation.outcome()
    except _native.SctpError as error:
        raise told(*error.args) from None
    finally:
        operation.cancel()


async def _outcome_of(operation: _native.SctpOperation) -> None:
    loop = asyncio.get_running_loop()
    while True:
        woken = loop.create_future()
        if operation.poll(partial(_ring, loop, woken)):
            return
        await woken


def _ring(loop: asyncio.AbstractEventLoop, woken: asyncio.Future[None]) -> None:
    # Called by a thread of the engine.
    try:
        loop.call_soon_threadsafe(_wake, woken)
    except RuntimeError:
        if not loop.is_closed():  # a closed loop has no waiting task
            raise


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
