"""Campaigns: replicated runs of many scenarios; a stored run is not computed again."""

from manypath.campaign.campaign import Campaign
from manypath.campaign.cell import Cell
from manypath.campaign.compute import compute
from manypath.campaign.phase import check_phase
from manypath.campaign.precision import Precision
from manypath.campaign.results import Results
from manypath.campaign.runners import Command, Function
from manypath.campaign.steadiness import check_warmup
from manypath.campaign.store import Store
from manypath.campaign.work import Batch, Work

__all__ = [
    "Batch",
    "Campaign",
    "Cell",
    "Command",
    "Function",
    "Precision",
    "Results",
    "Store",
    "Work",
    "check_phase",
    "check_warmup",
    "compute",
]
