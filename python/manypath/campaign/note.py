"""The file of the note of a campaign: its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, StringConstraints, TypeAdapter

Count = Annotated[int, Field(ge=0)]
"""A number of the engine."""


@dataclass(frozen=True)
class NoteScenario:
    """A scenario in the file of a note."""

    factors: dict[str, str]
    document_sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    replications: Annotated[int, Field(ge=1)] | None = None
    """Number of its runs for each seed, from replication 0 on; None in notes of older versions."""


@dataclass(frozen=True)
class NotePrecision:
    """A precision in the file of a note: the fields of `Precision`, values of a selection as texts."""

    within: str
    metric: str
    of: dict[str, str]
    absolute: float
    minimum: Count
    maximum: Count
    confidence: float


@dataclass(frozen=True)
class NoteFile:
    """The file of a note, as `manypath.campaign.manifest` writes it."""

    engine: str
    seeds: Annotated[list[Count], Field(min_length=1)]
    replications: Annotated[int, Field(ge=1)]
    scenarios: Annotated[list[NoteScenario], Field(min_length=1)]
    first_run_with: dict[str, str]
    title: str = ""
    precision: NotePrecision | None = None


NOTE = TypeAdapter(NoteFile)
"""The form of a note."""
