"""Numbers that the thesis prints."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.names import PAIRS

LOSS_EVENTS = {1.0: (0.126, 0.133), 2.0: (0.126, 0.135), 4.0: (0.143, 0.170)}
"""Least and largest loss-event rate over the weights that section 5.1 prints, by flows of each kind, per cent."""

MOST_FLOWS = 64.0
"""Flows of each kind at which section 5.2 prints the excess of bundles over one TCP."""

BUNDLE_OF_MOST = 1.2
"""Rate of bundles over one TCP with that number of flows: `about 20 %` more."""

ODD_POINT = (PAIRS["5.13"], 4.0)
"""Weights and number of flows whose printed ratio is at the limit of `ABOUT`, so that no run could show it."""

ODD_RATIO = 1.25
"""Rate of that bundle over one TCP: `about 25 %` more."""
