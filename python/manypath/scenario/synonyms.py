"""Hints for unknown keys: the own key for a usual name of the same thing, else the most similar key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches

from manypath.errors import quoted, remedy


def hints_for(
    unknown: Sequence[str], known: Collection[str], transports: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Yield the unknown keys to report, with a hint for each.

    A key that selects the model of a table is reported alone, because the others may belong to the other model. A key
    of flows with other `transports` is named as such, unless it is very similar to a known one.
    """
    meant = {key: own for key in unknown if (own := meant_by(key, known)) is not None}
    selecting = next((key for key, own in meant.items() if own in SELECTING), None)
    for key in unknown if selecting is None else (selecting,):
        others = transports.get(key, ())
        if key in meant:
            yield key, f'did you mean "{meant[key]}"?'
        elif others and not get_close_matches(key, known, 1, VERY_SIMILAR):
            yield key, f"only valid for transport = {' or '.join(quoted(each) for each in sorted(others))}"
        else:
            yield key, remedy(key, known)


def meant_by(key: str, known: Collection[str]) -> str | None:
    """Return the known key for which another key is a usual name; None if there is none."""
    plain = key.strip().casefold().replace("-", "_").replace(" ", "_")
    return next((own for own, names in SYNONYMS.items() if own in known and plain in names), None)


VERY_SIMILAR = 0.8
"""Similarity, as of `difflib`, from which a key is taken for a misspelled one."""

SELECTING = ("transport", "kind")
"""Keys that select the model of a table."""

SYNONYMS: dict[str, frozenset[str]] = {
    own: frozenset(names.split())
    for own, names in {
        "transport": "protocol proto kind type",
        "kind": "type model discipline algorithm aqm",
        "cc": "congestion congestion_control congestion_controller tcp_cc algorithm",
        "rate": "bandwidth bw capacity speed bitrate datarate data_rate throughput",
        "delay": "latency propagation propagation_delay prop_delay owd",
        "rtt": "delay latency ping round_trip round_trip_time",
        "loss": "plr per loss_rate lossrate loss_ratio packet_loss error errors",
        "p": "probability prob share loss rate plr",
        "to_bad": "p p13 good_to_bad p_bad",
        "to_good": "r p31 q bad_to_good p_good",
        "queue": "buffer aqm discipline qdisc queue_size queue_length queue_limit limit",
        "packets": "limit size length capacity",
        "overhead": "framing header headers encapsulation",
        "events": "changes schedule",
        "trace": "file recording",
        "at": "time when t",
        "change": "state action event",
        "flows": "connections associations traffic",
        "measure": "duration time runtime sim_time simulation_time length",
        "warmup": "warm_up transient",
        "paths": "path subflows routes",
        "forward": "links route there up",
        "reverse": "backward return back down",
        "app": "application traffic workload source",
        "message": "message_size packet_size payload chunk_size size",
        "size": "bytes volume amount length",
        "start": "begin start_time starttime at",
        "mtu": "packet_size max_packet",
        "mss": "segment segment_size packet_size mtu",
        "send_buffer": "sndbuf so_sndbuf sendbuf buffer buffers snd_buf",
        "receive_buffer": "rcvbuf so_rcvbuf recv_buffer recvbuf receive_window rwnd",
        "socket_buffer": "send_buffer receive_buffer buffers sndbuf rcvbuf",
        "initial_window": "iw initial_cwnd init_cwnd initcwnd icw",
        "initial_threshold": "ssthresh initial_ssthresh",
        "ack_delay": "delayed_ack delack sack_delay",
        "sack_delay": "delayed_ack delack ack_delay",
        "ack_every": "sack_every ack_frequency",
        "sack_every": "ack_every sack_frequency",
        "rto": "rto_min min_rto timeout retransmission_timeout",
        "replications": "repetitions repeats repeat runs n",
        "factors": "parameters variables grid sweep vary",
        "metrics": "measurements outputs results columns",
        "link": "bottleneck wire",
        "wires": "links edges",
        "pairs": "hosts flows",
        "shared": "bottlenecks links",
        "tcp": "connections rivals flows",
    }.items()
}
"""Usual other names by own key; several own keys may have the same one, in different tables."""
