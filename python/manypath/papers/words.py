"""Tolerances of words that papers use in place of numbers: the same word has the same tolerance in every paper."""

from __future__ import annotations

SIMILAR = 0.15
"""Of `similar` and `validates`, relative: [G12] section 4.3 uses it for 0.88 and 0.92 of a rate."""

SIGNIFICANTLY = 1.1
"""Of `significantly` and of what is required: the smallest ratio of two rates; ours."""

SLIGHT = 0.25
"""Of `slightly`, `a little` and `small`, relative: the largest difference that [H09] calls approximately equal."""
