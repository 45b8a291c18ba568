"""Starts a program on a host of the testbed. It needs only Python's standard library.

``guard.py INSTANT PROGRAM WORD...`` executes the program at INSTANT, in seconds of the system's monotonic clock, or at
once if INSTANT is 0. The program has real-time priority and is killed when the process that started it ends. If there
is an instant, the first line of the output is a JSON object: the delay of the start in seconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
"""Operation of prctl: Linux sends a signal when the thread that started this process ends."""

PRIORITY = 1
"""Real-time priority: above ordinary processes, below the emulator."""

if __name__ == "__main__":
    # If the testbed is killed, its links disappear. A receiver would wait forever.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # Other load on this machine must not limit a flow.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    if instant := float(sys.argv[1]):
        time.sleep(max(0.0, instant - time.monotonic()))
        sys.stdout.write(f'{{"event": "guard", "data": {{"late": {time.monotonic() - instant!r}}}}}\n')
        sys.stdout.flush()
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - words of the testbed, and no shell reads them
