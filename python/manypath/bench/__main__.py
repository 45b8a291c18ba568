"""`python -m manypath.bench ROW` runs a row of the benchmark and prints the measurements as JSON."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import asdict

from manypath.bench.measure import measure_here

if __name__ == "__main__":
    # Ctrl-C reaches this process and its parent; only the parent prints a message.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.write(json.dumps(asdict(measure_here(sys.argv[1]))))
