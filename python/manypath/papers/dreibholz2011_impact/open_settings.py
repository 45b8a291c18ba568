"""What the text of the paper leaves open, with the values that a careful reader finds plausible."""

from __future__ import annotations

from manypath.papers.open_settings import dreibholz

OPEN_SETTINGS = (
    *dreibholz.ACKNOWLEDGEMENTS,
    dreibholz.SACK_PATH,
    dreibholz.BURST,
    dreibholz.ACCOUNTING,
    dreibholz.FORM_OF_2011,
    dreibholz.HOSTS,
)
"""Rates, delays, queues, buffers, messages, the other formulas and the length of runs are stated, so they are not open.
Accounting includes the least window, which section III-A prints as four segments, and VI-A as one.
"""
