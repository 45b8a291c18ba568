"""The kinds of input files, recognised by their top-level keys: a file of another kind is refused with its command."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileKind:
    """A kind of file."""

    name: str
    """Its name, with the article."""
    command: str
    """The command that reads it."""
    keys: tuple[str, ...]
    """Its top-level keys: the fields of its model, which this layer cannot import."""
    top: str
    """The most important keys, for messages."""


def other_kind(fields: Mapping[str, Any], kinds: Collection[str]) -> FileKind | None:
    """Return the kind of a file that is none of `kinds`; None if its keys do not show that.

    Another kind must know all keys that the expected kinds know, and more. So a misspelled key is not taken for a key
    of another kind.
    """
    own = {key for kind in kinds for key in KINDS[kind].keys if key in fields}
    others = [kind for name, kind in KINDS.items() if name not in kinds and own < fields.keys() & set(kind.keys)]
    return max(others, key=lambda kind: len(fields.keys() & set(kind.keys)), default=None)


KINDS = {
    "scenario": FileKind(
        "a scenario", "run", ("network", "flows", "warmup", "measure"), "network, flows, warmup and measure"
    ),
    "sweep": FileKind(
        "a sweep",
        "sweep",
        ("scenario", "runner", "factors", "replications", "precision", "seed", "metrics", "by"),
        "scenario, factors and replications",
    ),
    "expect": FileKind(
        "a description of paths",
        "expect",
        ("paths", "shared", "tcp_cc", "transport", "scheduler", "socket_buffer", "queue", "buffer"),
        "paths, and shared if there is any,",
    ),
    "emulation": FileKind(
        "an emulation", "emulate", ("network", "pairs", "name", "mtu", "seed", "bounds"), "network and pairs"
    ),
}
"""Kinds of files by name, as in ``manypath schema``."""
