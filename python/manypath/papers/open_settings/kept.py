"""Published verdicts over what a text leaves open: a part of the table of published results of a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from manypath.papers.consistency import Count, Whole
from manypath.papers.mean import Mean
from manypath.papers.open_settings.experiment import ClaimOver, OverSettings
from manypath.papers.open_settings.verdict import OverVerdict
from manypath.papers.reconstruction.factors import AS_STATED, Combination
from manypath.papers.verdict import Verdict


@dataclass(frozen=True)
class KeptValue:
    """A plausible value: a phrase for tables, and why it is plausible."""

    says: str
    why: str


@dataclass(frozen=True)
class KeptSetting:
    """An open setting with its values, the plain one first."""

    what: str
    values: tuple[KeptValue, ...]


@dataclass(frozen=True)
class Shown:
    """A claim in one setting: the values that differ from the plain ones, and the outcome."""

    setting: str
    verdict: Verdict
    measured: str
    runs: Whole


@dataclass(frozen=True)
class KeptDeciding:
    """A value that decides a claim: by how much it moves the worst hypothesis, in `unit`."""

    setting: str
    value: str
    moved: Mean
    unit: str


@dataclass(frozen=True)
class KeptClaim:
    """A claim over all settings.

    Attributes
    ----------
    verdict : OverVerdict
        The verdict.
    holds, contradicted, undecided : int
        Number of tested settings with each verdict.
    plain, strongest, weakest : Shown
        The claim in the plain setting, and in those with the largest and the smallest margin.
    deciding : tuple of KeptDeciding
        The values with a significant effect, the largest first.
    """

    verdict: OverVerdict
    holds: Whole
    contradicted: Whole
    undecided: Whole
    plain: Shown
    strongest: Shown
    weakest: Shown
    deciding: tuple[KeptDeciding, ...]


@dataclass(frozen=True)
class KeptOver:
    """The claims of a paper over its open settings; `plausible` combinations of their values, some of them tested."""

    settings: tuple[KeptSetting, ...]
    plausible: Count
    tested: Count
    claims: Mapping[str, KeptClaim]


def data_of(found: OverSettings) -> dict[str, Any]:
    """Return the verdicts over all settings as plain data for a table."""
    return {
        "settings": [
            {"what": each.what, "values": [{"says": value.says, "why": value.why} for value in each.values]}
            for each in found.settings
        ],
        "plausible": found.plausible,
        "tested": len(found.tested),
        "claims": {item.claim.id: claim_data(found, item, Mean.rounded) for item in found.claims},
    }


def claim_data(found: OverSettings, item: ClaimOver, written: Callable[[Mean], Any]) -> dict[str, Any]:
    """Return a claim over all settings as plain data; `written` converts means."""
    return {
        "verdict": item.verdict,
        "holds": item.count("holds"),
        "contradicted": item.count("contradicted"),
        "undecided": item.count("undecided"),
        "plain": _shown(found, item, AS_STATED),
        "strongest": _shown(found, item, item.strongest),
        "weakest": _shown(found, item, item.weakest),
        "deciding": [
            {"setting": each.setting, "value": each.says, "moved": written(each.moved), "unit": each.unit}
            for each in item.deciding
        ],
    }


def _shown(found: OverSettings, item: ClaimOver, setting: Combination) -> dict[str, Any]:
    check = item.tests[setting].check
    return {"setting": found.says(setting), "verdict": check.verdict, "measured": check.measured, "runs": check.runs}
