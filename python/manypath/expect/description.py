"""A short description of a user's paths: rates, round-trip times, losses, and other flows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from manypath.arguments import known, texts
from manypath.errors import UserError, quoted, remedy
from manypath.quantity import SIZE
from manypath.scenario.files import mistakes_of, read_table
from manypath.scenario.losses import Probability
from manypath.scenario.model import Model, Rate, Size, Span
from manypath.scenario.names import CongestionControl, Name, Scheduler, weights_for


class Way(Model):
    """A path of the connection."""

    rate: Rate = Field(gt=0)
    """Rate of its slowest unshared link."""
    rtt: Span = Field(gt=0)
    """Round-trip time without queueing, as measured by ping on an idle path."""
    loss: Probability = Field(default=0.0, ge=0, lt=1)
    """Probability of a loss that is not caused by congestion: 0.01, or ``"1 %"``."""
    tcp: int = Field(default=0, ge=0, le=1000)
    """Number of other TCP connections that always use this path."""


class Bottleneck(Model):
    """A link that several paths share."""

    rate: Rate = Field(gt=0)
    """Rate of the link."""
    paths: tuple[str, ...] = Field(min_length=2)
    """The paths that cross it."""


class Description(Model):
    """Paths, shared bottlenecks, and other TCP connections."""

    paths: dict[Name, Way] = Field(min_length=1)
    """The paths by name."""
    shared: dict[Name, Bottleneck] = Field(default_factory=dict)
    """Shared links by name."""
    tcp_cc: CongestionControl = "newreno"
    """Congestion control of the other TCP connections."""
    queue: Literal["drop-tail", "red"] = "drop-tail"
    """Queue discipline of all links: drop-tail, or random early detection, which drops from all flows equally."""
    transport: Literal["mptcp", "sctp"] = "mptcp"
    """Protocol of the connection: Multipath TCP, or SCTP over all paths at once (CMT)."""
    scheduler: Scheduler | None = None
    """Scheduler of Multipath TCP; lowest-rtt by default."""
    socket_buffer: Size | None = None
    """Size of the send buffer and of the receive buffer of each host; by default they limit no flow."""
    buffer: Span | None = Field(default=None, gt=0)
    """Time to drain a full queue; the longest round-trip time by default. With RED: the average queue at which one
    packet in ten is dropped."""

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a description from a TOML or JSON file; ``-`` is standard input.

        Raises
        ------
        UserError
            If the file cannot be read or is invalid.
        """
        fields = read_table(path, "expect")
        with mistakes_of(path):
            return cls(**fields)

    @classmethod
    def from_words(
        cls, paths: Sequence[str], shared: Sequence[str] = (), tcp: Sequence[str] = (), **settings: Any
    ) -> Self:
        """Read a description from short texts.

        Parameters
        ----------
        paths
            ``"10 Mbit/s, 40 ms, 1 %"``: rate, round-trip time and optionally loss; or with a name ``"wlan: 10 Mbit/s,
            40 ms"``. The default names are path1, path2 and so on.
        shared
            ``"15 Mbit/s: wlan, lte"``: a link, and the paths that cross it.
        tcp
            ``"wlan=2"``: number of other TCP connections on a path.
        settings
            The other fields.

        Raises
        ------
        UserError
            If a text cannot be read.
        """
        ways: dict[str, dict[str, Any]] = {}
        for number, text in enumerate(texts("paths", paths, f'descriptions of paths, such as "{EXAMPLE}"'), 1):
            name, fields = _way(text, number)
            if name in ways:
                raise UserError(f"path: {quoted(name)} occurs twice: give each path a different name")
            ways[name] = fields
        for text in texts("tcp", tcp, 'numbers of connections, such as "wlan=2"'):
            name, _, count = text.partition("=")
            if name not in ways:
                raise UserError(f"tcp: {quoted(name)} is no path: {remedy(name, ways)}")
            if not count.strip().isdecimal():
                raise UserError(f"tcp: {quoted(text)} has no number: write {quoted(f'{name}=1')}")
            if "tcp" in ways[name]:
                raise UserError(f"tcp: {quoted(name)} occurs twice: give each path one number")
            # Python reads no number of thousands of digits.
            ways[name]["tcp"] = int(count) if len(count) < MOST_DIGITS else sys.maxsize
        described = texts("shared", shared, 'links, such as "15 Mbit/s: wlan, lte"')
        links = {f"shared{number}": _bottleneck(text) for number, text in enumerate(described, 1)}
        return cls(paths=ways, shared=links, **settings)  # pyright: ignore[reportArgumentType] - checked there

    @field_validator("tcp_cc")
    @classmethod
    def _one_weight(cls, name: str) -> str:
        # Each of these connections has one path.
        return weights_for(name, 1)

    @field_validator("shared")
    @classmethod
    def _no_name_twice(cls, shared: dict[str, Bottleneck], info: Any) -> dict[str, Bottleneck]:
        for name in shared:
            if name in info.data.get("paths", {}):
                raise ValueError(f"{quoted(name)} is also the name of a path: give the shared link another name")
        return shared

    @model_validator(mode="after")
    def _paths_exist(self) -> Self:
        for name, link in self.shared.items():
            for number, path in enumerate(link.paths):
                if path in link.paths[:number]:
                    raise ValueError(f"shared.{name}.paths: {quoted(path)} is named twice: name each path once")
                if path not in self.paths:
                    raise ValueError(f"shared.{name}.paths: {quoted(path)} is no path: {remedy(path, self.paths)}")
        return self

    @model_validator(mode="after")
    def _a_packet_fits_the_buffer(self) -> Self:
        has_tcp = self.transport == "mptcp" or any(way.tcp for way in self.paths.values())
        least = MSS if has_tcp else MESSAGE
        if self.socket_buffer is None or least <= self.socket_buffer <= LARGEST_BUFFER:
            return self
        written = f"socket_buffer: {SIZE.show(self.socket_buffer)}"
        if self.socket_buffer < least:
            raise ValueError(f"{written} is too small: give {SIZE.show(least)} or more")
        raise ValueError(f"{written} is too large: give {SIZE.show(LARGEST_BUFFER)} or less")

    @model_validator(mode="after")
    def _queues_can_be_counted(self) -> Self:
        for link in (*self.paths, *self.shared):
            if self.drain(link) * self.rate(link) > MOST_QUEUED:
                field = "rtt" if self.buffer is None else "buffer"
                where = f"shared.{link}" if link in self.shared else f"paths.{link}"
                raise ValueError(f"{where}: the queue has more than {MOST_QUEUED / 8e12:g} TB: give a shorter {field}")
        return self

    @model_validator(mode="after")
    def _scheduler_applies(self) -> Self:
        if self.scheduler is not None and self.transport != "mptcp":
            raise ValueError("scheduler: only Multipath TCP has one: leave it out")
        return self

    def host_buffer(self) -> int:
        """Return the size of the send and receive buffers of hosts, bytes.

        By default it is four times what all paths send during the longest round trip through full queues: the data that
        the receiver may hold while data of the slowest path is sent twice.
        """
        if self.socket_buffer is not None:
            return self.socket_buffer
        longest = max(
            way.rtt / 1e9 + sum(self.drain(link) for link in self.links(name)) for name, way in self.paths.items()
        )
        rates = sum(way.rate for way in self.paths.values())
        return min(max(round(4 * longest * rates / 8), SMALLEST_BUFFER), LARGEST_BUFFER)

    def links(self, path: str) -> list[str]:
        """Return the names of the links that a path crosses: its own, then those that it shares."""
        known("path", path, self.paths, "path")
        return [path, *(name for name, link in self.shared.items() if path in link.paths)]

    def drain(self, link: str) -> float:
        """Return the time to drain a full queue of a link, seconds."""
        known("link", link, {**self.paths, **self.shared}, "link")
        crossing = [way.rtt for path, way in self.paths.items() if link in self.links(path)]
        return (self.buffer or max(crossing)) / 1e9

    def rate(self, link: str) -> int:
        """Return the rate of a link, in bit/s."""
        known("link", link, {**self.paths, **self.shared}, "link")
        return self.shared[link].rate if link in self.shared else self.paths[link].rate


def _way(text: str, number: int) -> tuple[str, dict[str, Any]]:
    """Read a path: return its name (by default from its number) and its fields."""
    head, colon, rest = text.partition(":")
    name, said = (head.strip(), rest) if colon else (f"path{number}", text)
    if not name:
        raise UserError(
            f"path: {quoted(text)} has no name before its colon: write {quoted(f'wlan: {rest.strip()}')}, or no colon"
        )
    parts = [part.strip() for part in said.split(",")]
    if len(parts) not in (2, 3) or not all(parts):
        raise UserError(
            f'path: {quoted(text)} is no path: write rate, round-trip time and optionally loss, such as "{EXAMPLE}"'
        )
    fields: dict[str, Any] = dict(zip(("rate", "rtt"), parts, strict=False))
    if len(parts) > len(fields):
        fields["loss"] = _share(parts[-1])
    return name, fields


def _share(text: str) -> str | float:
    """Return a number for a text without a unit, such as 0.01."""
    try:
        return float(text)
    except ValueError:
        return text


def _bottleneck(text: str) -> dict[str, Any]:
    rate, colon, paths = text.partition(":")
    names = [name.strip() for name in paths.split(",")]
    if not colon or not all(names):
        raise UserError(
            f'shared: {quoted(text)} is no shared link: write its rate and paths, such as "15 Mbit/s: wlan, lte"'
        )
    return {"rate": rate.strip(), "paths": names}


MSS, MESSAGE = 1460, 1452
"""Payload of a TCP segment and of an SCTP packet, bytes."""

SMALLEST_BUFFER, LARGEST_BUFFER = 1_000_000, 2**30
"""Limits of the default size of host buffers, bytes; a given size has the upper limit, too."""

EXAMPLE = "10 Mbit/s, 40 ms, 1 %"
"""Example of a path, for messages."""

MOST_QUEUED = 8 * 10**12
"""Largest queue of a link in bits: the engine can count its packets, also with RED."""

MOST_DIGITS = 18
"""Number of digits from which a number of connections is not read, only refused."""
