"""The factorial study: estimated effects equal those in made-up rates, and its figure and tables show them."""

from __future__ import annotations

import numpy as np
import pytest

from manypath.papers import registry
from manypath.papers.evidence import Evidence, Runs
from manypath.studies.which_mechanism.effects import COMBINATIONS, TERMS, Block, words

NOISE = np.array([-0.3, 0.1, 0.2, -0.1, 0.1])


def made_up(combination: frozenset[str], replications: int = 5) -> np.ndarray:
    """Return rates. Splitting adds 10 Mbit/s, and NR-SACK with splitting 4 more; other factors have no effect."""
    rate = 50.0 + 10.0 * ("splitting" in combination) + 4.0 * ({"splitting", "nr_sack"} <= combination)
    return rate + NOISE[:replications]


@pytest.fixture
def block() -> Block:
    return Block({each: made_up(each) for each in COMBINATIONS})


def test_estimated_effects_equal_the_constructed_ones(block: Block):
    means = {term: float(block.effect(term).mean()) for term in TERMS}
    assert means["splitting",] == pytest.approx(12.0)
    assert means["nr_sack",] == pytest.approx(2.0)
    assert means["splitting", "nr_sack"] == pytest.approx(2.0)
    others = set(TERMS) - {("splitting",), ("nr_sack",), ("splitting", "nr_sack")}
    assert len(others) == 12
    assert all(means[term] == 0.0 for term in others)


def test_only_factors_with_an_effect_are_significant(block: Block):
    assert block.shown() == {("splitting",), ("nr_sack",), ("splitting", "nr_sack")}


def test_independent_noise_is_not_a_significant_effect():
    noise = np.random.default_rng(1)
    block = Block({each: 50.0 + noise.normal(size=20) for each in COMBINATIONS})
    assert block.shown() == set()


def test_the_smallest_good_combination_omits_factors_without_effect(block: Block):
    assert block.enough() == {"splitting", "nr_sack"}
    assert words(block.enough()) == "buffer splitting, NR-SACK"
    assert words(frozenset()) == "none"


def test_figure_and_tables_show_every_block():
    study = registry()["which_mechanism"]
    cases = list(study.experiments.cases(study.quick))
    assert len(cases) == len(COMBINATIONS) * 3 * 2

    def runs(factors: dict[str, object]) -> Runs:
        rates = made_up(frozenset(name for name, on in factors.items() if on is True))
        return Runs([{"flows": {"cmt": {"goodput": rate * 1e6}}} for rate in rates])

    evidence = Evidence({case: runs({name: on for name, on in case.factors if name != "ordered"}) for case in cases})
    answers, effects = (table.rows(evidence) for table in study.tables)
    assert len(answers) == 6
    assert all(row[4] == "64.00 ± 0.25: buffer splitting, NR-SACK" for row in answers)
    assert len(effects) == 6 * len(TERMS)
    (figure,) = study.figures
    assert len(figure.draw(evidence).figure.axes) == 6
