"""Emulations: the networks of scenarios for real packets of real hosts, driven by the clock. Linux only."""

from __future__ import annotations

from manypath.emulation.model import Bounds, Emulation, Pair
from manypath.emulation.program import start

__all__ = ["Bounds", "Emulation", "Pair", "start"]
