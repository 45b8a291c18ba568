"""Statistics of replications: confidence intervals, comparisons, equivalence, fairness, and warm-up truncation."""

from manypath.stats.compare import Comparison, paired
from manypath.stats.confidence import Interval, half_width, interval
from manypath.stats.equivalence import Equivalence, equivalence
from manypath.stats.fairness import jain
from manypath.stats.warmup import mser5

__all__ = [
    "Comparison",
    "Equivalence",
    "Interval",
    "equivalence",
    "half_width",
    "interval",
    "jain",
    "mser5",
    "paired",
]
