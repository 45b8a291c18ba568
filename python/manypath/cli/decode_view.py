"""Summary of `manypath decode`: associations, and their paths in each direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer

from manypath.cli.output import print_tables
from manypath.display import Column, Table, number_columns, text_columns


def print_summary(summary: Mapping[str, Any], *, to_stderr: bool) -> None:
    """Print the totals, and each association with its paths."""
    typer.echo(f"\n{_totals(summary)}", err=to_stderr)
    associations = summary["associations"]
    for number, association in enumerate(associations[:MOST], 1):
        typer.echo(f"\nassociation {number}: {_about(association)}", err=to_stderr)
        paths = sorted(association["paths"], key=lambda path: path["side"])
        print_tables([_packets(paths), _data(paths)], to_stderr=to_stderr)
    if len(associations) > MOST:
        more = len(associations) - MOST
        typer.echo(f"\n{more} more associations: --summary --json prints all", err=to_stderr)


def remarks(summary: Mapping[str, Any], port: int, *, complete: bool) -> Iterator[str]:
    """Iterate over remarks about the file; `complete` is False if an error ended the file early."""
    for link_type, count in summary["skipped_frames"].items():
        number = f"{count} of {summary['frames']}"
        yield f"frames of link type {link_type} are skipped ({number}): {LINK_TYPES} are read"
    if summary["packets"] + summary["fragments"] == 0:
        if not complete:
            return
        yield f"no SCTP in {summary['frames']} frames: SCTP is searched over IP and over UDP with port {port} (--port)"
    elif summary["damaged"] * 2 > summary["packets"]:
        yield "most checksums are wrong, as with checksum offload: --any-checksum reads these packets"


def _totals(summary: Mapping[str, Any]) -> str:
    """Return a line with the totals of the file."""
    words = [
        f"{summary['packets']} SCTP packets in {summary['frames']} frames in {summary['duration'] / 1e9:.3f} s",
        *(f"{summary[name]} {text}" for name, text in TOTALS.items() if summary[name]),
    ]
    unknown = summary["unknown_chunks"]
    if unknown:
        words.append("unknown chunks: " + ", ".join(f"{count} of type {kind}" for kind, count in unknown.items()))
    return "; ".join(words)


def _about(association: Mapping[str, Any]) -> str:
    """Return a line with both sides, the beginning and the end of an association."""
    sides = " - ".join(_side(side) for side in association["sides"])
    if not association["with_init"]:
        began = "began before the capture"
    elif association["established"]:
        began = f"began with INIT at {association['began'] / 1e9:.6f} s"
    else:
        began = f"INIT at {association['began'] / 1e9:.6f} s, no handshake"
    return f"{sides}; {began}; {_end(association['end'])}"


def _side(side: Mapping[str, Any]) -> str:
    tag = "unknown" if side["tag"] is None else f"0x{side['tag']:08x}"
    return f"{' '.join(side['addresses'])} port {side['port']} tag {tag}"


def _end(end: Mapping[str, Any] | None) -> str:
    if end is None:
        return "open at the end of the capture"
    causes = "".join(f" [{cause['name']}{_detail(cause)}]" for cause in end["causes"])
    return f"ended by {end['chunk']} of the {('first', 'second')[end['by']]} side{causes}"


def _detail(cause: Mapping[str, Any]) -> str:
    return f" {cause['detail']}" if "detail" in cause else ""


def _packets(paths: Sequence[Mapping[str, Any]]) -> Table:
    names = ("packets", "bytes", "damaged", "sacks", "gap_blocks", "duplicates", "heartbeats", "heartbeat_acks")
    rows = [[_path(path), *(str(path[name]) for name in names)] for path in paths]
    return Table("packets", PACKET_COLUMNS, rows)


def _data(paths: Sequence[Mapping[str, Any]]) -> Table:
    names = ("data_chunks", "data_bytes", "retransmissions", "losses", "late")
    rows = [
        [
            _path(path),
            *(str(path[name]) for name in names),
            _times(path["rtt_data"]),
            _times(path["rtt_heartbeat"]),
        ]
        for path in paths
    ]
    return Table("data and round trips", DATA_COLUMNS, rows)


def _path(path: Mapping[str, Any]) -> str:
    return f"{path['source']} > {path['destination']}{' (UDP)' if path['udp'] else ''}"


def _times(times: Mapping[str, Any]) -> str:
    """Return the minimum, mean and maximum round-trip time, milliseconds."""
    if not times["count"]:
        return "-"
    return " / ".join(f"{times[name] / 1e6:.3f}" for name in ("min", "mean", "max"))


MOST = 100
"""Largest number of associations that are printed."""

LINK_TYPES = "raw IP (101, 228, 229), Ethernet (1) and Linux cooked (113, 276)"
"""Supported link types."""

TOTALS = {
    "damaged": "with a wrong checksum",
    "cut": "truncated by the capture",
    "broken": "otherwise malformed",
    "fragments": "IP fragments, not read",
    "others": "without an association",
}
"""Counters that are printed unless they are 0."""

PACKET_COLUMNS = (
    Column("path"),
    *number_columns("packets", "bytes"),
    Column("damaged", dropped=1, is_number=True),
    *number_columns("SACKs", "gap blocks", "duplicates", "HEARTBEATs", "their ACKs"),
)

DATA_COLUMNS = (
    Column("path"),
    *number_columns("DATA", "user bytes", "seen again", "lost", "late"),
    *text_columns("DATA RTT ms (min / mean / max)", "HEARTBEAT RTT ms"),
)
