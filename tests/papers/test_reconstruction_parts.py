"""The parts of a reconstruction: designs, credits, halves, joined switches, and the file of a result."""

from dataclasses import replace

import numpy as np
import pytest
from reconstruction_world import FACTORS, changes_of, paper, trials

import manypath
from manypath.errors import UserError
from manypath.papers import kept, published, registry
from manypath.papers.check import Check, all_of
from manypath.papers.claim import Claim
from manypath.papers.predicates import above, near, rises_with
from manypath.papers.reconstruction.design import ORDERS, combinations, fold_over, hadamard
from manypath.papers.reconstruction.factors import AS_STATED, joined, ordered, penalty
from manypath.papers.reconstruction.halves import halves_of
from manypath.papers.reconstruction.result import FILE, KIND, kept_result, load, publish
from manypath.papers.reconstruction.run import reconstruction_of
from manypath.papers.reconstruction.score import credit
from manypath.papers.reconstruction.shared import GROUPS

NOISE = np.array([-0.01, 0.0, 0.01])
OPEN = Check("open", measured="nothing", expected="a number", runs=0)


@pytest.mark.parametrize("order", ORDERS)
def test_rows_of_a_hadamard_matrix_are_orthogonal(order):
    matrix = hadamard(order)
    assert np.array_equal(matrix @ matrix.T, order * np.eye(order))
    assert set(matrix[0]) == set(matrix[:, 0]) == {1.0}


@pytest.mark.parametrize("factors", range(1, 13))
def test_main_effects_are_not_aliased_with_each_other_or_with_pairs(factors):
    signs = fold_over(factors)
    assert np.array_equal(signs.T @ signs, len(signs) * np.eye(factors))
    for first in range(factors):
        for second in range(first):
            pair = signs[:, first] * signs[:, second]
            assert not (signs.T @ pair).any()


def test_a_design_begins_with_the_paper_as_stated():
    names = [factor.name for factor in FACTORS]
    settings = combinations(names, fold_over(len(names)))
    assert settings[0] == AS_STATED
    assert len(settings) == len(set(settings)) == 16


def test_a_design_refuses_too_many_factors():
    with pytest.raises(ValueError, match="1 to 12 factors, not 13"):
        fold_over(13)


@pytest.mark.parametrize(
    ("measured", "earned"), [(10.0, 1.0), (11.0, 1.0), (12.0, 0.5), (8.0, 0.5), (13.0, 0.0), (90.0, 0.0)]
)
def test_the_credit_of_a_number_decreases_with_its_distance_to_the_printed_one(measured, earned):
    assert credit(near(measured + NOISE, 10.0)) == pytest.approx(earned)


def test_the_credit_of_an_order_is_its_confidence():
    shown, reversed_, unknown = 1.0 + NOISE, -1.0 + NOISE, NOISE
    assert credit(above(shown, 0.0)) == pytest.approx(1.0, abs=0.001)
    assert credit(above(reversed_, 0.0)) == pytest.approx(0.0, abs=0.001)
    assert credit(above(unknown, 0.0)) == pytest.approx(0.5)
    assert credit(above({1: shown, 2: reversed_}, 0.0)) == pytest.approx(0.5, abs=0.001)


def test_a_reversed_step_loses_its_share_of_the_credit():
    sweep = {1.0: 1.0 + NOISE, 2.0: 5.0 + NOISE, 3.0: 3.0 + 2.0 * NOISE}
    assert credit(rises_with(sweep)) == pytest.approx(0.5, abs=0.001)


def test_parts_have_equal_weights_and_open_ones_do_not_count():
    right, wrong = near(10.0 + NOISE, 10.0), near(20.0 + NOISE, 10.0)
    assert credit(all_of(right, wrong)) == pytest.approx(0.5)
    assert credit(all_of(right, OPEN)) == pytest.approx(1.0)
    assert credit(OPEN) is None


def test_an_unmeasured_number_has_no_credit():
    assert credit(near(np.array([np.nan, 1.0, 1.0]), 1.0)) == 0.0


def test_halves_get_claims_of_each_figure_alternately():
    claims = [
        Claim(f"C-1-{n}", "", "", "number", figure, lambda _: OPEN) for n, figure in enumerate((2, 2, 2, 3, 3, 4), 1)
    ]
    assert halves_of(claims) == {"A": ("C-1-1", "C-1-3", "C-1-5"), "B": ("C-1-2", "C-1-4", "C-1-6")}


def test_halves_have_equal_sizes():
    for each in registry().values():
        halves = halves_of(each.claims)
        assert abs(len(halves["A"]) - len(halves["B"])) <= 1


def test_joined_switches_make_all_changes():
    made_up = paper(lambda _: 1.0)
    scenario = made_up.experiments.scenario(next(made_up.experiments.cases(made_up.quick)), made_up.quick)
    setting = frozenset({"burst", "path"})
    assert changes_of(joined(FACTORS, setting).change(scenario)) == setting
    assert joined(FACTORS, AS_STATED).change(scenario) == scenario
    assert ordered(FACTORS, setting) == ("path", "burst")
    assert penalty(FACTORS, setting) == pytest.approx(0.02)


@pytest.mark.parametrize("name", [name for name, each in registry().items() if each.factors])
def test_each_factor_of_a_paper_changes_a_scenario(name):
    each = registry()[name]
    precision = each.reconstructed or each.mutated
    cases = {case.experiment: case for case in each.experiments.cases(precision)}
    scenarios = [each.experiments.scenario(case, precision) for case in cases.values()]
    assert len({factor.name for factor in each.factors}) == len(each.factors)
    for factor in each.factors:
        assert any(factor.switch.change(scenario) != scenario for scenario in scenarios), factor.name


def test_papers_of_a_group_share_factors():
    papers = registry()
    for group in GROUPS:
        names = [{factor.name for factor in papers[name].factors} for name in group]
        assert len(set.intersection(*names)) >= 3


def test_a_factor_of_several_papers_has_the_same_levels_in_all():
    papers = registry()
    for group in GROUPS:
        levels = {}
        for name in group:
            for factor in papers[name].factors:
                levels.setdefault(factor.name, set()).add(factor.switch.says)
        assert {name for name, says in levels.items() if len(says) > 1} == set()


@pytest.fixture(scope="module")
def result():
    return reconstruction_of(trials(lambda point, _: float(point), float))


def test_a_result_is_read_back_unchanged(result, tmp_path):
    target = tmp_path / "reconstruction.json"
    result.save(target)
    assert load(target, "made_up") == result


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"paper": "another"}, 'paper: "another" is not made_up'),
        ({"paper": "two\nlines"}, r'paper: "two\\nlines" is not made_up'),
        ({"found": ("nothing",)}, 'found: "nothing" is no factor'),
        ({"factors": ()}, 'rivals: "burst" is no factor'),
    ],
)
def test_an_inconsistent_file_is_refused(result, tmp_path, change, words):
    target = tmp_path / "reconstruction.json"
    replace(result, **{"rivals": (("burst",),), **change}).save(target)
    with pytest.raises(UserError, match=words):
        load(target, "made_up")


def test_a_file_with_a_wrong_value_is_refused_with_the_field(result, tmp_path):
    target = tmp_path / "reconstruction.json"
    result.save(target)
    target.write_text(target.read_text().replace('"as stated"', '"perhaps"', 1))
    with pytest.raises(UserError, match=r"factors\.0\.told"):
        load(target, "made_up")


def test_only_results_of_this_package_are_replaced_and_only_in_a_source_tree(result, tmp_path, monkeypatch):
    package = tmp_path / "python" / "manypath"
    (package / "studies" / "made_up").mkdir(parents=True)
    monkeypatch.setattr(manypath, "__file__", str(package / "__init__.py"))
    with pytest.raises(UserError, match="is no source tree"):
        kept.check_targets(["made_up"], FILE, KIND)
    (tmp_path / "pyproject.toml").touch()
    publish([result])
    kept.check_targets(["made_up"], FILE, KIND)
    (package / "studies" / "made_up" / FILE).write_text("mine")
    with pytest.raises(UserError, match="manypath did not write it as a reconstruction"):
        kept.check_targets(["made_up"], FILE, KIND)


@pytest.mark.parametrize("name", [name for name, each in registry().items() if each.factors])
def test_published_results_fit_the_paper(name):
    found, each = kept_result(name), registry()[name]
    if found is not None:
        assert [factor.name for factor in found.factors] == [factor.name for factor in each.factors]
        assert [claim.id for claim in found.claims] == [claim.id for claim in each.claims]
        full = published.load(name)
        assert full is not None
        assert {claim.id: claim.stated for claim in found.claims} == {
            claim.id: claim.verdict for claim in full.claims.values()
        }
        assert found.engine == full.engine
        for claim in found.claims:
            assert (claim.reconstructed == "undecided") == (claim.needed is not None), claim.id
