"""The testbed: scenarios run by the kernel's own TCP and Multipath TCP, over links that are driven by the clock."""

from manypath.testbed.beside import Row, beside
from manypath.testbed.comparisons import COMPARISONS, Comparison
from manypath.testbed.congestion import loaded
from manypath.testbed.runner import Testbed

__all__ = ["COMPARISONS", "Comparison", "Row", "Testbed", "beside", "loaded"]
