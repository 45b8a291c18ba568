"""Form of stored outcomes: what every reader of a simulation's outcome takes for granted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NotRequired

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from manypath import _native


class _Path(TypedDict):
    goodput: NotRequired[float | None]
    throughput: NotRequired[float | None]


class _Flow(TypedDict):
    goodput: float | None
    paths: dict[str, _Path]
    streams: list[dict[str, Any]]


class _Measured(TypedDict):
    """An outcome of a runner of this package, on simulated or real networks; rows of other runners have no flows."""

    flows: NotRequired[dict[str, _Flow]]
    links: NotRequired[dict[str, dict[str, Any]]]


class _Simulated(TypedDict):
    flows: dict[str, _Flow]
    links: dict[str, dict[str, Any]]
    digest: str


MEASURED, SIMULATED = TypeAdapter(_Measured), TypeAdapter(_Simulated)


def mistake(outcomes: Iterable[str], engine: str) -> str | None:
    """Return what is wrong with the first malformed outcome of a version of an engine or runner; None without one.

    An outcome must be a JSON object. Flows must have what frames need, and an outcome of this simulator flows, links
    and a digest. Further fields are not checked.
    """
    adapter = SIMULATED if engine == _native.engine_version() else MEASURED
    for outcome in outcomes:
        try:
            adapter.validate_json(outcome, strict=True)
        except ValidationError as error:
            (first, *_) = error.errors(include_url=False, include_context=False, include_input=False)
            place = ".".join(["outcome", *map(str, first["loc"])])
            return f"{place}: {WORDS.get(first['type'], first['msg'][:1].lower() + first['msg'][1:])}"
    return None


WORDS = {"json_invalid": "is no JSON", "missing": "is missing"}
"""Messages for kinds of mistakes; the others have the message of pydantic."""
