"""Campaigns: many scenarios, many replications, each result stored and never computed twice."""

from manypath.campaign.campaign import Campaign
from manypath.campaign.cell import Cell
from manypath.campaign.compute import compute
from manypath.campaign.results import Results
from manypath.campaign.store import Store

__all__ = ["Campaign", "Cell", "Results", "Store", "compute"]
