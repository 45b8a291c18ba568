"""The verdict on a claim over all plausible settings.

*Stands*: shown in every tested setting. *Falls*: contradicted in every one. Both are intersection-union tests: each
setting is tested at 5 %, and so is the whole. *Depends*: shown in one setting and contradicted in another one. Any of
the plausible settings may be the one that is wrong by chance, so both tests have the level 5 % divided by the number of
plausible settings (Bonferroni's inequality). The settings that are tested may then be chosen by any results.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from manypath.papers.check import Check
from manypath.papers.reconstruction.factors import Combination
from manypath.papers.verdict import Verdict

OverVerdict = Literal["stands", "depends", "falls", "undecided", "open"]
"""`open`: a required input or case is missing, so no run decides."""

OVER_VERDICTS: tuple[OverVerdict, ...] = ("stands", "depends", "falls", "undecided", "open")
"""The verdicts in the order of tables."""


@dataclass(frozen=True)
class Tested:
    """A claim in one setting.

    Attributes
    ----------
    setting : Combination
        The values that differ from the plain ones.
    check : Check
        The outcome at the level of one setting.
    sure : Verdict
        The verdict at the level that is divided by the number of plausible settings.
    """

    setting: Combination
    check: Check
    sure: Verdict

    def after(self, new: Tested) -> Tested:
        """Return the claim after further runs. What was decided stays."""
        check = self.check if self.check.verdict in DECIDED else new.check
        return Tested(self.setting, check, self.sure if self.sure in DECIDED else new.sure)


DECIDED: tuple[Verdict, ...] = ("holds", "contradicted")
"""Verdicts that further runs do not change."""


def over(tests: Mapping[Combination, Tested]) -> OverVerdict:
    """Return the verdict on a claim over the settings in which it was tested."""
    alone: Collection[Verdict] = {tested.check.verdict for tested in tests.values()}
    sure: Collection[Verdict] = {tested.sure for tested in tests.values()}
    if "open" in alone:
        return "open"
    if {"holds", "contradicted"} <= set(sure):
        return "depends"
    if alone == {"holds"}:
        return "stands"
    return "falls" if alone == {"contradicted"} else "undecided"
