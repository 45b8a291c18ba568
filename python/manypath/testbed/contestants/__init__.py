"""Who plays the flows of a scenario in real time: one file each, and one line here."""

from __future__ import annotations

from manypath.testbed.contestants.contestant import Account, Contestant, Part
from manypath.testbed.contestants.kernel import Kernel
from manypath.testbed.contestants.manypath import Manypath

CONTESTANTS: tuple[Contestant, ...] = (Kernel(), Manypath())
"""The first one that plays a transport gets its flows."""

__all__ = ["CONTESTANTS", "Account", "Contestant", "Part"]
