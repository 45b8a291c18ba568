"""Where the runs of a campaign are computed."""

from manypath.campaign.executors.executor import Executor
from manypath.campaign.executors.local import LocalExecutor

__all__ = ["Executor", "LocalExecutor"]
