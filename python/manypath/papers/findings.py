"""Findings of a paper: sentences that can be quoted, each bound to the published verdicts that it rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from manypath.papers.verdict import Verdict


@dataclass(frozen=True)
class Finding:
    """A sentence about what stands or what does not, with its evidence.

    Attributes
    ----------
    says : str
        The sentence.
    verdicts : mapping
        The claims that it rests on, each with its published verdict in the plain setting.
    """

    says: str
    verdicts: Mapping[str, Verdict]


def each(verdict: Verdict, numbers: Collection[str]) -> dict[str, Verdict]:
    """Return the same verdict for several claims."""
    return dict.fromkeys(numbers, verdict)
