"""The testbed: real stacks run scenarios in real time over emulated links."""

from manypath.testbed.beside import MeasuredQuantity, beside
from manypath.testbed.comparisons import COMPARISONS, ComparedScenario
from manypath.testbed.congestion import loaded
from manypath.testbed.grid import GRIDS, Grid
from manypath.testbed.paper_grid import PAPER_GRIDS, PaperGrid
from manypath.testbed.paper_plan import PaperPlan
from manypath.testbed.plan import Plan
from manypath.testbed.runner import Testbed

__all__ = [
    "COMPARISONS",
    "GRIDS",
    "PAPER_GRIDS",
    "ComparedScenario",
    "Grid",
    "MeasuredQuantity",
    "PaperGrid",
    "PaperPlan",
    "Plan",
    "Testbed",
    "beside",
    "loaded",
]
