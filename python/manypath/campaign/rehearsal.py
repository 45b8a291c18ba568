"""Results with the shape of a campaign's results, to find errors in the requested outputs before the runs.

A rehearsal has the scenarios, flows, paths and links of the campaign, and 1 for every measurement. Printing or drawing
it raises the same errors as the real results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from manypath.campaign.campaign import Campaign
from manypath.campaign.cell import Cell
from manypath.campaign.results import Results
from manypath.campaign.runners import SIMULATOR
from manypath.measurements import MEASUREMENTS, TEXTS


def rehearse(campaign: Campaign, measurements: Iterable[str] = (), where: Iterable[tuple[str, Any]] = ()) -> Results:
    """Return results with the shape of a campaign's results.

    Parameters
    ----------
    campaign
        The campaign. A large one is represented by some scenarios, in which every value of every factor occurs.
    measurements
        Assumed measurements of a runner other than the simulator, whose real measurements are unknown before its runs.
    where
        Factors with the wanted values; other scenarios are left out.
    """
    wanted = list(where)
    chosen: list[tuple[Mapping[str, Any], str]] = []
    seen: set[tuple[str, Any]] = set()
    for factors, document in campaign.scenarios:
        if any(factors.get(name) != value for name, value in wanted):
            continue
        if len(chosen) < ENOUGH or not seen.issuperset(factors.items()):
            chosen.append((factors, document))
            seen.update(factors.items())
    named = json.dumps(dict.fromkeys(measurements, 1.0))
    return Results(
        [
            (
                Cell(factors, document, campaign.seed, 0),
                json.dumps(_outcome(document)) if campaign.runner is SIMULATOR else named,
            )
            for factors, document in chosen
        ]
    )


def _outcome(document: str) -> dict[str, Any]:
    """Return the outcome of a scenario with 1 for every number."""
    scenario = json.loads(document)
    return {
        "flows": {
            name: {
                **_blank("flows"),
                "streams": [_blank("streams")],
                "paths": {path: _blank("paths") for path in flow["paths"]},
            }
            for name, flow in scenario["flows"].items()
        },
        "links": {name: _blank("links") for name in scenario["network"]["links"]},
        **_blank("runs"),
    }


def _blank(kind: str) -> dict[str, Any]:
    return {name: "" if name in TEXTS else 1.0 for name in MEASUREMENTS[kind]}


ENOUGH = 100
"""Scenarios that are taken before the selection by values of factors begins."""
