"""Verdicts over what a text leaves open: which settings are run, and the rate of wrong decisions on made-up worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_paper import ONE_SACK, PAPER, precision

from lists import cases
from manypath.errors import UserError
from manypath.papers import NAMES, chosen, published
from manypath.papers.claim import Claim
from manypath.papers.evaluation import evaluate
from manypath.papers.evidence import Case, Runs
from manypath.papers.open_settings.experiment import OverSettings, measure
from manypath.papers.open_settings.setting import OpenSetting, Value, design_of, every_combination, factors_of
from manypath.papers.open_settings.verdict import OVER_VERDICTS
from manypath.papers.paper import Paper
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.papers.predicates import above, near
from manypath.papers.publishing import table
from manypath.papers.switch import Switch
from manypath.report.columns import OVER, PLAIN
from manypath.report.environment import environment
from manypath.report.views import view_of


def value(name: str) -> Value:
    """A value whose switch adds its name to a made-up scenario, which is a set of names."""
    return Value(name, f"with {name}", "made up", Switch(name, f"with {name}", lambda scenario: scenario | {name}))  # pyright: ignore


def setting(name: str, *others: str) -> OpenSetting:
    return OpenSetting(name, name, (Value("plain", "plain", "made up"), *map(value, others)))


THREE = (setting("a", "a1"), setting("b", "b1", "b2"), setting("c", "c1"))
"""Settings with 2, 3 and 2 values."""

FIVE = tuple(setting(name, f"{name}1") for name in "abcde")


def test_every_combination_has_one_value_of_each_setting():
    every = every_combination(THREE)
    assert every[0] == frozenset()
    assert len(every) == len(set(every)) == 2 * 3 * 2
    assert not any({"b=b1", "b=b2"} <= each for each in every)


@pytest.mark.parametrize("settings", [THREE, FIVE, FIVE[:1]])
def test_a_design_changes_each_value_and_begins_with_the_plain_setting(settings: tuple[OpenSetting, ...]):
    design = design_of(settings)
    assert design[0] == frozenset()
    assert set(design) <= set(every_combination(settings))
    assert frozenset().union(*design) == {factor.name for factor in factors_of(settings)}


def test_settings_of_two_values_are_balanced_in_pairs():
    design = design_of(FIVE)
    names = [factor.name for factor in factors_of(FIVE)]
    for first, second in combinations(names, 2):
        counts = [
            sum((first in row, second in row) == pair for row in design) for pair in ((0, 0), (0, 1), (1, 0), (1, 1))
        ]
        assert len(set(counts)) == 1


@pytest.mark.parametrize(
    "values", [(Value("x", "x", ""),), (value("x"), Value("y", "y", "")), (Value("x", "x", ""), Value("y", "y", ""))]
)
def test_a_setting_has_two_values_and_the_first_one_is_plain(values: tuple[Value, ...]):
    with pytest.raises(ValueError, match="give two or more different values, only the first without a switch"):
        OpenSetting("x", "x", values)


@dataclass
class World:
    """A made-up paper with one case, whose outcomes are numbers: a mean for each setting, and noise.

    Half of the variance of a replication is the same in all settings, as with common random numbers.
    """

    means: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    precision: Any = field(default_factory=lambda: precision("made up", 8, "1 s", most=32, grids={}))

    @property
    def paper(self) -> Any:
        return self

    @property
    def experiments(self) -> Any:
        return self

    name = "made up"

    def cases(self, *_: Any) -> list[Case]:
        return [Case.of("e")]

    def plain(self, cases: Iterable[Case], replications: int | None = None) -> dict[Case, Runs]:
        return {case: self._runs(frozenset(), replications or self.precision.replications) for case in cases}

    def switched(self, requests: Mapping[Switch, Iterable[Case]], _: str, replications: int) -> Any:
        changed = {switch: switch.change(frozenset()) for switch in requests}  # pyright: ignore
        return {
            switch.name: {case: self._runs(changed[switch], replications) for case in cases}  # pyright: ignore
            for switch, cases in requests.items()
            if changed[switch]
        }

    def _runs(self, names: frozenset[str], replications: int) -> Runs:
        mean = self.means.get("", 0.0) + sum(self.means.get(name, 0.0) for name in names)
        shared = np.random.default_rng([self.seed, 0]).standard_normal(64)
        own = np.random.default_rng([self.seed, 1, *sorted(map(ord, "".join(sorted(names))))]).standard_normal(64)
        noise = (shared + own) / np.sqrt(2.0)
        return Runs([{"x": mean + noise[run], "cpu_seconds": 1e-3} for run in range(replications)])


def positive(results: Any) -> Any:
    return above(results.of_outcomes(lambda outcome: outcome["x"], "e"), 0.0)


def small(results: Any) -> Any:
    return near(results.of_outcomes(lambda outcome: outcome["x"], "e"), 0.0, within=1.0)


def over_world(world: World, settings: tuple[OpenSetting, ...], predicate: Any = positive) -> OverSettings:
    return measure(world, settings, [Claim("C-0-1", "1", "x", "number", None, predicate)])  # pyright: ignore


@pytest.mark.parametrize(
    ("means", "verdict", "strongest", "weakest"),
    [
        ({"": 9.0}, "stands", None, None),
        ({"": -9.0}, "falls", None, None),
        ({"": 2.0, "a1": -6.0, "b1": 1.0}, "depends", {"b=b1"}, {"a=a1"}),
        # Only both together reverse the claim
        ({"": 5.0, "a1": -4.0, "b2": -4.0}, "depends", set(), {"a=a1", "b=b2"}),
        ({"": 0.0}, "undecided", None, None),
    ],
)
def test_a_claim_is_decided_over_all_settings(
    means: dict[str, float], verdict: str, strongest: set[str] | None, weakest: set[str] | None
):
    found = over_world(World(means), THREE)
    (item,) = found.claims
    assert item.verdict == verdict
    assert found.tested[0] == frozenset()
    if strongest is not None and weakest is not None:
        assert (strongest <= item.strongest, weakest <= item.weakest) == (True, True)
        assert item.deciding[0].moved.mean < 0


def test_the_values_that_decide_have_their_effects():
    (item,) = over_world(World({"": 2.0, "a1": -6.0, "b1": 1.5}), THREE).claims
    effects = {each.says: each.moved.mean for each in item.deciding}
    assert effects.keys() == {"with a1", "with b1"}
    assert abs(effects["with a1"] + 6.0) < 1.5
    assert abs(effects["with b1"] - 1.5) < 1.5


def test_a_number_may_be_missed_on_both_sides():
    (item,) = over_world(World({"": 0.0, "a1": -5.0, "b1": 5.0, "c1": 0.1}), THREE, small).claims
    assert item.verdict == "depends"
    assert item.weakest & {"a=a1", "b=b1"} in ({"a=a1"}, {"b=b1"})


def test_a_claim_that_reads_no_run_is_the_same_in_every_setting():
    (item,) = over_world(World(), THREE, lambda _: near(np.full(4, 1.0), 1.0, within=0.1)).claims
    assert (item.verdict, item.deciding) == ("stands", ())


WORLDS = pytest.mark.parametrize("worlds", cases([30, 1000], long=lambda worlds: worlds > 30))
"""Number of made-up worlds of each kind."""


@WORLDS
@pytest.mark.parametrize(
    ("means", "wrong"),
    [
        # On the limit in each setting every decision is wrong
        pytest.param({"": 0.0}, {"stands", "falls", "depends"}, id="on the limit everywhere"),
        # On the limit in the settings with a1, and far inside in the others
        pytest.param({"": 3.0, "a1": -3.0}, {"stands", "falls", "depends"}, id="on the limit in half of the settings"),
        pytest.param({"": -3.0, "a1": 3.0}, {"stands", "falls", "depends"}, id="outside but in half of the settings"),
        pytest.param({"": 0.2}, {"falls", "depends"}, id="just inside"),
        pytest.param(
            {"": 0.3, "a1": -0.15, "b1": -0.15}, {"stands", "falls", "depends"}, id="on the limit in one corner"
        ),
    ],
)
def test_wrong_decisions_over_the_set_are_rare(means: dict[str, float], wrong: set[str], worlds: int):
    found = [over_world(World(means, seed), FIVE).claims[0].verdict for seed in range(worlds)]
    rate = sum(verdict in wrong for verdict in found) / worlds
    # Three standard deviations of the number of wrong decisions
    assert rate <= 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / worlds), rate


def test_every_value_of_a_setting_has_its_reason():
    for paper in chosen(NAMES, full=True):
        assert all(each.why for setting in paper.open_settings for each in setting.values)


def small_paper_with_open_settings() -> Paper:
    often = Value("1", "a SACK for every packet", "made up", ONE_SACK)
    return replace(PAPER, open_settings=(OpenSetting("sacks", "SACKs", (Value("2", "2", "made up"), often)),))


def test_an_evaluation_with_open_settings_has_both_verdicts(tmp_path: Path):
    found = evaluate([small_paper_with_open_settings()], open_settings=True, store=tmp_path, progress=False)
    over = found.papers[0].over
    assert over is not None
    assert over.tested == (frozenset(), frozenset({"sacks=1"}))
    for claim in found.claims:
        told = claim["over_settings"]
        assert told["verdict"] in OVER_VERDICTS
        assert told["holds"] + told["contradicted"] + told["undecided"] == told["tested"] == told["plausible"] == 2
        assert {told["strongest"]["setting"], told["weakest"]["setting"]} <= {"the plain setting", ONE_SACK.says}


def test_open_settings_are_run_with_full_precision_only(tmp_path: Path):
    paper = [small_paper_with_open_settings()]
    quick = evaluate(paper, store=tmp_path, progress=False, causes=False)
    assert quick.papers[0].over is None
    assert {claim["over_settings"] for claim in quick.claims} == {None}
    full = evaluate(paper, full=True, store=tmp_path, progress=False, causes=False, mutations=False)
    assert full.papers[0].over is not None
    with pytest.raises(UserError, match="open_settings: not valid with changes"):
        evaluate(paper, open_settings=True, store=tmp_path, progress=False, changes={"flows.cmt.cc": "lia"})


@pytest.fixture(scope="module")
def with_settings(tmp_path_factory: pytest.TempPathFactory) -> PaperEvaluation:
    """The small paper with an open setting, at full precision, with few runs."""
    store = tmp_path_factory.mktemp("runs")
    paper = small_paper_with_open_settings()
    paper = replace(paper, full=replace(paper.full, replications=3, most=0, trials=3))
    return evaluate([paper], full=True, store=store, progress=False, profiles=False, mutations=False).papers[0]


def test_published_results_have_the_verdicts_over_all_settings(with_settings: PaperEvaluation, tmp_path: Path):
    file = tmp_path / "published.json"
    file.write_text(table(with_settings))
    kept, over = published.read(file).over, with_settings.over
    assert kept is not None
    assert over is not None
    assert (kept.plausible, kept.tested) == (2, 2)
    assert [(each.what, len(each.values)) for each in kept.settings] == [("SACKs", 2)]
    assert {number: claim.verdict for number, claim in kept.claims.items()} == {
        each.claim.id: each.verdict for each in over.claims
    }
    for each in over.claims:
        assert kept.claims[each.claim.id].plain.measured == each.plain.measured


def test_results_without_open_settings_have_no_verdicts_over_them(with_settings: PaperEvaluation, tmp_path: Path):
    file = tmp_path / "published.json"
    file.write_text(table(replace(with_settings, over=None)))
    assert published.read(file).over is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('"claims":{"C-999-1"', '"claims":{"C-999-9"'), '"C-999-9" is no claim of the table'),
        (lambda text: text.replace('"plausible":2,"tested":2', '"plausible":2,"tested":1'), "1 settings were tested"),
        (lambda text: text.replace('"plausible":2', '"plausible":0'), "over.plausible: 0 is too small"),
    ],
)
def test_damaged_verdicts_over_all_settings_are_reported(
    change: Callable[[str], str], message: str, with_settings: PaperEvaluation, tmp_path: Path
):
    file, text = tmp_path / "published.json", table(with_settings)
    assert change(text) != text
    file.write_text(change(text))
    with pytest.raises(UserError) as caught:
        published.read(file)
    assert message in str(caught.value)


def test_the_page_shows_the_plain_setting_and_all_plausible_ones(with_settings: PaperEvaluation):
    view = view_of(with_settings)
    assert [column.name for column in view.columns] == [PLAIN, OVER]
    card = view.claims[0].over
    assert card is not None
    assert card.rows[0].which.startswith("plain")
    page = environment().get_template("paper.html.j2").render(page=view, index="index.html", interactive=False)
    assert "What the text leaves open" in page
    assert card.counts in page
