"""One run, end to end, with the real engine."""

from __future__ import annotations

import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import manypath as mp
from manypath import _native


def one_flow(**changes) -> mp.Scenario:
    """Return a flow with full packets over one link, for ten simulated seconds."""
    link = mp.Link(rate="10 Mbit/s", delay="1 ms", **changes)
    flow = mp.Sctp(paths=["only"], app=mp.Saturated(message="1452 B"))
    return mp.Scenario(network=mp.disjoint(only=link), flows={"flow": flow}, warmup="5 s", measure="10 s")


def test_a_full_link_carries_its_rate_except_headers():
    # IP takes 20 of the 1500 bytes, SCTP 12, the chunk header 16; PPP adds 7: 1452 of 1507 bytes are payload.
    goodput = mp.run(one_flow()).goodput["flow"]
    assert goodput == pytest.approx(10 * 1452 / 1507, rel=0.005)
    assert goodput <= 10 * 1452 / 1507 * 1.001


def test_equal_seeds_give_equal_runs_and_other_seeds_do_not(scenario):
    first, again = mp.run(scenario(), seed=3), mp.run(scenario(), seed=3)
    assert first.digest == again.digest
    assert first.flows.equals(again.flows)
    others = [mp.run(scenario(), seed=4), mp.run(scenario(), seed=3, replication=1)]
    assert len({first.digest, *(other.digest for other in others)}) == 3


def test_an_interrupt_ends_a_run_of_years(monkeypatch: pytest.MonkeyPatch):
    press = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    engine = _native.run

    def begun(*arguments: Any) -> Any:
        press.start()
        return engine(*arguments)

    monkeypatch.setattr(_native, "run", begun)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            mp.run(one_flow().but(measure="50000 h"))
    finally:
        press.join()
        signal.signal(signal.SIGINT, handler)


def test_a_run_calls_back_with_the_simulated_seconds_and_an_exception_ends_it():
    reached: list[float] = []

    def three_times(seconds: float) -> None:
        reached.append(seconds)
        if len(reached) == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        mp.run(one_flow().but(measure="50000 h"), progress=three_times)
    assert 0 < reached[0] < reached[1] < reached[2]


def test_a_stopped_batch_returns_finished_runs(scenario):
    documents = [scenario().document(), scenario().but(measure="50000 h").document()]
    # The first time after which the short run has ended
    for seconds in (1, 4, 16, 64, 256):
        stop = _native.Stop()
        press = threading.Timer(seconds, stop.set)
        press.start()
        short, long = _native.run_batch(documents, [(0, 1, 0), (1, 1, 0)], stop)
        press.join()
        assert isinstance(long, _native.RunError)
        assert str(long) == "seed 1, replication 0: the run was stopped"
        if isinstance(short, str):
            break
    else:
        pytest.fail("no batch returned its finished run")


def test_the_number_of_threads_does_not_change_results(scenario):
    document = scenario().document()
    jobs = [(0, 1, replication) for replication in range(4)]

    def course(threads: int) -> list[str]:
        with ThreadPoolExecutor(threads) as pool:
            batches = pool.map(lambda job: _native.run_batch([document], [job]), jobs)
            return [json.loads(str(outcome))["digest"] for (outcome,) in batches]

    assert course(1) == course(3)
    assert course(1)[2] == mp.run(scenario(), seed=1, replication=2).digest


def test_the_goodput_of_a_flow_is_the_sum_of_its_paths(scenario):
    result = mp.run(scenario())
    by_path = result.paths["goodput"].groupby("flow").sum()
    assert by_path["single"] == pytest.approx(result.goodput["single"], rel=0.05)
    assert by_path["cmt"] == pytest.approx(result.goodput["cmt"], rel=0.05)
    assert set(result.paths.loc["cmt"].index) == {"south", "north"}


def test_every_packet_is_delivered_dropped_lost_or_in_flight():
    links = mp.run(one_flow(loss=mp.Bernoulli(p=0.01))).links
    under_way = links["arrived"] - links["delivered"] - links["dropped"] - links["lost"]
    # The difference is at most the packets in the queue and in flight when the measurement begins or ends.
    assert under_way.abs().max() <= 102
    assert links["lost"].to_dict()["only"] > 0


def test_samples_are_at_regular_simulated_times(scenario):
    series = mp.run(scenario(), series="100 ms").series
    times = series["paths"].query("flow == 'cmt' and path == 'north'")["time"].to_numpy()
    assert np.diff(times) == pytest.approx(0.1)
    assert times[-1] == pytest.approx(3.0, abs=0.11)
    assert (series["links"]["queue"] <= 100).all()
    assert list(series["links"]["link"].unique()) == ["south", "south/back", "north", "north/back"]


def test_sampling_does_not_change_the_run(scenario):
    assert mp.run(scenario(), series="10 ms").digest == mp.run(scenario()).digest


def test_a_link_that_goes_down_and_up_again_delays_the_flow():
    events = [mp.Event(at="8 s", change="down"), mp.Event(at="10 s", change="up")]
    whole, broken = mp.run(one_flow()), mp.run(one_flow(events=events))
    assert 0.3 < broken.goodput["flow"] / whole.goodput["flow"] < 0.85


def test_latency_is_the_time_to_empty_the_send_buffer():
    flow = mp.run(one_flow()).flows.to_dict("index")["flow"]
    # A message waits for a full send buffer of 1 MB, which leaves at the rate of the link.
    assert flow["latency_mean"] == pytest.approx(8.0 / flow["goodput"], rel=0.02)
    assert flow["latency_p50"] <= flow["latency_p95"] <= flow["latency_p99"] <= flow["latency_max"]


def test_a_constant_rate_below_capacity_is_not_queued():
    link = mp.Link(rate="10 Mbit/s", delay="1 ms")
    calm = mp.Sctp(paths=["only"], app=mp.Cbr(rate="3 Mbit/s", message="1452 B"))
    flow = mp.run(
        mp.Scenario(network=mp.disjoint(only=link), flows={"calm": calm}, warmup="2 s", measure="5 s")
    ).flows.to_dict("index")["calm"]
    assert flow["goodput"] == pytest.approx(3.0, rel=0.005)
    # 1507 framed bytes at 10 Mbit/s, twice at the 1 Gbit/s of the access links, and the delay.
    assert flow["latency_max"] == pytest.approx(1507 * 8 * (1e-7 + 2e-9) + 1e-3, rel=1e-6)


def test_a_flow_that_delivers_nothing_has_no_latency():
    late = mp.Sctp(paths=["only"], start="14.997 s")
    scenario = mp.Scenario(network=one_flow().network, flows={"flow": late}, warmup="5 s", measure="10 s")
    assert mp.run(scenario).flows.filter(like="latency").isna().all(axis=None)


def ordered(streams: int) -> mp.Result:
    """Run a flow of ordered messages over a link that loses some of them."""
    app = mp.Saturated(message="1452 B", ordered=True)
    network = one_flow(loss=mp.Bernoulli(p=0.01)).network
    flow = mp.Sctp(paths=["only"], app=app, streams=streams)
    return mp.run(mp.Scenario(network=network, flows={"flow": flow}, warmup="2 s", measure="10 s"), series="100 ms")


def test_ordered_messages_wait_on_every_stream():
    result = ordered(3)
    flow, streams = result.flows.loc["flow"], result.streams.loc["flow"]
    assert list(streams.index) == [0, 1, 2]
    for column in ("messages", "waited", "waiting", "blocked"):
        assert streams[column].sum() == pytest.approx(flow[f"head_of_line_{column}"])
        assert (streams[column] > 0).all()
    measured = result.series["flows"].query("time > 2")
    assert measured["reorder_buffer"].mean() == pytest.approx(flow["reorder_buffer_mean"], rel=1e-3)


def test_rescheduled_chunks_cause_spurious_fast_retransmissions_and_fewer_window_cuts():
    # Chunks that moved to another path look like gaps there, although each of them arrived.
    queue = mp.Red(weight=0.002, min=20, max=80, max_p=0.02)
    rates = {"fast": "100 Mbit/s", "slow": "10 Mbit/s"}
    links = {name: mp.Link(rate=rate, delay="1 ms", queue=queue) for name, rate in rates.items()}
    app = mp.Saturated(message="1452 B")
    buffers = mp.Sctp(paths=[*links], send_buffer="250 kB", receive_buffer="125 kB", split_by="buffered", app=app)
    moved = buffers.but(buffer_split="none", nr_sack=False, rescheduling="threshold", smart_fast_rtx=False)
    result = mp.run(mp.Scenario(network=mp.disjoint(**links), flows={"cmt": moved}, warmup="1 s", measure="5 s"))
    (flow,) = result.flows.to_dict("records")
    assert 0 < flow["window_cuts"] < flow["spurious_fast_retransmissions"] <= flow["fast_retransmissions"]
    for count in ("window_cuts", "fast_retransmissions"):
        assert result.paths[count].sum() == flow[count]


@pytest.mark.parametrize(("never_renege", "reneges"), [(False, True), (True, False)])
def test_a_full_receive_buffer_reneges_unless_never_renege_is_set(never_renege: bool, reneges: bool):
    # One path fails repeatedly. Meanwhile data of the other path fill the buffer, and the lost chunks do not fit.
    breaks = [mp.Event(at=f"{at} s", change=change) for at, change in ((4, "down"), (6, "up"), (8, "down"), (10, "up"))]
    queue = mp.DropTail(packets=50)
    network = mp.disjoint(
        whole=mp.Link(rate="10 Mbit/s", delay="5 ms", queue=queue),
        broken=mp.Link(rate="10 Mbit/s", delay="5 ms", queue=queue, events=breaks),
    )
    app = mp.Saturated(message="1 kB", ordered=True)
    flow = mp.Sctp(
        paths=["whole", "broken"], receive_buffer="15 kB", buffer_split="none", never_renege=never_renege, app=app
    )
    flow = flow.but(window_overrun="wraps", send_buffer="100 kB")
    result = mp.run(mp.Scenario(network=network, flows={"cmt": flow}, warmup="1 s", measure="14 s"))
    assert (result.flows["given_up_chunks"] > 0).all() == reneges


@pytest.mark.parametrize("transport", [mp.Sctp, mp.Mptcp])
def test_messages_may_be_longer_than_the_pattern_of_their_content(transport: type[mp.Sctp | mp.Mptcp]):
    # The receiver compares each byte, and a wrong one fails the run.
    link = mp.Link(rate="100 Mbit/s", delay="1 ms")
    app = mp.Saturated(message="5 MB")
    flow = transport(paths=["north", "south"], app=app, send_buffer="20 MB", receive_buffer="10 MB")
    network = mp.disjoint(north=link, south=link)
    result = mp.run(mp.Scenario(network=network, flows={"long": flow}, warmup="0 s", measure="3 s"))
    assert (result.flows["delivered_messages"] >= 5).all()


def test_an_unordered_flow_has_no_streams():
    assert mp.run(one_flow()).streams.empty


def test_samples_have_latencies_and_blocked_times(scenario):
    series = mp.run(scenario(), series="100 ms").series
    cmt = series["flows"].query("flow == 'cmt'")
    latency = cmt["latency"].to_numpy()
    assert np.isnan(latency[0])
    assert latency[-1] > 0.1
    blocked = series["paths"].filter(like="blocked_")
    assert list(blocked) == [f"blocked_{why}" for why in WHY]
    assert (blocked >= 0.0).all(axis=None)


def test_tcp_and_sctp_have_blocked_times_of_all_limits():
    link = mp.Link(rate="5 Mbit/s", delay="1 ms")
    network = mp.disjoint(north=link, south=link)
    flows = {"tcp": mp.Tcp(path="north"), "sctp": mp.Sctp(paths=["south"])}
    result = mp.run(mp.Scenario(network=network, flows=flows, warmup="1 s", measure="1 s"), series="100 ms")
    columns = [f"blocked_{why}" for why in WHY]
    for frame in (result.paths.reset_index(), result.series["paths"]):
        rows = frame.set_index("flow")[columns]
        assert rows.notna().all(axis=None)
        # Both fill their windows
        assert (rows.groupby("flow")["blocked_window"].max() > 0).all()


@pytest.mark.parametrize("pacing", [False, True])
def test_only_a_paced_path_waits_until_packets_are_due(pacing):
    link = mp.Link(rate="10 Mbit/s", delay="20 ms")
    flow = mp.Sctp(paths=["only"], pacing=pacing)
    scenario = mp.Scenario(network=mp.disjoint(only=link), flows={"flow": flow}, warmup="1 s", measure="2 s")
    result = mp.run(scenario, series="100 ms")
    for waited in (result.paths["blocked_pacing"], result.series["paths"]["blocked_pacing"]):
        assert (waited.max() > 0.0) == pacing


WHY = ("path", "window", "send_buffer", "split_share", "receive_window", "pacing")


def test_a_run_without_a_series_has_none(scenario):
    assert mp.run(scenario()).series == {}
