"""Expected goodput of a connection over given paths: from the fluid model, and from a short simulation."""

from manypath.expect.description import Bottleneck, Description, Way
from manypath.expect.expectation import Expectation, campaign, expect

__all__ = ["Bottleneck", "Description", "Expectation", "Way", "campaign", "expect"]
