"""Starts a program inside a host of the testbed; it needs nothing but Python's own library.

``guard.py INSTANT PROGRAM WORD...`` becomes the program at an instant of the system's monotonic clock in seconds. The
program has real-time priority, and ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
"""Requests a signal from Linux when the thread ends that started this process."""

PRIORITY = 1
"""Above every ordinary process, below the emulator."""

if __name__ == "__main__":
    # If the testbed is killed, its links disappear. A receiver would then wait forever.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # Other load of this machine must not limit a flow.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    time.sleep(max(0.0, float(sys.argv[1]) - time.monotonic()))
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - words of the testbed, and no shell reads them
