"""Whether a plan fits into memory, found out before it is made."""

from __future__ import annotations

from pathlib import Path

from manypath.errors import UserError

try:
    import resource
except ImportError:  # a system without limits of processes
    resource = None


def check_room(runs: int, field: str = "replications") -> None:
    """Refuse a plan of so many runs if it cannot fit into memory, however little each gives.

    Raises
    ------
    UserError
        If it does not fit; `field` is what makes it so large.
    """
    room = available()
    if room is not None and runs * BYTES_PER_RUN > room:
        raise UserError(
            f"{field}: {runs:,} runs take {_told(runs * BYTES_PER_RUN)} of memory or more, and {_told(room)} are "
            f"available: plan at most {room // BYTES_PER_RUN:,}, or split them between shards"
        )


def available() -> int | None:
    """Bytes that this process may still take, as far as the system says."""
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


def _told(count: int) -> str:
    return f"{count / 1e9:,.0f} GB" if count >= FEW_GB else f"{count / 1e9:.2g} GB"


BYTES_PER_RUN = 1000
"""A planned run and the shortest of outcomes, in memory; usual outcomes are longer."""

FEW_GB = 10 * 10**9
"""From here on fractions of a gigabyte do not matter."""
