"""Numbers that this paper prints."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.names import BOTH, CMT, NONE, ideal
from manypath.papers.printed import Printed

FULL_RATE = ideal(10.0)
"""`106 Mbit/s`: payload rate of the full links of figure 4."""

COLLAPSED = 20.0
"""Rate behind long queues in figure 4 left, without splitting and with sender splitting, Mbit/s."""

THIN = Printed("VI-B", FULL_RATE, "figure5-rate", CMT, {"rate": 10.0, "nr": True, "split": BOTH})
"""`106 Mbit/s` with both mechanisms at 10 Mbit/s on the second path."""

EQUAL = Printed("VI-B", ideal(), "figure5-rate", CMT, {"rate": 100.0, "nr": True, "split": BOTH})
"""`Around 192 Mbit/s` with both mechanisms on two links of 100 Mbit/s."""

PLAIN_UNSPLIT = Printed("VI-B", ideal(), "figure5-rate", CMT, {"rate": 100.0, "nr": True, "split": NONE})
"""`192 Mbit/s` of plain CMT without splitting."""

POOLED_UNSPLIT = Printed("VI-B", 175.0, "figure6-rate", CMT, {"rate": 100.0, "nr": True, "split": NONE})
"""`About 175 Mbit/s` of CMT/RP without splitting."""

POOLED_SPLIT = Printed("VI-B", ideal(), "figure6-rate", CMT, {"rate": 100.0, "nr": True, "split": BOTH})
"""`192 Mbit/s` of CMT/RP with splitting."""

HALFWAY = 0.5 * (PLAIN_UNSPLIT.value - POOLED_UNSPLIT.value)
"""Half of the difference between both controls that the text notes, Mbit/s: a rate nearer to one than to the other."""

NOTED_DIFFERENCE = 1.0 - POOLED_UNSPLIT.value / PLAIN_UNSPLIT.value
"""The difference between CMT/RP and plain CMT that the text calls an exception, as a part of the links' rate."""

PRINTED = (THIN, EQUAL, PLAIN_UNSPLIT, POOLED_UNSPLIT, POOLED_SPLIT)
"""The numbers at points of the plots against the rate of the second path."""
