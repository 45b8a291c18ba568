"""Factors, values and columns of a sweep that exclude each other are refused in one line before the first run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import manypath as mp
from manypath import _native
from manypath.campaign.combinations import check_each_apart
from manypath.campaign.fields import put
from manypath.campaign.sweep import Sweep

SCENARIO: dict[str, Any] = {
    "warmup": "1 s",
    "measure": "2 s",
    "network": {
        "disjoint": {
            "a": {"rate": "5 Mbit/s", "delay": "1 ms", "events": [{"at": "1 s", "rate": "2 Mbit/s"}]},
            "b": {"rate": "5 Mbit/s", "delay": "1 ms"},
        }
    },
    "flows": {"f": {"paths": ["a"]}, "g": {"paths": ["b"]}},
}

CC = ["newreno", "lia"]

SAME_FIELD = {
    "a field and its name": (
        {"cc": {"field": "flows.f.cc", "values": CC}, "flows.f.cc": ["newreno"]},
        'factors: "cc" and "flows.f.cc" both set flows.f.cc: give each field once',
    ),
    "the name before the field": (
        {"flows": {"f": {"cc": ["newreno"]}}, "cc": {"field": "flows.f.cc", "values": CC}},
        'factors: "flows.f.cc" and "cc" both set flows.f.cc: give each field once',
    ),
    "two lists": (
        {
            "x": {"field": ["flows.f.cc"], "values": CC},
            "y": {"field": ["flows.g.cc", "flows.f.cc"], "values": CC},
        },
        'factors: "x" and "y" both set flows.f.cc: give each field once',
    ),
    "a field of the scenario": (
        {"x": {"field": "warmup", "values": ["1 s"]}, "y": {"field": "warmup", "values": ["2 s"]}},
        'factors: "x" and "y" both set warmup: give each field once',
    ),
    "an item of a list": (
        {
            "x": {"field": "network.disjoint.a.events.0.at", "values": ["1 s"]},
            "y": {"field": "network.disjoint.a.events.0.at", "values": ["2 s"]},
        },
        'factors: "x" and "y" both set network.disjoint.a.events.0.at: give each field once',
    ),
    "a whole and then its part": (
        {
            "x": {"field": "network.disjoint.b", "values": [{"rate": "1 Mbit/s", "delay": "1 ms"}]},
            "y": {"field": "network.disjoint.b.rate", "values": ["1 Mbit/s", "2 Mbit/s"]},
        },
        'factors: "x" sets network.disjoint.b, and "y" its part network.disjoint.b.rate: give one of them',
    ),
    "a part and then its whole": (
        {"flows.f.cc": CC, "flows.f": [{"paths": ["a"]}, {"paths": ["b"]}]},
        'factors: "flows.f" sets flows.f, and "flows.f.cc" its part flows.f.cc: give one of them',
    ),
    "a field twice in a list": (
        {"x": {"field": ["flows.f.cc", "flows.f.cc"], "values": CC}},
        'factors.x.field: "flows.f.cc" occurs twice: give each field once',
    ),
    "an empty place": (
        {"x": {"field": "", "values": CC}},
        'factors.x.field: "" is no place: give one such as "flows.f.cc"',
    ),
    "a whole and its part in a list": (
        {"x": {"field": ["warmup", "flows.f.cc", "flows.f"], "values": CC}},
        'factors.x.field: "flows.f.cc" is a part of "flows.f": give one of them',
    ),
}
"""Factors that set one field twice; the second value would replace the first, but rows would show both."""


@pytest.mark.parametrize("case", SAME_FIELD)
def test_a_field_is_set_once(case: str):
    factors, message = SAME_FIELD[case]
    with pytest.raises(mp.UserError) as refused:
        Sweep(scenario=SCENARIO, factors=factors)
    assert str(refused.value) == message


def test_the_command_refuses_a_field_that_is_set_twice(
    tmp_path: Path, called: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    for function in ("run", "run_batch"):
        monkeypatch.setattr(_native, function, lambda *_: pytest.fail("a run has begun"))
    file = tmp_path / "twice.toml"
    file.write_text("""
        scenario = "two.toml"
        [factors]
        cc = { field = "flows.f.cc", values = ["newreno", "lia"] }
        "flows.f.cc" = ["newreno"]
    """)
    (line,) = called("sweep", str(file), code=2).err.splitlines()
    assert line == f'error: {file}: factors: "cc" and "flows.f.cc" both set flows.f.cc: give each field once'


def test_different_fields_with_similar_names_are_set():
    fields = ["flows.f.send_buffer", "flows.f.send_buffer_", "flows.ff.send_buffer", "flows.g.send_buffer"]
    assert len(Sweep(scenario=SCENARIO, factors={field: ["1 MB"] for field in fields}).values) == len(fields)


def test_an_index_has_one_form():
    fields = {"list": [1, 2]}
    put(fields, "list.1", 3)
    assert fields == {"list": [1, 3]}
    for index in ("01", "2", "-1", "1" * 5000, "\u0661"):
        with pytest.raises(mp.UserError, match="is no index of a list of 2; indices begin with 0"):
            put(fields, f"list.{index}", 4)


SAME_SCENARIO = {
    "units": ("network.disjoint.a.rate", ["5 Mbit/s", "5000 kbit/s"], '"5 Mbit/s" and "5000 kbit/s"'),
    "forms of a number": ("network.disjoint.a.delay", ["2 ms", "0.002 s", "3 ms"], '"2 ms" and "0.002 s"'),
    "percent": ("network.disjoint.a.loss", ["1 %", 0.01], '"1 %" and 0.01'),
    "no losses": ("network.disjoint.a.loss", [0, "0 %"], '0 and "0 %"'),
    "tables": (
        "network.disjoint.a.queue",
        [{"kind": "drop-tail", "packets": 10}, {"packets": 10, "kind": "drop-tail"}],
        '"kind=drop-tail packets=10" and "packets=10 kind=drop-tail"',
    ),
}
"""A field, its values, and the two of them that are the same."""


@pytest.mark.parametrize("scenario", [5, True, ["a.toml"]])
def test_a_scenario_is_a_file_or_a_table(scenario: object):
    with pytest.raises(mp.UserError) as refused:
        Sweep(scenario=scenario)
    (line,) = str(refused.value).splitlines()
    assert line.startswith("scenario: ")
    assert line.endswith("give the name of a file, or a table")


@pytest.mark.parametrize("case", SAME_SCENARIO)
def test_two_forms_of_a_value_are_one_value(case: str):
    place, values, message = SAME_SCENARIO[case]
    sweep = Sweep(scenario=SCENARIO, factors={"x": {"field": place, "values": values}, "flows.f.cc": CC})
    campaign = sweep.campaign()
    for _ in range(2):
        with pytest.raises(mp.UserError) as refused:
            campaign.run(store=None, progress=False)
        assert str(refused.value).startswith(f"factors.x: {message}")
        assert str(refused.value).endswith(" give the same scenario: give one of them")


def test_values_that_give_other_scenarios_with_some_values_of_another_factor_are_different():
    def sums(a: list[int], b: list[int]) -> list[tuple[dict[str, int], str]]:
        return [({"a": one, "b": other}, str(one + other)) for one in a for other in b]

    check_each_apart("ab", sums([1, 2], [1, 2]))
    check_each_apart("ab", [({"a": one, "b": other}, str(one * other)) for one in (1, 2) for other in (0, 1)])
    with pytest.raises(mp.UserError, match=r"^factors.a: 1 and 2 give the same scenario: give one of them"):
        check_each_apart("ab", [({"a": one, "b": other}, str(one * other)) for one in (1, 2) for other in (0,)])


def test_a_function_may_give_equal_scenarios():
    scenario = Sweep(scenario=SCENARIO, factors={}).campaign().scenarios[0][1]
    made = mp.Campaign(lambda **_: mp.Scenario.from_fields(SCENARIO), {"x": ["5 Mbit/s", "5000 kbit/s"]})
    assert [document for _, document in made.scenarios] == [scenario, scenario]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, True, "1 ms"], "1 and True are one value in tables: give values that differ there"),
        ([False, 2, 0], "False and 0 are one value in tables"),
        ([["a"], '["a"]'], '[\'a\'] and "["a"]" are one value in tables'),
        ([{"p": 1}, "p=1"], "{'p': 1} and \"p=1\" are one value in tables"),
        ([1, "a", 1], "1 occurs twice: give each value once"),
        (["a", "a"], '"a" occurs twice: give each value once'),
    ],
)
def test_values_that_only_tables_show_as_one_are_not_called_equal(values: list[Any], message: str):
    with pytest.raises(mp.UserError) as refused:
        Sweep(scenario=SCENARIO, factors={"x": {"field": "warmup", "values": values}})
    assert str(refused.value).startswith(f"factors.x.values: {message}")


def test_the_same_holds_for_values_and_combinations_in_python():
    def same(**_: Any) -> mp.Scenario:
        return mp.Scenario.from_fields(SCENARIO)

    with pytest.raises(mp.UserError, match=r"^factors.x: 1 and True are one value in tables: give values that differ"):
        _ = mp.Campaign(same, {"x": [1, True]}).scenarios
    with pytest.raises(mp.UserError, match=r"^factors: \{'x': 1\} and \{'x': True\} are one combination in tables"):
        _ = mp.Campaign(same, [{"x": 1}, {"x": True}]).scenarios
    with pytest.raises(mp.UserError, match=r"^factors: \{'x': 1\} occurs twice: give each combination once"):
        _ = mp.Campaign(same, [{"x": 1}, {"x": 1}]).scenarios


def test_a_measurement_is_named_once():
    with pytest.raises(mp.UserError, match=r'^metrics: "goodput" occurs twice: give each measurement once$'):
        Sweep(scenario=SCENARIO, metrics=["goodput", "timeouts", "goodput"])


def test_a_factor_without_a_place_is_refused_and_names_with_a_runner_are_no_places():
    with pytest.raises(mp.UserError, match=r"^factors.r.field: is empty: give 1 or more$"):
        Sweep(scenario=SCENARIO, factors={"r": {"field": [], "values": ["1 Mbit/s"]}})
    assert Sweep(runner={"command": "model {r} {r.a}"}, factors={"r": [1], "r.a": [1]}).values["r.a"] == {1: 1}


@pytest.mark.parametrize("runner", [{"command": "model {r}"}, {"python": "model:model"}])
@pytest.mark.parametrize(
    ("field", "told"), [("flows.f.cc", '"flows.f.cc"'), (["flows.f.cc", "warmup"], '"flows.f.cc", "warmup"')]
)
def test_what_only_a_scenario_has_is_refused_with_a_runner(runner: dict[str, str], field: Any, told: str):
    with pytest.raises(mp.UserError) as error:
        Sweep(runner=runner, factors={"r": {"field": field, "values": [1, 2]}})
    said = f'factors.r.field: {told} is a place in a scenario, and a runner gets the factor by its name "r"'
    assert str(error.value) == f"{said}: leave field out"


def test_what_only_a_command_has_is_refused_with_a_function():
    with pytest.raises(mp.UserError, match=r'^runner: timeout: "5 s" is only valid with command: leave it out$'):
        Sweep(runner={"python": "model:model", "timeout": "5 s"}, factors={"r": [1]})
    assert Sweep(runner={"command": "model {r}", "timeout": "5 s"}, factors={"r": [1]}).runner


@pytest.mark.parametrize(
    ("line", "arguments", "message"),
    [
        ('by = ["nosuch"]', [], '{file}: by: "nosuch" is no column of these results'),
        ('metrics = ["nosuch"]', [], '{file}: metrics: "nosuch" is no column of these results'),
        ("", ["--metric", "nosuch"], '--metric: "nosuch" is no column of these results'),
        ("", ["--metric", "goodput", "--metric", "goodput"], '--metric: "goodput" occurs twice: give each measurement'),
        ("", ["--plot", "f.svg", "--y", "nosuch"], '--y: "nosuch" is no column of these results'),
    ],
)
def test_a_wrong_column_has_the_name_of_its_field(
    line: str, arguments: list[str], message: str, tmp_path: Path, called: Callable[..., Any], two_paths_file: Any
):
    two_paths_file("two.toml", {})
    file = tmp_path / "columns.toml"
    file.write_text(f'scenario = "two.toml"\n{line}\n[factors]\n"flows.cmt.cc" = ["lia"]\n')
    (said,) = called("sweep", str(file), "--store", str(tmp_path / "runs"), *arguments, code=2).err.splitlines()
    assert said.startswith(f"error: {message.format(file=file)}")
