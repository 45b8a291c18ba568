"""Executors: places of computation of a campaign's runs."""

from manypath.campaign.executors.executor import Executor
from manypath.campaign.executors.local import LocalExecutor

__all__ = ["Executor", "LocalExecutor"]
