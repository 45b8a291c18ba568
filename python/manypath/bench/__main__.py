"""`python -m manypath.bench ROW` runs a row in a process of its own, and prints what it measured as JSON."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import asdict

from manypath.bench.measure import measure_here

if __name__ == "__main__":
    # Ctrl-C reaches this process beside its parent, which is the one to speak.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.write(json.dumps(asdict(measure_here(sys.argv[1]))))
