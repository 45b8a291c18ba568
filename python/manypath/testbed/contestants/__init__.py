"""Real stacks that run the flows of a scenario in real time. Each stack has one module and one entry here."""

from __future__ import annotations

from manypath.testbed.contestants.contestant import Account, Contestant, Part
from manypath.testbed.contestants.kernel import Kernel
from manypath.testbed.contestants.manypath import Manypath
from manypath.testbed.contestants.usrsctp import Usrsctp

CONTESTANTS: dict[str, Contestant] = {
    each.name: each
    for each in (
        Kernel(),
        Manypath(),
        Usrsctp(),
    )
}
"""Stacks by name. The first stack that runs a transport is its default."""

__all__ = ["CONTESTANTS", "Account", "Contestant", "Part"]
