"""Verdicts over what a text leaves open, on the page of a paper: on each card, and the table of the open settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from manypath.papers.open_settings.kept import KeptClaim, KeptOver, Shown, data_of
from manypath.papers.open_settings.verdict import OverVerdict
from manypath.papers.verdict import Verdict

if TYPE_CHECKING:
    from manypath.papers.paper_evaluation import PaperEvaluation
    from manypath.papers.published import Published


@dataclass(frozen=True)
class ShownView:
    """A claim in one setting: what the setting is, its values, the verdict, the measured values and the runs."""

    which: str
    setting: str
    verdict: Verdict
    measured: str
    runs: int


@dataclass(frozen=True)
class OverView:
    """A claim over all settings: the verdict, the number of settings by verdict, some settings, the deciding values."""

    verdict: OverVerdict
    counts: str
    rows: list[ShownView]
    deciding: list[str]


def over_of(part: PaperEvaluation, full: Published | None) -> KeptOver | None:
    """Return the verdicts over all settings of the local runs, else those of the full results; None without either."""
    if part.over is not None:
        return TypeAdapter(KeptOver).validate_python(data_of(part.over))
    return None if full is None else full.over


def on_card(over: KeptOver | None, number: str) -> OverView | None:
    """Return the verdict on a claim over all settings; None without one."""
    claim = None if over is None else over.claims.get(number)
    if over is None or claim is None:
        return None
    counts = [
        f"{verdict} in {number}"
        for verdict, number in (
            ("holds", claim.holds),
            ("contradicted", claim.contradicted),
            ("undecided", claim.undecided),
        )
        if number
    ]
    tested = f"{over.tested} of {over.plausible} combinations were tested"
    return OverView(
        verdict=claim.verdict,
        counts="; ".join([*counts, tested]),
        rows=[*_rows(claim)],
        deciding=[f"{each.value} ({each.moved.signed()} {each.unit}".rstrip() + ")" for each in claim.deciding],
    )


def _rows(claim: KeptClaim) -> list[ShownView]:
    """Return the plain setting, the strongest and the weakest one. One that is the same as another is left out."""
    named = {"plain": claim.plain, "strongest": claim.strongest, "weakest": claim.weakest}
    found: dict[str, tuple[list[str], Shown]] = {}
    for name, shown in named.items():
        found.setdefault(shown.setting, ([], shown))[0].append(name)
    return [
        ShownView(" and ".join(names), shown.setting, shown.verdict, shown.measured, shown.runs)
        for names, shown in found.values()
    ]
