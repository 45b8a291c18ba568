"""What the text of the paper leaves open, with the values that a careful reader finds plausible."""

from __future__ import annotations

from manypath.papers.dreibholz2012_testbed.switches import SWITCHES
from manypath.papers.open_settings import dreibholz
from manypath.papers.open_settings.setting import OpenSetting, Value

OPEN_SETTINGS = (
    *dreibholz.ACKNOWLEDGEMENTS,
    dreibholz.SACK_PATH,
    dreibholz.BURST,
    dreibholz.ACCOUNTING,
    dreibholz.FORM_OF_2012,
    dreibholz.HOSTS,
    OpenSetting(
        "red-weight",
        "the weight of a sample in RED's average",
        (
            Value("0.002", "0.002", "the recommendation of its authors, and the configuration of this paper's authors"),
            Value("0.0005", "a quarter of it", "the text gives thresholds only", SWITCHES["red-weight"]),
        ),
    ),
)
"""Rates, delays, thresholds, buffers, messages, the other formulas and the length of runs are stated, so they are not
open."""
