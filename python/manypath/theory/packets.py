"""Sizes of the full packets of flows, bytes."""

from __future__ import annotations

from manypath.scenario import Mptcp, Sctp, Tcp


def full_packet(flow: Tcp | Mptcp | Sctp) -> int:
    """Return the size of a full packet, with its IPv4 header."""
    return int(flow.mtu) if isinstance(flow, Sctp) else int(flow.mss) + TCP_HEADERS


def payload(flow: Tcp | Mptcp | Sctp) -> int:
    """Return the user data of a full packet; over SCTP, one with a single DATA chunk."""
    if isinstance(flow, Sctp):
        # A chunk ends at a multiple of 4 bytes.
        return (int(flow.mtu) - common_headers(flow)) // 4 * 4 - DATA_HEADER
    return int(flow.mss) - int(flow.option_bytes)


def common_headers(flow: Sctp) -> int:
    """Return the size of the headers in front of the chunks of a packet. RFC 9260 section 3.1, RFC 6951 section 5.4."""
    return SCTP_HEADERS + (UDP_HEADER if flow.udp_encapsulation else 0)


TCP_HEADERS = 40
"""Headers of a segment without options: IPv4 and TCP, bytes. Options count in the MSS."""

SCTP_HEADERS = 32
"""The IPv4 header and SCTP's common header, bytes."""

UDP_HEADER = 8
"""The header of UDP encapsulation, bytes."""

DATA_HEADER = 16
"""The header of a DATA chunk, bytes. RFC 9260 section 3.3.1"""
