"""What theory says without a simulation: formulas of congestion controls, and the rates at which they settle."""

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
