"""Analytic anchors: numbers that anyone can recompute, beside what the engine measures."""

from manypath.anchors.anchor import Anchor, Row
from manypath.anchors.judge import judge
from manypath.anchors.registry import ANCHORS

__all__ = ["ANCHORS", "Anchor", "Row", "judge"]
