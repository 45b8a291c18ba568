"""The benchmark: how fast the simulator is on one core, on rows of SCTP and of TCP."""

from manypath.bench.measure import SEED, Measured, measure
from manypath.bench.rows import ROWS, names

__all__ = ["ROWS", "SEED", "Measured", "measure", "names"]
