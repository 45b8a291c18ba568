"""One association on one path between our stack and others, with each stack as the connecting side."""

from __future__ import annotations

from functools import partial

import pytest
from capture import ABORT
from network import LOSSY, emulated
from stacks import BOTH_FAMILIES, OURS, UDP4, meetings
from stage import Carrier

pytestmark = pytest.mark.interop


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(controls=True))
def test_bulk_both_ways_and_shutdown(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    bytes_each_way = 1 << 20
    with stage(carrier) as on:
        right = on.listen(listener, send=bytes_each_way, size=1200, expect=bytes_each_way, streams=2)
        left = on.connect(connecter, send=bytes_each_way, size=1000, expect=bytes_each_way, streams=3, shutdown=True)
        left.end()
        right.end()
        for end in (left, right):
            assert end.printed("connected")
            assert end.printed("closed")
        assert left.received(bytes_each_way, 1200, streams=2)["reordered"] == 0
        assert right.received(bytes_each_way, 1000, streams=3)["reordered"] == 0


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(UDP4))
def test_the_listener_shuts_down_while_data_are_outstanding(
    stage, listener: str, connecter: str, carrier: Carrier
) -> None:
    with stage(carrier) as on:
        right = on.listen(listener, send=100_000, size=1000, shutdown=True)
        left = on.connect(connecter)
        left.end()
        right.end()
        assert left.printed("closed")
        assert right.printed("closed")
        left.received(100_000, 1000)


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(*BOTH_FAMILIES))
def test_large_messages(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    with stage(carrier) as on:
        right = on.listen(listener, send=1_048_576, size=65_536, expect=1_048_576)
        left = on.connect(connecter, send=1_048_576, size=262_144, expect=1_048_576, shutdown=True)
        left.end()
        right.end()
        assert left.received(1_048_576, 65_536)["messages"] == 16
        assert right.received(1_048_576, 262_144)["messages"] == 4


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(UDP4))
def test_small_messages_unordered_on_many_streams(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    with stage(carrier) as on:
        right = on.listen(listener, expect=160_000)
        left = on.connect(connecter, send=160_000, size=16, streams=16, unordered=True, shutdown=True)
        left.end()
        right.end()
        assert right.received(160_000, 16, streams=16)["messages"] == 10_000


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(UDP4))
def test_messages_are_echoed(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    with stage(carrier) as on:
        right = on.listen(listener, echo=True, streams=4)
        left = on.connect(connecter, send=100_000, size=1000, streams=4, expect=100_000, shutdown=True)
        left.end()
        right.end()
        left.received(100_000, 1000, streams=4)
        right.received(100_000, 1000, streams=4)


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(UDP4))
def test_losses(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    with stage(carrier, network=partial(emulated, link=LOSSY)) as on:
        right = on.listen(listener, send=300_000, size=1000, expect=300_000)
        left = on.connect(connecter, send=300_000, size=1000, expect=300_000, shutdown=True)
        left.end()
        if connecter == "pion":
            # The SHUTDOWN COMPLETE of this stack may be lost, and it does not answer a repeated SHUTDOWN ACK.
            right.wait_for("received")
        else:
            right.end()
        left.received(300_000, 1000)
        right.received(300_000, 1000)


@pytest.mark.parametrize(("listener", "connecter", "carrier"), meetings(*BOTH_FAMILIES, only=(OURS, "usrsctp", "pion")))
def test_abort_with_a_reason(stage, listener: str, connecter: str, carrier: Carrier) -> None:
    with stage(carrier, chunks={ABORT}) as on:
        right = on.listen(listener, send=10_000, size=1000)
        left = on.connect(connecter, expect=10_000, size=1000, abort="out of tea")
        left.end()
        right.end()
        (aborted,) = right.printed("aborted")
        assert aborted["by"] == "peer"
        assert aborted["reason"] == "out of tea"
        (own,) = left.printed("aborted")
        assert own["by"] == "local"
        left.received(10_000, 1000)
    assert on.chunks[ABORT] == 1
