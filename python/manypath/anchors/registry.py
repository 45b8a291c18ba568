"""All anchors, one line for each family."""

from manypath.anchors import buffers, given_losses, protocol, scaling, sharing, single_flow

ANCHORS = (
    *single_flow.ANCHORS,
    *given_losses.ANCHORS,
    *scaling.ANCHORS,
    *protocol.ANCHORS,
    *buffers.ANCHORS,
    *sharing.ANCHORS,
)
"""All anchors, in the order of tables."""
