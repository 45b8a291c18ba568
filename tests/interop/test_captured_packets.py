"""The checks of captures find wrong packets."""

from __future__ import annotations

import pytest
from capture import (
    ABORT,
    ALWAYS,
    DATA,
    FIELDS,
    GOOD,
    HEARTBEAT,
    HEARTBEAT_ACK,
    SACK,
    SHUTDOWN_COMPLETE,
    examine,
    forgets_data,
)

pytestmark = pytest.mark.interop


def packet(at: float, *chunks: int, reflected: bool = False) -> dict[str, str]:
    """Return a packet sent at a time in seconds."""
    fields = {
        "frame.time_epoch": f"{at}",
        "sctp.chunk_type": ",".join(map(str, chunks)),
        "sctp.abort_t_bit": f"{int(reflected)}" if ABORT in chunks else "",
        "sctp.checksum.status": GOOD,
    }
    return dict.fromkeys(FIELDS, "") | fields


def test_an_abort_may_answer_a_packet_after_the_end_of_its_association():
    end = [packet(1, DATA), packet(2, SHUTDOWN_COMPLETE)]
    chunks = examine([*end, packet(3, ABORT, reflected=True), packet(2.5, HEARTBEAT_ACK)], ALWAYS)
    assert chunks == {DATA: 1, SHUTDOWN_COMPLETE: 1, HEARTBEAT_ACK: 1}
    aborted = [packet(1, ABORT), packet(2, ABORT, reflected=True)]
    assert examine(aborted, ALWAYS | {ABORT})[ABORT] == 1


@pytest.mark.parametrize(
    "aborted", [packet(1.5, ABORT, reflected=True), packet(3, ABORT), packet(3, DATA, ABORT, reflected=True)]
)
def test_any_other_abort_is_an_error(aborted: dict[str, str]):
    with pytest.raises(AssertionError, match="unexpected chunk"):
        examine([packet(1, DATA), packet(2, SHUTDOWN_COMPLETE), aborted], ALWAYS)


def sent(at: float, *chunks: int) -> dict[str, str]:
    """Return a packet of the data sender."""
    return packet(at, *chunks) | {"ip.src": "10.9.0.1"}


def acknowledged(at: float, gaps: int, room: int = 100_000) -> dict[str, str]:
    """Return an acknowledgement of the data receiver."""
    fields = {"sctp.sack_number_of_gap_blocks": f"{gaps}", "sctp.sack_a_rwnd": f"{room}", "ip.src": "10.9.0.2"}
    return packet(at, SACK) | fields


def test_a_sender_that_does_not_retransmit_a_gap_forgets_data():
    assert forgets_data([sent(1, DATA), acknowledged(1.1, gaps=1), sent(12, HEARTBEAT)], ("10.9.0.1",))


@pytest.mark.parametrize(
    "packets",
    [
        [sent(1, DATA), acknowledged(1.1, gaps=0), sent(12, HEARTBEAT)],
        [sent(1, DATA), acknowledged(1.1, gaps=1, room=0), sent(12, HEARTBEAT)],
        [sent(1, DATA), acknowledged(1.1, gaps=1), sent(9, HEARTBEAT)],
        [sent(1, DATA), acknowledged(1.1, gaps=1), sent(2, DATA), sent(12, HEARTBEAT)],
        [sent(1, DATA), acknowledged(1.1, gaps=1), acknowledged(11, gaps=1), sent(12, HEARTBEAT)],
        [sent(1, DATA), sent(12, HEARTBEAT)],
    ],
    ids=["no_gap", "no_room", "too_early", "retransmits", "is_still_acknowledged", "no_acknowledgement"],
)
def test_any_other_sender_does_not_forget_data(packets: list[dict[str, str]]):
    assert not forgets_data(packets, ("10.9.0.1",))
