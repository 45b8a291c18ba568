"""Theory against worked examples, closed forms, and an independent Monte Carlo simulation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manypath.anchors.table import RATES, RTT, SCENARIOS
from manypath.errors import UserError
from manypath.theory import FORMULAS, Equilibrium, Fluid, FluidLink, equilibrium, formula_of

VECTORS = Path(__file__).parents[2] / "spec" / "vectors"


def vectors() -> list[dict[str, Any]]:
    """Every worked example of formulas that a fluid uses, too.

    Examples that need a history are about terms that a fluid does not have, and INET rounds times before it uses them.
    """
    every = [each for file in sorted(VECTORS.glob("*.json")) for each in json.loads(file.read_text())["vectors"]]
    return [
        vector
        for vector in every
        if vector["event"]["kind"] == "formulas" and "before" not in vector and vector["profile"] != "inet"
        if formula_of(vector["algorithm"]) is not None
    ]


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector["id"])
def test_formulas_give_what_the_worked_examples_say(vector):
    formula = formula_of(vector["algorithm"])
    assert formula is not None
    unit = vector.get("unit", 1452)
    w = np.array([path["window"] / unit for path in vector["paths"]])
    r = np.array([path["srtt_us"] / 1e6 for path in vector["paths"]])
    growth, cut = formula.growth(w, r), formula.cut(w, r)
    said = {
        "growth_per_ack": growth,
        "growth_per_unit": growth * w,
        "growth_bytes": growth * w * unit,
        "cut_bytes": cut * unit,
        "cut_per_window": cut / w,
    }
    compared = [(name, path) for path, expected in enumerate(vector["expect"]) for name in expected if name in said]
    assert compared
    for name, path in compared:
        assert said[name][path] == pytest.approx(vector["expect"][path][name], rel=1e-9), name


def given(cc: str, losses: tuple[float, ...]) -> np.ndarray:
    """Packets per second of a connection on links that only lose at random."""
    formula = formula_of(cc)
    assert formula is not None
    names = [f"link{n}" for n in range(len(losses))]
    links = {name: FluidLink(1e9, loss) for name, loss in zip(names, losses, strict=True)}
    return equilibrium(links, {"flow": Fluid(formula, [[name] for name in names], [RTT] * len(names))}).goodput["flow"]


UNEVEN = ("olia", "0.1%+0.4%")
"""Where chance matters most: the only point at which a fluid is more than 15 % off."""


@pytest.mark.parametrize(("cc", "scenario"), [(cc, name) for cc in RATES for name in SCENARIOS if (cc, name) != UNEVEN])
def test_a_connection_gets_in_all_what_independent_losses_give_it(cc: str, scenario: str):
    total, expected = given(cc, SCENARIOS[scenario]).sum(), sum(RATES[cc][scenario])
    assert total == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("cc", ["newreno", "ewtcp", "lia", "balia"])
def test_each_path_gets_its_part_where_no_path_is_left_empty(cc: str):
    found, expected = given(cc, (0.001, 0.004)), np.array(RATES[cc]["0.1%+0.4%"])
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=0.15)


def test_without_chance_olia_leaves_a_worse_path_almost_empty():
    cc, scenario = UNEVEN
    (better, worse), (_, measured) = given(cc, SCENARIOS[scenario]), RATES[cc][scenario]
    assert worse < measured / 3
    assert better == pytest.approx(given("newreno", SCENARIOS[scenario][:1])[0], rel=0.05)


def test_a_single_flow_follows_the_square_root():
    (rate,) = given("newreno", (1e-4,))
    assert rate == pytest.approx(np.sqrt(2 / 1e-4) / RTT, rel=1e-3)


def beside_tcp(cc: str, subflows: int = 1, tcps: int = 1, rtt: float = 0.04) -> Equilibrium:
    own, tcp = formula_of(cc), formula_of("newreno")
    assert own is not None
    assert tcp is not None
    flows = {
        "flow": Fluid(own, [["link"]] * subflows, [rtt] * subflows),
        "tcp": Fluid(tcp, [["link"]], [0.04], tcps),
    }
    return equilibrium({"link": FluidLink(1000.0, queue=0.02)}, flows)


@pytest.mark.parametrize(
    ("cc", "subflows", "tcps", "share"),
    [
        ("newreno", 2, 1, 2 / 3),
        ("newreno", 4, 3, 4 / 7),
        ("weighted-aimd:weight=1/2", 1, 1, 1 / 3),
        ("weighted-aimd:weight=0.8", 1, 2, 0.8 / 2.8),
        ("ewtcp", 3, 1, 1 / 2),
        ("lia", 2, 2, 1 / 3),
        ("olia", 2, 1, 1 / 2),
        ("balia", 2, 1, 1 / 2),
    ],
)
def test_shares_of_one_bottleneck_are_those_of_the_closed_forms(cc: str, subflows: int, tcps: int, share: float):
    found = beside_tcp(cc, subflows, tcps)
    mine = found.goodput["flow"].sum()
    assert mine / (mine + tcps * found.goodput["tcp"].sum()) == pytest.approx(share, rel=1e-3)
    assert mine + tcps * found.goodput["tcp"].sum() == pytest.approx(1000.0, rel=1e-6)
    assert found.full == {"link"}


@pytest.mark.parametrize("cc", ["coupled", "cmt-rpv2"])
def test_pooled_windows_share_like_one_tcp_but_for_the_packet_that_each_path_keeps(cc: str):
    found = beside_tcp(cc, 2)
    mine = found.goodput["flow"].sum()
    assert 500.0 < mine < 520.0


def test_weight_and_decrease_are_read_as_the_engine_reads_them():
    # (1 - p) a / w = p b w, with a = 3 b D^2 / (2 - b)
    (rate,) = given("weighted-aimd:weight=2/3,decrease=1/8", (0.001,))
    increase = 3 / 8 / (2 - 1 / 8) * (2 / 3) ** 2
    assert rate * RTT / (1 - 0.001) == pytest.approx(np.sqrt(increase / (1 / 8) * 0.999 / 0.001), rel=1e-4)


def test_a_shorter_round_trip_takes_more():
    found = beside_tcp("newreno", rtt=0.01)
    # x = c/(r sqrt(p)): rates are as the inverse round-trip times, queue included.
    ratio = found.goodput["flow"].sum() / found.goodput["tcp"].sum()
    assert ratio == pytest.approx((0.04 + 0.02) / (0.01 + 0.02), rel=1e-3)


@pytest.mark.parametrize("cc", FORMULAS)
def test_paths_have_no_order(cc: str):
    forward, backward = given(cc, (0.001, 0.003, 0.01)), given(cc, (0.01, 0.003, 0.001))
    np.testing.assert_allclose(forward, backward[::-1], rtol=1e-3)


def test_a_link_that_nobody_fills_has_no_queue():
    formula = formula_of("newreno")
    assert formula is not None
    found = equilibrium({"link": FluidLink(1e6, 0.01, queue=10.0)}, {"flow": Fluid(formula, [["link"]], [RTT])})
    assert found.full == frozenset()
    assert found.goodput["flow"][0] == pytest.approx(given("newreno", (0.01,))[0], rel=1e-6)


@pytest.mark.parametrize("cc", ["cubic", "wvegas", "bmc", "bmc:interval=5 s", "cmt-rpv1"])
def test_what_formulas_do_not_settle_has_none(cc: str):
    assert formula_of(cc) is None


def test_an_unknown_congestion_control_is_named():
    with pytest.raises(UserError, match='did you mean "balia"'):
        formula_of("balja")
