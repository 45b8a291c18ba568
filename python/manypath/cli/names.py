"""Names that a shell completes: ``manypath --install-completion`` teaches it to."""

from __future__ import annotations

from manypath import _native
from manypath.papers import NAMES, STUDIES


def paper_names(incomplete: str) -> list[str]:
    """Papers and studies whose names begin so."""
    return [name for name in (*NAMES, *STUDIES) if name.startswith(incomplete)]


def congestion_controls(incomplete: str) -> list[str]:
    """Congestion controls whose names begin so."""
    return [name for name, _ in _native.algorithms() if name.startswith(incomplete)]
