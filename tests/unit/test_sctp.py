"""SCTP between endpoints of this machine, over its loopback addresses. Each test takes a few seconds at most."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import astuple, replace
from functools import wraps
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import manypath as mp
from manypath import sctp

ROOT = Path(__file__).parents[2]
ONE = ["127.0.0.1"]
TWO = ["127.0.0.1", "127.0.0.2"]
SECONDS = 300
"""The time limit of a test in seconds, also on a busy machine."""
PATIENT = sctp.Options(rto_initial="60 s", rto_min="60 s")
"""Options with which no timer retransmits, on another path too, while this machine stands still."""
SMALL = sctp.Options(send_buffer="300 kB", receive_buffer="300 kB")
"""Options with small buffers."""


def bounded(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in a separate event loop, for at most `SECONDS`."""

    @wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **named), SECONDS), debug=True)

    return run


def listen(local: list[str] = ONE, **settings: Any) -> sctp.Listener:
    return mp.sctp.listen(local=local, encapsulation=0, **settings)


async def connect(endpoint: sctp.Endpoint, **settings: Any) -> sctp.Association:
    settings = {"local": endpoint.local, **settings}
    return await mp.sctp.connect(endpoint.local, endpoint.port, encapsulation=endpoint.encapsulation, **settings)


@asynccontextmanager
async def pair(local: list[str] = ONE, **settings: Any) -> AsyncIterator[tuple[sctp.Association, sctp.Association]]:
    """Yield both ends of an association, the client first."""
    async with listen(local, **settings) as endpoint:
        client = await connect(endpoint, **settings)
        yield client, await endpoint.accept()


async def send_until_full(association: sctp.Association, data: bytes) -> int:
    """Send a message repeatedly until both buffers are full, and return the number of sent messages."""
    sent, timeouts = 0, 0
    # One message can wait that long because the process was stopped, but then the next attempt sends it.
    while timeouts < 5:
        try:
            await asyncio.wait_for(association.send(data), 0.5)
            sent, timeouts = sent + 1, 0
        except TimeoutError:
            timeouts += 1
    return sent


async def echo(association: sctp.Association) -> None:
    async with association:
        async for message in association:
            await association.send(message, message.stream, ppid=message.ppid, unordered=message.unordered)


@bounded
async def test_an_echo_returns_all_sent_messages():
    async with pair(streams=4) as (client, server):
        answering = asyncio.create_task(echo(server))
        await client.send(b"hello", stream=3, ppid=7, unordered=True, lifetime="1 s")
        assert await client.receive() == sctp.Message(b"hello", stream=3, ppid=7, unordered=True)
        for data in (bytearray(b"mutable"), memoryview(b"a view")):
            await client.send(data)
            assert bytes(await client.receive() or b"") == bytes(data)
        assert client.streams == 4
        await client.shutdown()
        await answering
        assert await client.receive() is None


@bounded
async def test_a_shutdown_is_not_delayed_after_a_message_with_an_immediate_sack():
    # Other load makes a shutdown slower. It also makes one faster, if the timer of the SACK runs before this task wakes
    for is_immediate in (False, True):
        for _ in range(50):
            if (await _seconds_of_shutdown(sack_immediately=is_immediate) < 0.15) is is_immediate:
                break
        else:
            pytest.fail(f"no shutdown of 50 waited for a delayed SACK: {not is_immediate}")


async def _seconds_of_shutdown(*, sack_immediately: bool) -> float:
    async with pair() as (client, server):
        await client.send(b"the first message, which the answer acknowledges")
        await server.receive()
        await server.send(b"the answer")
        await client.receive()
        await client.send(b"the last message", sack_immediately=sack_immediately)
        assert await server.receive() == sctp.Message(b"the last message")
        started = time.monotonic()
        await client.shutdown()
        return time.monotonic() - started


@bounded
async def test_a_file_is_transferred_over_two_paths(tmp_path: Path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(os.urandom(8 << 20))
    started = time.monotonic()

    async def save(association: sctp.Association) -> None:
        async with association:
            with copy.open("wb") as output:
                async for message in association:
                    output.write(message.payload)

    async with pair(TWO, cc="cmt-rpv2") as (client, server):
        saving = asyncio.create_task(save(server))
        while not all(path.confirmed for path in client.paths):
            await asyncio.sleep(0.01)
        with source.open("rb") as pieces:
            while piece := pieces.read(65_536):
                await client.send(piece)
        # A path with a timeout, such as of a process that was stopped, is active again after a heartbeat
        while not all(path.state == "active" for path in client.paths):
            await asyncio.sleep(0.01)
        paths, elapsed = client.paths, time.monotonic() - started
        await client.shutdown()
        await saving
    assert {(path.local, path.remote) for path in paths} >= {("127.0.0.1", "127.0.0.1"), ("127.0.0.2", "127.0.0.2")}
    assert all(path.data_chunks_sent > 0 for path in paths), paths
    assert all(path.state == "active" and path.confirmed and path.window > 0 for path in paths)
    assert all(0 < path.srtt < elapsed and path.rto >= 1 for path in paths), paths
    assert hashlib.sha256(copy.read_bytes()).digest() == hashlib.sha256(source.read_bytes()).digest()


@bounded
async def test_without_a_coupled_congestion_control_one_path_carries_the_data():
    async with pair(TWO, options=PATIENT) as (client, server):
        for _ in range(100):
            await client.send(bytes(1000))
        for _ in range(100):
            await server.receive()
        assert [path.data_chunks_sent for path in client.paths if not path.primary] == [0]
        assert [path.data_chunks_sent >= 100 for path in client.paths if path.primary] == [True]


@bounded
async def test_one_endpoint_has_many_associations_at_once():
    async with listen(backlog=100) as endpoint:

        async def serve() -> None:
            async with asyncio.TaskGroup() as tasks:
                async for association in endpoint:
                    tasks.create_task(echo(association))

        async def ask(number: int) -> bytes:
            async with await connect(endpoint) as association:
                await association.send(f"question {number}".encode())
                return bytes(await association.receive() or b"")

        serving = asyncio.create_task(serve())
        answers = await asyncio.gather(*map(ask, range(50)))
        assert answers == [f"question {number}".encode() for number in range(50)]
        await endpoint.close()
        await serving


@bounded
async def test_a_receive_that_times_out_loses_no_message():
    async with pair() as (client, server):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server.receive(), 0.05)
        await client.send(b"late")
        assert bytes(await server.receive() or b"") == b"late"


@bounded
async def test_cancellation_at_any_moment_loses_no_message():
    async def send_all(association: sctp.Association, count: int) -> None:
        for number in range(count):
            await association.send(number.to_bytes(4))
            await asyncio.sleep(0)

    async with pair() as (client, server):
        received, timeouts, sending = [], 0, None
        while len(received) < 1000:
            receiving = asyncio.create_task(server.receive())
            await asyncio.sleep(0)
            # The first task waits while nothing is sent, and is cancelled
            sending = sending or asyncio.create_task(send_all(client, 1000))
            if not receiving.done():
                # The message may arrive between the cancellation and its effect
                receiving.cancel()
                await asyncio.wait([receiving])
                timeouts += receiving.cancelled()
            if not receiving.cancelled():
                received.append(int.from_bytes(bytes(receiving.result() or b"")))
        assert sending is not None
        await sending
        assert received == list(range(1000))
        assert timeouts > 0


@bounded
async def test_a_sender_waits_while_the_receiver_does_not_read():
    message = bytes(1 << 20)
    async with pair() as (client, server):
        sent = await send_until_full(client, message)
        assert 4 <= sent <= 12, "the buffers of both sides have 4 MiB each"
        for _ in range(sent):
            assert await server.receive() is not None
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server.receive(), 0.1)  # the cancelled send sent no message


@bounded
async def test_a_full_backlog_refuses():
    async with listen(backlog=1) as endpoint:
        first = await connect(endpoint)
        with pytest.raises(ConnectionRefusedError, match="the peer refused the association: no room") as refusal:
            await connect(endpoint)
        assert isinstance(refusal.value, sctp.Refused)
        assert isinstance(refusal.value, mp.NetworkError)
        assert first.streams == 16


@bounded
async def test_an_unanswered_connect_can_be_cancelled():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((ONE[0], 0))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await mp.sctp.connect("127.0.0.1", 9, local=ONE, encapsulation=silent.getsockname()[1])


@bounded
async def test_a_closed_port_is_reported_immediately():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
        closed.bind((ONE[0], 0))
        # It receives from this address only, so that the port is closed for others, and no other program takes it
        closed.connect((ONE[0], 9))
        port = closed.getsockname()[1]
        with pytest.raises(sctp.Refused, match=r"no SCTP endpoint listens at 127\.0\.0\.1"):
            await mp.sctp.connect("127.0.0.1", 9, local=ONE, encapsulation=port)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a namespace")
def test_a_machine_without_a_route_is_unreachable():
    commands = ("link set lo up", "address add 10.82.0.1/32 dev lo", "route add unreachable 10.82.9.9/32")
    script = " && ".join([*(f"ip {words}" for words in commands), f"exec {sys.executable} -c '{CALL_WITHOUT_A_WAY}'"])
    unshare = shutil.which("unshare") or pytest.skip("the program unshare is missing")
    command = [unshare, "--net", "sh", "-c", script]
    called = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    line = "10.82.9.9 cannot be reached: a router or this machine says that no way leads there"
    assert (called.stdout, called.stderr) == (f"Unreachable: {line}\n", "")


CALL_WITHOUT_A_WAY = """
import asyncio
import manypath as mp
try:
    asyncio.run(mp.sctp.connect("10.82.9.9", 9, local="10.82.0.1"))
except mp.NetworkError as error:
    print(type(error).__name__, error, sep=": ")
"""


@bounded
async def test_an_abort_sends_its_reason_to_the_peer():
    async with pair() as (client, server):
        events = server.events()
        client.abort("the disk is full")
        with pytest.raises(ConnectionAbortedError, match='the peer aborted the association: "the disk is full"'):
            await server.receive()
        with pytest.raises(sctp.Aborted, match="the association was aborted here"):
            await client.send(b"more")
        reported = [event async for event in events]
        assert isinstance(reported[-1], sctp.Finished)
        assert isinstance(reported[-1].error, sctp.Aborted)


@bounded
async def test_an_exception_in_the_block_aborts_the_association():
    async with pair() as (client, server):
        with pytest.raises(ZeroDivisionError):
            async with client:
                raise ZeroDivisionError
        with pytest.raises(sctp.Aborted, match="its application ended it"):
            await server.receive()


@bounded
async def test_a_block_ends_while_the_peer_sends_unread_data():
    async with pair(options=SMALL) as (client, server):
        sent = await send_until_full(server, bytes(50_000))
        assert sent > 8
        async with client:
            async for message in client:
                assert len(message) == 50_000
                break
        with pytest.raises(sctp.Closed):
            await client.receive()
        assert await server.receive() is None


@bounded
async def test_messages_received_during_a_shutdown_can_be_read_later():
    async with pair(options=SMALL) as (client, server):
        sent = await send_until_full(server, bytes(50_000))
        ending = asyncio.create_task(client.shutdown())
        await asyncio.sleep(0.3)
        assert not ending.done()
        assert len([message async for message in client]) == sent
        await ending


@bounded
async def test_an_endpoint_closes_while_an_association_is_not_read():
    async with listen(options=SMALL) as endpoint:
        client = await connect(endpoint, options=SMALL)
        server = await endpoint.accept()
        await send_until_full(client, bytes(50_000))
        await endpoint.close()
        with pytest.raises(sctp.Closed):
            await server.receive()
        await client.closed()


@bounded
async def test_an_abort_within_the_block_ends_it():
    async with pair() as (client, server):
        async with client:
            client.abort()
        with pytest.raises(sctp.Aborted):
            await server.closed()


@bounded
async def test_events_report_paths_messages_and_the_end():
    async with pair(TWO) as (client, server):
        events = client.events()
        await client.send(b"data")
        await server.receive()
        await server.shutdown()
        reported = [event async for event in events]
    assert sctp.SenderDry() in reported
    assert sctp.PeerShutdown() in reported
    assert reported[-1] == sctp.Finished(None)
    assert all(isinstance(event, sctp.Event) for event in reported)


@bounded
async def test_an_expired_message_is_reported():
    async with pair() as (client, server):
        events = client.events()
        sent = await send_until_full(client, bytes(500_000))
        await client.send(b"soon too late", lifetime="1 ms")
        failed = await anext(event async for event in events if isinstance(event, sctp.SendFailed))
        assert failed == sctp.SendFailed(sctp.Message(b"soon too late"), sent=False)
        for _ in range(sent):
            message = await server.receive()
            assert message is not None
            assert len(message) == 500_000


async def _transfer(client: sctp.Association, server: sctp.Association, data: bytes) -> None:
    sending = asyncio.create_task(client.send(data))
    assert bytes(await server.receive() or b"") == data
    await sending


@bounded
async def test_data_takes_the_primary_path():
    async with pair(TWO, options=PATIENT) as (client, server):
        while not all(path.confirmed for path in client.paths):
            await asyncio.sleep(0.01)
        for number, choice in ((1, 1), (0, client.paths[0])):
            client.set_primary(choice)
            assert [path.primary for path in client.paths] == [number == 0, number == 1]
            before = [path.data_packets for path in client.paths]
            await _transfer(client, server, os.urandom(500_000))
            grown = [path.data_packets - sent for path, sent in zip(client.paths, before, strict=True)]
            assert grown[number] > 30
            assert grown[1 - number] == 0
        foreign = replace(client.paths[0], remote="127.0.0.9")
        line = "path: 127.0.0.1 to 127.0.0.9 is no path of the association: give one of `paths`"
        with pytest.raises(mp.UserError, match=line):
            client.set_primary(foreign)
        for wrong in (2, -1, True, "first"):
            with pytest.raises(mp.UserError, match=r"path: .* is not a .*: give 0 to 1, or one of `paths`"):
                client.set_primary(wrong)  # pyright: ignore[reportArgumentType]


@bounded
async def test_both_ends_count_the_same_transfer():
    async with listen(TWO, cc="cmt-rpv2") as endpoint:
        client = await connect(endpoint, cc="cmt-rpv2")
        server = await endpoint.accept()
        await _transfer(client, server, bytes(1_000_000))
        await client.shutdown()
        await server.closed()
        sent, received = client.counters(), server.counters()
        assert (sent.messages_sent, sent.bytes_sent) == (1, 1_000_000)
        assert (received.messages_received, received.bytes_received) == (1, 1_000_000)
        assert sent.data_chunks_sent == sum(path.data_chunks_sent for path in client.paths)
        assert sent.retransmitted_chunks == sum(path.retransmitted_chunks for path in client.paths)
        assert sent.data_packets == sum(path.data_packets for path in client.paths)
        assert sum(path.bytes_acked for path in client.paths) == 1_000_000
        assert sum(path.bytes_received for path in server.paths) == 1_000_000
        for path in client.paths:
            assert path.wire_bytes_sent >= path.bytes_acked
            assert 1280 <= path.mtu <= 9216
            assert sum(astuple(path.blocked)) >= path.blocked.window >= 0
        counted = endpoint.counters()
        assert (counted.dropped_packets, counted.malformed_packets) == (0, 0)
        # The endpoint sends the INIT ACK before the association exists
        assert counted.packets_sent > received.packets_sent
        assert counted.packets_received >= received.packets_received


@bounded
async def test_the_largest_message_is_the_size_of_the_send_buffer():
    options = sctp.Options(send_buffer="8 MiB", receive_buffer="64 KiB")
    async with pair(options=options) as (client, server):
        data = os.urandom(6 << 20)
        sending = asyncio.create_task(client.send(data))
        parts = bytearray()
        while len(parts) < len(data):
            message = await server.receive()
            assert message is not None
            assert message.part_of is not None
            parts += message.payload
        await sending
        assert parts == data
        with pytest.raises(mp.UserError, match="does not fit into a send buffer of 8388608"):
            await client.send(bytes(9 << 20))


@bounded
async def test_a_paced_transfer_completes_and_reports_its_pacing_delay():
    for pacing in (False, True):
        async with pair(options=sctp.Options(pacing=pacing)) as (client, server):
            await _transfer(client, server, os.urandom(3_000_000))
            waited = client.paths[0].blocked.pacing
            assert waited >= 0
            assert pacing or waited == 0


@bounded
async def test_with_nodelay_a_small_message_is_sent_without_waiting_for_a_sack():
    for nodelay in (False, True):
        options = sctp.Options(nodelay=nodelay, sack_every=255, sack_delay="500 ms")
        async with pair(options=options) as (client, server):
            waited = True
            # On a busy machine an acknowledgement can be due before the second message is sent
            for _ in range(100 if nodelay else 5):
                before = server.counters().sacks_sent
                for question in (b"first", b"second"):
                    await client.send(question)
                    message = await server.receive()
                    assert message is not None
                    assert bytes(message) == question
                waited = server.counters().sacks_sent > before
                if not waited:
                    break
            assert waited is not nodelay


@bounded
async def test_a_silent_peer_is_unreachable_after_the_configured_retransmissions():
    options = sctp.Options(rto_initial="20 ms", rto_min="10 ms", rto_max="50 ms", init_max_retransmissions=2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        with pytest.raises(sctp.Unreachable):
            await mp.sctp.connect(ONE, 5000, local=ONE, encapsulation=silent.getsockname()[1], options=options)


def test_invalid_options_are_reported_in_one_line():
    for fields, line in (
        ({"send_buffer": "1 kB"}, 'send_buffer: "1 kB" cannot be used: give 1500 B to 1 GiB'),
        ({"receive_buffer": 4096}, 'receive_buffer: 4096 has no unit: write "4096 B"'),
        ({"mtu": "500 B"}, 'mtu: "500 B" cannot be used: give 576 B to 65535 B'),
        ({"rto_min": "61 s"}, 'rto_max: "60 s" is below rto_min or rto_initial: give at least both'),
        ({"heartbeat_interval": "0 s"}, 'heartbeat_interval: "0 s" cannot be used: give 1 ms to 24 h'),
        ({"path_max_retransmissions": -1}, "path_max_retransmissions: -1 is not a number of times: give 0 to 65535"),
        ({"sack_every": 0}, "sack_every: 0 is not a number of packets: give 1 to 255"),
        ({"sack_delay": "501 ms"}, 'sack_delay: "501 ms" cannot be used: give 0 s to 500 ms'),
        ({"pacing": "on"}, 'pacing: "on" is no bool: give True or False'),
        ({"nodelay": 1}, "nodelay: 1 is no bool: give True or False"),
    ):
        with pytest.raises(mp.UserError) as mistake:
            sctp.Options(**fields)  # pyright: ignore[reportArgumentType]
        assert line in str(mistake.value)
        assert "\n" not in str(mistake.value)


def _read_events(file: Path) -> list[dict[str, Any]]:
    """Return the events of a file. Each must match the schema of the simulator's events."""
    validator = Draft202012Validator(json.loads((ROOT / "spec" / "events.schema.json").read_text()))
    header, *events = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    validator.validate(header)
    # One line of each form is enough: validating all of them takes minutes.
    forms = {(line["name"], *sorted(line), *sorted(line["data"])): line for line in events}
    for line in forms.values():
        validator.validate(line)
    return events


@bounded
async def test_events_of_real_associations_match_the_schema_of_simulated_ones(tmp_path: Path):
    files = [tmp_path / "server.jsonl", tmp_path / "client.jsonl"]
    async with listen(TWO, cc="cmt-rpv2", events=files[0]) as endpoint:
        client = await connect(endpoint, cc="cmt-rpv2", events=str(files[1]))
        server = await endpoint.accept()
        await _transfer(client, server, bytes(1_000_000))
        await client.shutdown()
        await server.closed()
        counters = client.counters()
    of_server, of_client = (_read_events(file) for file in files)
    events = pd.json_normalize(of_client)
    sent = events[events.name == "transport:packet_sent"]
    assert len(sent) == counters.packets_sent
    assert set(events.host) == {"source"}
    assert set(events.path.dropna()) == {"127.0.0.1 -> 127.0.0.1", "127.0.0.2 -> 127.0.0.2"}
    windows = events[events.name == "recovery:metrics_updated"].groupby("path")["data.cwnd"].last()
    assert {f"{path.local} -> {path.remote}": path.window for path in client.paths} == dict(windows)
    chunks = [
        chunk for line in of_server if line["name"] == "transport:packet_received" for chunk in line["data"]["chunks"]
    ]
    payload = {chunk["tsn"]: chunk["payload"] for chunk in chunks if chunk["type"] == "data"}
    assert sum(payload.values()) == 1_000_000
    assert [line["data"] for line in of_client if line["name"] == "connectivity:connection_closed"] == [
        {"reason": "shutdown"}
    ]


@bounded
async def test_events_replace_no_file_of_another_program_and_report_a_full_disk(tmp_path: Path):
    note = tmp_path / "note"
    note.write_text("keep me")
    with pytest.raises(mp.UserError, match="manypath did not write it as events"):
        await listen(events=note)
    assert note.read_text() == "keep me"
    async with listen() as endpoint:
        client = await connect(endpoint, events="/dev/full")
        await _transfer(client, await endpoint.accept(), bytes(1_000_000))
        with pytest.raises(mp.OutputError, match=r'events: "/dev/full" cannot be written: No space left on device'):
            await client.shutdown()


@bounded
async def test_an_endpoint_that_closes_ends_waiting_accepts():
    endpoint = await listen()
    accepting = asyncio.create_task(endpoint.accept())

    async def accept_all() -> list[sctp.Association]:
        return [association async for association in endpoint]

    iterating = asyncio.create_task(accept_all())
    await asyncio.sleep(0.05)
    await endpoint.close()
    with pytest.raises(sctp.Closed, match="the endpoint is closed"):
        await accepting
    assert await iterating == []


@bounded
async def test_an_exception_in_the_block_closes_the_endpoint_without_waiting():
    endpoint = await listen()
    client, server = await connect(endpoint), await endpoint.accept()
    with pytest.raises(ZeroDivisionError):
        async with endpoint:
            raise ZeroDivisionError
    assert await client.receive() is None
    assert await server.receive() is None


@bounded
async def test_an_association_without_references_is_removed_with_its_endpoint():
    tasks = asyncio.all_tasks()
    endpoint = await listen()
    client = await connect(endpoint)
    server = await endpoint.accept()
    port = endpoint.encapsulation
    await client.send(b"last words")
    del client
    gc.collect()
    assert [bytes(message) async for message in server] == [b"last words"]
    assert asyncio.all_tasks() == tasks
    del server, endpoint
    gc.collect()

    async def bind_again() -> bool:
        try:
            await mp.sctp.listen(local=ONE, encapsulation=port)
        except mp.UserError:
            return False
        return True

    while not await bind_again():  # the endpoint's task ends soon
        await asyncio.sleep(0.01)


@bounded
async def test_several_tasks_may_wait_at_once():
    async with pair() as (client, server):
        receiving = [asyncio.create_task(server.receive()) for _ in range(3)]
        await asyncio.sleep(0.02)
        for text in (b"a", b"b", b"c"):
            await client.send(text)
        assert {bytes(message or b"") for message in await asyncio.gather(*receiving)} == {b"a", b"b", b"c"}


async def _send(**arguments: Any) -> None:
    async with pair(streams=4) as (client, _):
        await client.send(**{"data": b"data", **arguments})


async def _bind_twice() -> None:
    async with listen() as endpoint:
        await mp.sctp.listen(local=ONE, encapsulation=endpoint.encapsulation)


async def _connect(addresses: Any = "127.0.0.1", port: Any = 5000, **settings: Any) -> None:
    await mp.sctp.connect(addresses, port, **settings)


async def _listen(**settings: Any) -> None:
    await mp.sctp.listen(**settings)


WRONG: list[tuple[Callable[..., Awaitable[None]], dict[str, Any], str]] = [
    (_connect, {"addresses": []}, 'addresses: empty: give those of the peer, such as "10.1.0.2"'),
    (_connect, {"addresses": "server"}, 'addresses: "server" is no IP address: give one, such as "10.1.0.2"'),
    (
        _connect,
        {"addresses": "fe80::1%lo"},
        'addresses: "fe80::1%lo" has an interface, which is not supported: give only the address',
    ),
    (_connect, {"addresses": 3}, 'addresses: 3 is no text: give an address, such as "10.1.0.2"'),
    (
        _connect,
        {"addresses": "224.0.0.1"},
        'addresses: "224.0.0.1" is not the address of a single interface: give a unicast address',
    ),
    (_connect, {"port": 0}, "port: 0 is not a port: give 1 to 65535"),
    (_connect, {"port": "80"}, 'port: "80" is not a port: give 1 to 65535'),
    (_connect, {"encapsulation": 65_536}, "encapsulation: 65536 is not a port: give 1 to 65535"),
    (_connect, {"local_port": -1}, "local_port: -1 is not a port: give 0 to 65535"),
    (_connect, {"streams": 0}, "streams: 0 is not a number of streams: give 1 to 65535"),
    (_connect, {"cc": "cmt-rpv3"}, 'cc: there is no congestion control "cmt-rpv3": did you mean'),
    (_connect, {"cc": None}, 'cc: None is no text: give the name of a congestion control, such as "cmt-rpv2"'),
    (_connect, {"concurrent": "yes"}, 'concurrent: "yes" is no bool: give True, False or None'),
    (
        _connect,
        {"addresses": "::1", "local": "127.0.0.1"},
        "addresses: ::1 cannot be reached from any local address of the endpoint: give `local` addresses",
    ),
    (
        _listen,
        {"local": "192.0.2.1"},
        "local: 192.0.2.1 is not an address of this machine: give an address of an interface",
    ),
    (_listen, {"port": 70_000}, "port: 70000 is not a port: give 0 to 65535"),
    (_connect, {"options": {"mtu": "1500 B"}}, "options: "),
    (_connect, {"events": 5}, "events: 5 is no path: give a text or a pathlib.Path"),
    (_listen, {"events": "/nowhere/run.jsonl"}, 'events: "/nowhere/run.jsonl" cannot be written'),
    (_listen, {"backlog": 0}, "backlog: 0 is not a number of associations: give 1 or more"),
    (_bind_twice, {}, "is in use by another program: give another port, or 0 for a free one"),
    (_send, {"data": "text"}, 'data: "text" cannot be converted to bytes: give bytes, such as text.encode()'),
    (_send, {"data": 5}, "data: 5 cannot be converted to bytes"),
    (_send, {"data": b""}, "data: a message needs at least one byte"),
    (_send, {"data": bytes(5 << 20)}, "data: a message of 5242880 bytes does not fit into a send buffer of 4194304"),
    (_send, {"stream": 4}, "stream: stream 4 does not exist: the association has 4 to send on, from 0"),
    (_send, {"stream": 70_000}, "stream: 70000 is not a number of a stream: give 0 or more, below 65536"),
    (_send, {"ppid": -1}, "ppid: -1 is not a payload protocol identifier: give 0 or more, below 2^32"),
    (_send, {"unordered": 1}, "unordered: 1 is no bool: give True or False"),
    (_send, {"sack_immediately": "yes"}, 'sack_immediately: "yes" is no bool: give True or False'),
    (_send, {"lifetime": 1}, 'lifetime: 1 has no unit: write "1 ms"'),
    (_send, {"lifetime": "1 MB"}, 'lifetime: "1 MB" is no time'),
]


@pytest.mark.parametrize(("call", "arguments", "line"), WRONG)
@bounded
async def test_a_wrong_argument_is_reported_in_one_line(
    call: Callable[..., Awaitable[None]], arguments: dict[str, Any], line: str
):
    with pytest.raises(mp.UserError) as mistake:
        await call(**arguments)
    assert line in str(mistake.value)
    assert "\n" not in str(mistake.value)
    assert mistake.value.__suppress_context__ or mistake.value.__context__ is None


def run_python(program: str) -> tuple[int, str, str]:
    """Run a program; return its exit code and its output."""
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    return ended.returncode, ended.stdout, ended.stderr


def test_the_sctp_package_is_imported_on_first_use():
    asked = "import sys, manypath as m; print('manypath.sctp' in sys.modules, 'asyncio' in sys.modules); m.sctp.listen"
    assert run_python(asked) == (0, "False False\n", "")


def test_a_program_that_ends_early_prints_nothing():
    program = """
import asyncio, manypath as mp

async def main():
    endpoint = await mp.sctp.listen(local="127.0.0.1", encapsulation=0)
    client = await mp.sctp.connect("127.0.0.1", endpoint.port, encapsulation=endpoint.encapsulation)
    waiting = asyncio.create_task(client.receive())
    await asyncio.sleep(0)

asyncio.run(main())
"""
    assert run_python(program) == (0, "", "")


def test_an_endpoint_in_a_forked_process_is_an_error():
    program = """
import asyncio, os, manypath as mp

async def bind():
    return await mp.sctp.listen(local="127.0.0.1", encapsulation=0)

asyncio.run(bind())
if child := os.fork():
    os.waitpid(child, 0)
else:
    try:
        asyncio.run(bind())
    except mp.UserError as error:
        print(error, flush=True)
    os._exit(0)
"""
    line = "this process was forked from one that had used manypath.sctp: start processes with the method spawn\n"
    assert run_python(program) == (0, line, "")


def test_an_association_from_before_a_fork_does_not_wait_forever():
    program = """
import asyncio, os, manypath as mp

async def connect():
    endpoint = await mp.sctp.listen(local="127.0.0.1", encapsulation=0)
    client = await mp.sctp.connect("127.0.0.1", endpoint.port, encapsulation=endpoint.encapsulation)
    return endpoint, client

async def says(waiting):
    try:
        await waiting
    except mp.UserError as error:
        print(error, flush=True)

endpoint, client = asyncio.run(connect())
if child := os.fork():
    os.waitpid(child, 0)
    asyncio.run(client.send(b"the parent goes on"))
else:
    for waiting in (client.receive(), client.send(b"x"), endpoint.accept()):
        asyncio.run(says(waiting))
    os._exit(0)
"""
    line = "this process was forked from one that had used manypath.sctp: start processes with the method spawn\n"
    assert run_python(program) == (0, 3 * line, "")


def test_one_process_may_use_several_event_loops_one_after_another():
    async def talk() -> bytes:
        async with pair() as (client, server):
            await client.send(b"again")
            return bytes(await server.receive() or b"")

    assert [asyncio.run(talk()) for _ in range(3)] == [b"again"] * 3
