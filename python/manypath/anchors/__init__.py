"""Analytic anchors: comparisons of the engine's results with values from theory."""

from manypath.anchors.anchor import Anchor, AnchorResult
from manypath.anchors.judge import judge
from manypath.anchors.registry import ANCHORS

__all__ = ["ANCHORS", "Anchor", "AnchorResult", "judge"]
