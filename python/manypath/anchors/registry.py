"""All anchors, family by family: one line each."""

from manypath.anchors import buffers, given_losses, protocol, scaling, sharing, single_flow

ANCHORS = (
    *single_flow.ANCHORS,
    *given_losses.ANCHORS,
    *scaling.ANCHORS,
    *protocol.ANCHORS,
    *buffers.ANCHORS,
    *sharing.ANCHORS,
)
"""In the order in which tables show them."""
