"""Which packets of a capture are a mistake of a stack."""

from __future__ import annotations

import pytest
from capture import ABORT, ALWAYS, DATA, FIELDS, GOOD, HEARTBEAT_ACK, SHUTDOWN_COMPLETE, examine

pytestmark = pytest.mark.interop


def packet(at: float, *chunks: int, reflected: bool = False) -> dict[str, str]:
    """A packet that left at this second."""
    told = {
        "frame.time_epoch": f"{at}",
        "sctp.chunk_type": ",".join(map(str, chunks)),
        "sctp.abort_t_bit": f"{int(reflected)}" if ABORT in chunks else "",
        "sctp.checksum.status": GOOD,
    }
    return dict.fromkeys(FIELDS, "") | told


def test_a_packet_that_outlives_its_association_may_be_answered_by_an_abort():
    end = [packet(1, DATA), packet(2, SHUTDOWN_COMPLETE)]
    chunks = examine([*end, packet(3, ABORT, reflected=True), packet(2.5, HEARTBEAT_ACK)], ALWAYS)
    assert chunks == {DATA: 1, SHUTDOWN_COMPLETE: 1, HEARTBEAT_ACK: 1}
    aborted = [packet(1, ABORT), packet(2, ABORT, reflected=True)]
    assert examine(aborted, ALWAYS | {ABORT})[ABORT] == 1


@pytest.mark.parametrize(
    "aborted", [packet(1.5, ABORT, reflected=True), packet(3, ABORT), packet(3, DATA, ABORT, reflected=True)]
)
def test_any_other_abort_is_a_mistake(aborted: dict[str, str]):
    with pytest.raises(AssertionError, match="unexpected chunk"):
        examine([packet(1, DATA), packet(2, SHUTDOWN_COMPLETE), aborted], ALWAYS)
