"""A cell of a campaign: one scenario, one seed, one replication; and the key under which its outcome is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


def written(factors: Mapping[str, Any]) -> str:
    """Factors with their values, for people to read."""
    return ", ".join(f"{name} = {value}" for name, value in factors.items())


@dataclass(frozen=True)
class Cell:
    """One run of a campaign."""

    factors: Mapping[str, Any]
    """What makes this scenario differ from the others of the campaign; no part of the key."""
    document: str
    """The scenario as the engine reads it."""
    seed: int
    """Seed of the campaign."""
    replication: int
    """Number of the repetition; equal numbers see equal chance in every scenario."""

    def key(self, engine: str) -> str:
        """Name of this run's outcome, as computed by the engine of that version: a SHA-256 in hexadecimal."""
        parts = (engine, str(self.seed), str(self.replication), self.document)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
