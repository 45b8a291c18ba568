"""Estimate of the duration of a campaign before it starts."""

from __future__ import annotations

import json
import time

from manypath import _native
from manypath.campaign.campaign import Campaign
from manypath.campaign.executors.local import threads_of
from manypath.campaign.runners import SIMULATOR
from manypath.display import counted


def estimate(campaign: Campaign, workers: int | None = None) -> float | None:
    """Return the estimated seconds of the campaign without stored runs, from short runs of a few scenarios.

    With a precision it is the time until the first decision. None for runners other than the simulator, whose runs
    cannot be shortened.
    """
    at_once = threads_of(workers)
    if campaign.runner is not SIMULATOR or not campaign.scenarios:
        return None
    documents = [document for _, document in campaign.scenarios]
    tried = documents[:: max(len(documents) // PILOTS, 1)][:PILOTS]
    per_run = sum(_seconds(document) for document in tried) / len(tried)
    return per_run * campaign.size / min(at_once, campaign.size)


def _seconds(document: str) -> float:
    """Return the estimated seconds of a run, from a run that ends early."""
    scenario = json.loads(document)
    length = scenario["warmup"] + scenario["measure"]
    begun = max(flow["start"]["latest"] for flow in scenario["flows"].values())
    short = min(length, max(length // 50, 2 * begun))
    pilot = json.dumps({**scenario, "warmup": 0, "measure": short})
    started = time.perf_counter()
    _native.run(pilot, 1, 0)
    return (time.perf_counter() - started) * length / short


def scenarios_told(campaign: Campaign) -> str:
    """Return the numbers of scenarios and runs as text."""
    upto = f" or more, up to {campaign.precision.maximum} each" if campaign.precision else ""
    return f"{counted(len(campaign.scenarios), 'scenario')}, {counted(campaign.size, 'run')}{upto}"


PILOTS = 3
"""Largest number of scenarios for the estimate."""
