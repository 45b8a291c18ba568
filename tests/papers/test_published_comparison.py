"""Local runs are compared with published ones: bit by bit if they are the same runs, else by Hsu's test."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from small_paper import PAPER

from manypath.papers import published
from manypath.papers.comparison import compare, p_unequal
from manypath.papers.evaluation import evaluate
from manypath.papers.evidence import Case, Evidence, Runs
from manypath.papers.mean import Mean
from manypath.papers.paired import half_width
from manypath.papers.paper_evaluation import PaperEvaluation
from manypath.papers.publishing import table

WORLDS = 100
"""The number of made-up pairs of evaluations."""

POINTS = 10
"""The number of points of each evaluation."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def there(store, tmp_path_factory):
    """The published results."""
    file = tmp_path_factory.mktemp("package") / "published.json"
    (full,) = evaluate([PAPER], full=True, store=store, progress=False, profiles=False, mutations=False).papers
    file.write_text(table(full))
    return published.read(file)


@pytest.fixture(scope="module")
def here(store):
    """Results of quick precision: `fixed` has the first published runs, `short` has half of the measured time."""
    return evaluate([PAPER], store=store, progress=False).papers[0]


def test_runs_of_equal_scenarios_equal_published_ones_bit_by_bit(here, there):
    found = compare(here, there)
    assert found.points == 6
    assert found.same == 2
    assert found.agree + len(found.differences) + found.untested == found.points


def test_full_precision_is_reproduced_bit_by_bit(store, there):
    (full,) = evaluate([PAPER], full=True, store=store, progress=False, profiles=False, mutations=False).papers
    found = compare(full, there)
    assert (found.points, found.same, found.differences) == (6, 6, ())
    assert str(found) == "6 of 6 points of the figures agree with the published ones, 6 of them bit by bit"


def test_equal_runs_with_another_digest_differ_even_with_equal_means(here, there):
    case = Case.of("fixed", north=2.0)
    changed = replace(there.cases[case], digest="0" * 16, first=(3, "0" * 16))
    wrong = replace(there, cases={**there.cases, case: changed})
    assert {each.case for each in compare(here, wrong).differences} == {case}
    # With another engine only the means are compared, because its runs may differ.
    assert not compare(here, replace(wrong, engine="another")).differences


def test_claims_with_the_opposite_verdict_are_reported(here, there):
    same = {item.claim.id: replace(there.claims[item.claim.id], verdict=item.check.verdict) for item in here.claims}
    found = compare(here, replace(there, claims=same))
    assert (found.claims, found.same_verdicts, found.opposed) == (2, 2, ())
    assert found.of_verdicts() == "2 of 2 claims have the published verdict"
    assert here.claims[0].check.holds
    for verdict, opposed, suffix in [
        ("contradicted", ("C-999-1",), "; the opposite is shown for C-999-1"),
        ("undecided", (), "; 1 has an undecided or open verdict"),
    ]:
        other = {**same, "C-999-1": replace(same["C-999-1"], verdict=verdict)}
        found = compare(here, replace(there, claims=other))
        assert (found.claims, found.same_verdicts, found.opposed) == (2, 1, opposed)
        assert found.of_verdicts() == f"1 of 2 claims have the published verdict{suffix}"


def test_unpublished_points_are_not_compared(here, there):
    case = Case.of("fixed", north=2.0)
    some = replace(there, cases={key: value for key, value in there.cases.items() if key != case})
    assert compare(here, some).points == 4


def test_the_statistic_is_welchs_with_the_degrees_of_freedom_of_the_smaller_sample():
    noise = np.random.default_rng(1)
    for runs, others in [(3, 100), (10, 10), (2, 5)]:
        a, b = noise.normal(5.0, 1.0, runs), noise.normal(5.5, 0.2, others)
        mine = p_unequal(Mean(a.mean(), half_width(a)), runs, Mean(b.mean(), half_width(b)), others)
        statistic = stats.ttest_ind(a, b, equal_var=False).statistic
        assert mine == pytest.approx(2.0 * stats.t.sf(abs(statistic), min(runs, others) - 1), rel=1e-9)


def test_samples_without_variance_have_no_test():
    assert p_unequal(Mean(5.0, None), 1, Mean(5.0, 0.1), 10) is None
    assert p_unequal(Mean(5.0, 0.0), 3, Mean(5.1, 0.0), 10) is None
    assert p_unequal(Mean(5.0, 0.0), 3, Mean(5.1, 0.01), 10) is not None


def made_up(runs, noise, shift=0.0):
    """Return evaluations of a paper with one flow. Its mean is 5 Mbit/s, plus `shift` in the first case."""
    cases = [Case.of("short", north=float(number + 1)) for number in range(POINTS)]
    evidence = {}
    for case in cases:
        rates = 5e6 + 1e5 * noise.standard_normal(runs) + (shift * 1e6 if case is cases[0] else 0.0)
        evidence[case] = Runs(
            [
                {"flows": {"cmt": {"goodput": rate}}, "digest": f"{noise.integers(1 << 60):015x}", "cpu_seconds": 0.0}
                for rate in rates
            ]
        )
    found = Evidence(evidence)
    return PaperEvaluation(PAPER, PAPER.full, None, found, [], grown=found, engine="0123456789abcdef")


def pairs(tmp_path, shift):
    noise = np.random.default_rng(7)
    for _ in range(WORLDS):
        file = tmp_path / "published.json"
        file.write_text(table(made_up(20, noise)))
        quick = replace(made_up(5, noise, shift), precision=PAPER.quick)
        yield compare(quick, published.read(file))


def test_equal_evaluations_differ_in_at_most_5_percent_of_pairs(tmp_path):
    wrong = sum(bool(found.differences) for found in pairs(tmp_path, 0.0))
    assert wrong <= stats.binom.ppf(0.99, WORLDS, 0.05)


def test_a_different_point_is_reported(tmp_path):
    named = [found.differences for found in pairs(tmp_path, 0.5)]
    first = Case.of("short", north=1.0)
    assert np.mean([first in {each.case for each in each_world} for each_world in named]) > 0.95
    assert np.mean([len(each_world) > 1 for each_world in named]) < 0.05
    assert str(named[0][0]).startswith("cmt of short (north 1.0): 5.")
