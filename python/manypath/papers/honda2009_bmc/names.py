"""Names of this thesis's flows, weights and congestion controls, and the payload rate of its links."""

from __future__ import annotations

from fractions import Fraction

RENO = "newreno"
"""Control of a standard TCP flow, and of a bundle of uncoupled subflows."""

BMC = "bmc"
"""Bidimensional-probe multipath congestion control: weighted AIMD, and a proportion manager for the weights."""

CONTROLS = (BMC, "lia", "olia", "balia", "cmt-rpv2", RENO)
"""The controls of the comparison: BMC, later linked increases, CMT/RP, and uncoupled subflows."""

TITLES = {
    BMC: "BMC",
    "lia": "LIA",
    "olia": "OLIA",
    "balia": "BALIA",
    "cmt-rpv2": "CMT/RPv2",
    RENO: "uncoupled",
}
"""Their names in figures and tables."""

EQUAL = {
    "5.2": "4/5",
    "5.3": "3/4",
    "5.4": "2/3",
    "5.5": "3/5",
    "5.6": "1/2",
    "5.7": "1/3",
    "5.8": "1/4",
    "5.9": "1/5",
}
"""The common weight of all weighted flows, by figure. Section 5.1 leaves out 3/5, which figure 5.5 shows."""

PAIRS = {"5.12": "3/5+2/5", "5.13": "2/3+1/3", "5.14": "3/4+1/4", "5.15": "4/5+1/5"}
"""Two weights that add up to one, by figure."""

FOURS = {"5.16": "3/18+4/18+5/18+6/18", "5.17": "1/10+3/10+3/10+3/10"}
"""Four weights that add up to one, by figure. The text of section 5.2 has 5/18 twice, which would add up to 17/18."""

BUNDLES = {**PAIRS, **FOURS}
"""All sets of weights that add up to one, by figure."""

IDEAL = (0.25, 0.42)
"""Range of weights around 1/3 on the slower link of figure 4.1. One step of the smallest gain reaches it and does not
leave it."""

TCP, AIMD = "tcp", "aimd"
"""Beginnings of the names of standard and of weighted flows; a number follows."""

BUNDLE = "bundle"
"""The multipath connection."""

PACKET = 1000
"""Payload of a packet, bytes."""

PAYLOAD = 1000.0 / 1040.0
"""Payload per bit on the wire: no framing, headers of 40 bytes."""


def value(weight: str) -> float:
    """Return a weight as a number."""
    return float(Fraction(weight))


def weighted(weight: str) -> str:
    """Return the control of a flow with this weight: AIMD(D², 1/2)."""
    return f"weighted-aimd:weight={weight}"


def weights_of(bundle: str) -> tuple[str, ...]:
    """Return the weights of a set, one for each of its flows."""
    return tuple(bundle.split("+"))
