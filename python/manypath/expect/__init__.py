"""What a connection over your own paths should get: from fluid equilibrium, and from a short simulation."""

from manypath.expect.description import Bottleneck, Description, Way
from manypath.expect.expectation import Expectation, expect

__all__ = ["Bottleneck", "Description", "Expectation", "Way", "expect"]
