"""The benchmark: speed of the simulator on one core, in scenarios with SCTP and TCP."""

from manypath.bench.measure import SEED, Measured, measure
from manypath.bench.rows import ROWS, names

__all__ = ["ROWS", "SEED", "Measured", "measure", "names"]
