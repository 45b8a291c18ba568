"""Latency and head-of-line blocking in series, compared with manual calculations."""

from __future__ import annotations

import pytest

import manypath as mp

ONE_WAY = 1507 * 8 * (1e-7 + 2e-9) + 5e-3
"""Seconds of a framed packet over a link of 10 Mbit/s and 5 ms and two access links of 1 Gbit/s."""
SACK_BACK = 59 * 8 * (1e-7 + 2e-9) + 5e-3
"""Seconds of a SACK with one gap block over the same links."""
REPAIRED = 0.03 + ONE_WAY + SACK_BACK + ONE_WAY
"""Latency of a lost message: the third message after it is sent 30 ms later and causes the retransmission."""

LOST = ("2.02 s", "2.028 s")
"""The link is down while one message of stream 0 is sent, in the sample that ends at 2.1 s."""


def talk(down: tuple[str, str] | tuple[()] = (), streams: int = 2) -> mp.Result:
    """Run a flow of ten messages per sample, round robin over the streams, on an idle link."""
    events = [mp.Event(at=at, change=change) for at, change in zip(down, ("down", "up"), strict=False)]
    network = mp.disjoint(wire=mp.Link(rate="10 Mbit/s", delay="5 ms", events=events))
    app = mp.Cbr(rate="1161600 bit/s", message="1452 B", ordered=True)
    flow = mp.Sctp(paths=["wire"], streams=streams, app=app, start=mp.Start(earliest="0 s", latest="0 s"))
    scenario = mp.Scenario(network=network, flows={"talk": flow}, warmup="1 s", measure="2 s")
    return mp.run(scenario, series="100 ms")


def test_a_lost_message_blocks_only_its_stream_until_its_retransmission():
    streams = talk(LOST).series["streams"]
    blocked = streams.pivot_table(index="time", columns="stream", values="blocked")
    # The next message of stream 0 is sent 20 ms after the lost one.
    assert blocked[0].max() == pytest.approx(REPAIRED - (0.02 + ONE_WAY), abs=1e-5)
    assert blocked[0].idxmax() == pytest.approx(2.1)
    assert (blocked[0] > 0).sum() == 1
    assert (blocked[1] == 0).all()
    (sample,) = streams[(streams["stream"] == 0) & (streams["waited"] > 0)].to_dict("records")
    # Two of the five messages arrived while the lost one was missing. They were sent 20 and 40 ms after it.
    assert (sample["flow"], sample["messages"], sample["waited"]) == ("talk", 5, 2)
    assert sample["waiting"] == pytest.approx(2 * REPAIRED - (0.06 + 2 * ONE_WAY), abs=1e-5)


def test_percentiles_of_a_sample_are_those_of_its_ten_messages():
    flows = talk(LOST).series["flows"].set_index("time").dropna()
    calm, rough = flows.loc[:2.05], flows.loc[2.05:2.15].iloc[0]
    assert calm[[*PERCENTILES]].to_numpy() == pytest.approx(ONE_WAY, rel=1e-6)
    # Seven messages took the time of the path. Three arrived with the lost one; they were sent 0, 20, 40 ms after it.
    assert rough["latency_p50"] == pytest.approx(ONE_WAY, rel=1e-6)
    assert rough["latency_p95"] == rough["latency_p99"] == pytest.approx(REPAIRED, abs=1e-5)
    assert rough["latency"] == pytest.approx((7 * ONE_WAY + 3 * REPAIRED - 0.06) / 10, abs=1e-5)


def test_samples_of_streams_add_up_to_those_of_the_run():
    result = talk(LOST, streams=3)
    columns = ["messages", "waited", "waiting", "blocked"]
    whole = result.streams.xs("talk")
    measured = result.series["streams"].query("time > 1.05").groupby("stream")[columns].sum()
    for column in columns:
        assert measured[column].to_numpy() == pytest.approx(whole[column].to_numpy())


def test_tcp_has_latencies_over_time_and_no_streams():
    network = mp.disjoint(wire=mp.Link(rate="10 Mbit/s", delay="5 ms"))
    scenario = mp.Scenario(network=network, flows={"tcp": mp.Tcp(path="wire")}, warmup="1 s", measure="1 s")
    series = mp.run(scenario, series="100 ms").series
    assert series["streams"].empty
    later = series["flows"].query("time > 1.05")
    assert (later["latency_p50"] > 0).all()
    assert (later["latency_p50"] <= later["latency_p95"]).all()
    assert (later["latency_p95"] <= later["latency_p99"]).all()


PERCENTILES = ("latency_p50", "latency_p95", "latency_p99")
