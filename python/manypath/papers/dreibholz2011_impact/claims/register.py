"""The decorator under which this paper's claims register."""

from __future__ import annotations

from ...claim import Claims

claim = Claims()
