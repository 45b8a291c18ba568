"""The decorator under which this paper's claims register."""

from __future__ import annotations

from manypath.papers.claim import Claims

claim = Claims()
