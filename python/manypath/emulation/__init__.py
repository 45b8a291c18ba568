"""Emulation of a scenario's network for real hosts in real time. Linux only."""

from __future__ import annotations

from manypath.emulation.model import Bounds, Emulation, Pair
from manypath.emulation.program import start

__all__ = ["Bounds", "Emulation", "Pair", "start"]
