"""A cell of a campaign: scenario, seed and replication of a run; and the key of its outcome in the store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manypath.errors import quoted


def written(factors: Mapping[str, Any]) -> str:
    """Return factors with their values as text."""
    return ", ".join(f"{name} = {value}" for name, value in factors.items())


def told(factors: Mapping[str, Any]) -> str:
    """Return factors with their values for a message: visible, and of bounded length."""
    return ", ".join(f"{name} = {quoted(value, '')}" for name, value in factors.items())


@dataclass(frozen=True)
class Cell:
    """One run of a campaign."""

    factors: Mapping[str, Any]
    """Values of the factors; not part of the key."""
    document: str
    """The scenario as a document for the engine."""
    seed: int
    """Seed of the campaign."""
    replication: int
    """Number of the replication; scenarios with equal numbers have common random numbers."""

    def key(self, engine: str) -> str:
        """Return the key of this run's outcome for a version of the engine: a SHA-256 in hexadecimal."""
        parts = (engine, str(self.seed), str(self.replication), self.document)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
