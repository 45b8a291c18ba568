"""Check that a plan of runs fits into memory."""

from __future__ import annotations

from pathlib import Path

from manypath.errors import UserError

try:
    import resource
except ImportError:  # a system without limits of processes
    resource = None


def check_room(runs: int, field: str = "replications") -> None:
    """Refuse a plan of runs that does not fit into memory even with the smallest outcomes.

    Raises
    ------
    UserError
        If it does not fit; `field` is the argument that causes its size.
    """
    room = available()
    if room is not None and runs * BYTES_PER_RUN > room:
        raise UserError(
            f"{field}: {runs:,} runs take {_size(runs * BYTES_PER_RUN)} of memory or more, and {_size(room)} are "
            f"available: plan at most {room // BYTES_PER_RUN:,}, or split them between shards"
        )


def available() -> int | None:
    """Return the memory that this process may still allocate, bytes; None if unknown."""
    limits: list[int] = []
    if resource is not None:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        limits += [limit] if limit != resource.RLIM_INFINITY else []
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        lines = []
    limits += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return min(limits, default=None)


def _size(count: int) -> str:
    return f"{count / 1e9:,.0f} GB" if count >= FEW_GB else f"{count / 1e9:.2g} GB"


BYTES_PER_RUN = 1000
"""Memory of a planned run with the smallest outcome; usual outcomes are larger."""

FEW_GB = 10 * 10**9
"""Sizes from this value on are shown without decimals."""
