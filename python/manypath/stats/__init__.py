"""Statistics of replications: intervals, comparisons, fairness."""

from manypath.stats.compare import Comparison, paired
from manypath.stats.confidence import Interval, half_width, interval
from manypath.stats.fairness import jain

__all__ = ["Comparison", "Interval", "half_width", "interval", "jain", "paired"]
