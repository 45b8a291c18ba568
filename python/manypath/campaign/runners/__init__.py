"""Runners, which compute the outcome of a cell: the simulator, a function, or a command."""

from manypath.campaign.runners.command import Command
from manypath.campaign.runners.function import Function
from manypath.campaign.runners.runner import Halt, JsonOrError, OfFactors, Runner, chance
from manypath.campaign.runners.simulator import SIMULATOR, Simulator

__all__ = ["SIMULATOR", "Command", "Function", "Halt", "JsonOrError", "OfFactors", "Runner", "Simulator", "chance"]
