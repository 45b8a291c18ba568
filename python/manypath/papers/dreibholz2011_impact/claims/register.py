"""The decorator that registers this paper's claims."""

from __future__ import annotations

from manypath.papers.claim import Claims

claim = Claims()
