"""Theory: formulas of congestion controls, and their equilibrium rates in a fluid model."""

from manypath.theory.equilibrium import Equilibrium, Fluid, FluidLink, Unsettled, equilibrium
from manypath.theory.formulas import FORMULAS, Formula, formula_of
from manypath.theory.scenarios import Fluids, fluid

__all__ = [
    "FORMULAS",
    "Equilibrium",
    "Fluid",
    "FluidLink",
    "Fluids",
    "Formula",
    "Unsettled",
    "equilibrium",
    "fluid",
    "formula_of",
]
