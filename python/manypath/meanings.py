"""What each measurement means, in a few words with its unit: docs/reference/measurements.md has the definitions."""

from __future__ import annotations

from collections.abc import Mapping

from manypath.measurements import COUNTERS, MEASUREMENTS


def meaning(name: str) -> str:
    """Return the meaning of a measurement, and the frames that have it: ``payload delivered, Mbit/s; of flows``."""
    kinds = [kind for kind, names in MEASUREMENTS.items() if name in names]
    return f"{MEANINGS[name]}; of {', '.join(kinds)}"


def _lowered(text: str) -> str:
    """Return a text without its full stop and with a small first letter; abbreviations are kept."""
    text = text.rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


MEANINGS: Mapping[str, str] = {
    "goodput": "payload that arrived (path) or was delivered to the application (flow), Mbit/s",
    "throughput": "packets with data that were sent, headers and retransmissions included, Mbit/s",
    "delivered_bytes": "payload delivered to the application, bytes",
    "delivered_messages": "messages delivered to the application",
    "data_packets": "packets with data that were sent",
    "loss_rate": "packets that links dropped, lost or damaged, divided by packets with data",
    "window_cuts": "window reductions by fast retransmission",
    "latency_mean": "mean time from the due time of a message to its delivery, s",
    "latency_p50": "median of this time, s",
    "latency_p95": "95th percentile of this time, s",
    "latency_p99": "99th percentile of this time, s",
    "latency_max": "longest of these times, s",
    "reorder_buffer_mean": "received payload that the application cannot read yet, mean over time, bytes",
    "reorder_buffer_max": "largest amount of this payload, bytes",
    "head_of_line_messages": "ordered messages that were offered to the application",
    "head_of_line_waited": "messages of these that waited for an earlier one",
    "head_of_line_waiting": "sum of their waiting times, s",
    "head_of_line_blocked": "time during which at least one message of a stream waited, s",
    "closed": "reason for which the association or connection ended",
    "closed_at": "time of its end since the start of the run, s",
    "messages": "ordered messages of a stream that were offered to the application",
    "waited": "messages of these that waited for an earlier one",
    "waiting": "sum of their waiting times, s",
    "blocked": "time during which at least one message of the stream waited, s",
    "cwnd": "congestion window, mean over time, bytes",
    "ssthresh": "slow-start threshold, mean over the time for which the path had one, bytes",
    "srtt": "smoothed round-trip time, mean over the time for which it was known, s",
    "outstanding": "payload that was sent and not acknowledged, mean over time, bytes",
    "path_state": "state of the path at the source at the end of the run: up, connecting, potentially_failed or down",
    "lost_packets": "packets that links dropped, lost or damaged",
    "arrived": "packets offered to the link",
    "delivered": "packets that arrived at the far end of the link",
    "damaged": "packets of these that the link damaged",
    "dropped": "packets that the queue dropped, or that arrived while the link was down",
    "lost": "packets lost in transmission",
    "bytes": "bytes delivered, framing excluded",
    "utilisation": "time for which the transmitter of the link was busy, as a share of the measured time",
    "mean_queue": "packets in the queue, mean over time",
    "digest": "hash of what happened to each packet at each link",
    "packet_hops": "transmissions of packets over links",
    "simulated_seconds": "simulated time of the run, s",
    "measured_seconds": "measured time of the run, without the warm-up, s",
    "cpu_seconds": "CPU time of the run, s",
    **{name: _lowered(text) for kind in ("paths", "flows") for name, text in COUNTERS[kind].items()},
    **{f"blocked_{limit}": f"time without new data: {_lowered(text)}, s" for limit, text in COUNTERS["limits"].items()},
}
"""Meanings by measurement; those of counters are from the engine."""
