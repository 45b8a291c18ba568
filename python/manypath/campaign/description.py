"""The runs of a campaign, as its note describes them: scenarios, and the number of replications of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from manypath.campaign.cell import Cell, written
from manypath.campaign.note import NoteFile


class Description:
    """Runs that grow: a campaign with a precision, or with looks at its results, decides on further ones.

    The first runs and the precision identify the campaign. Each scenario has the replications from 0 on.
    """

    def __init__(self, engine: str, precision: Mapping[str, Any] | None = None) -> None:
        """`engine` is the version of the engine or runner."""
        self._engine = engine
        self._precision = precision
        self._seeds: set[int] = set()
        self._scenarios: dict[tuple[str, str], tuple[dict[str, str], int]] = {}
        """Factors and number of replications, by the hash of the document and the factors as one text."""
        self._digests: dict[str, str] = {}
        self._identity: dict[str, Any] = {}

    def add(self, cells: Iterable[Cell]) -> bool:
        """Add runs; return whether the description changes."""
        before = len(self._seeds), dict(self._scenarios)
        # Different values of factors may give equal scenarios, such as 1 Mbit/s and 1000 kbit/s.
        for cell in cells:
            key = self._digest(cell.document), written(cell.factors)
            known = self._scenarios.get(key)
            if known is None or known[1] <= cell.replication:
                factors = {name: str(value) for name, value in cell.factors.items()}
                self._scenarios[key] = factors, cell.replication + 1
            self._seeds.add(cell.seed)
        if not self._identity and self._scenarios:
            self._identity = self._first()
        return (len(self._seeds), self._scenarios) != before

    @property
    def identity(self) -> Mapping[str, Any]:
        """What distinguishes the campaign from others: its first runs, and its precision."""
        return self._identity

    def content(self, before: NoteFile | None) -> dict[str, Any]:
        """Return the content of the note, with the runs that it already has.

        Another process may compute the same campaign, and be further.
        """
        scenarios = dict(self._scenarios)
        for one in before.scenarios if before else ():
            key = one.document_sha256, written(one.factors)
            count = max(scenarios[key][1] if key in scenarios else 0, one.replications or 0)
            scenarios[key] = one.factors, count or self._identity["replications"]
        return {
            **self._identity,
            "seeds": sorted(self._seeds.union(before.seeds if before else ())),
            "scenarios": [
                {"factors": factors, "document_sha256": digest, "replications": count}
                for (digest, _), (factors, count) in scenarios.items()
            ],
        }

    def _first(self) -> dict[str, Any]:
        """Return the identity; its form is that of notes of older versions, so that these are completed."""
        return {
            "engine": self._engine,
            "seeds": sorted(self._seeds),
            "replications": max(count for _, count in self._scenarios.values()),
            "scenarios": [
                {"factors": factors, "document_sha256": digest} for (digest, _), (factors, _) in self._scenarios.items()
            ],
            **({} if self._precision is None else {"precision": self._precision}),
        }

    def _digest(self, document: str) -> str:
        found = self._digests.get(document)
        if found is None:
            found = self._digests[document] = hashlib.sha256(document.encode()).hexdigest()
        return found
