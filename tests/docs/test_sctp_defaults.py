"""The page about defaults of SCTP agrees with the defaults of a flow and with those that Python has for real networks.

The presets of real networks are in Rust only: the test checks that the page has a row for each of their settings.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest
from blocks import ROOT, blocks
from checks import run_python

import manypath as mp

PAGE = ROOT / "docs/reference/sctp-defaults.md"

ROW = re.compile(r"^\| `(?P<name>[\w.]+)`(?:, `(?P<second>\w+)`)? \| (?P<cells>.*) \|$", re.MULTILINE)
"""A row of the table."""

SAME = {"initial_tsn"}
"""A setting that a preset names, with the value that simulations have."""


def tables() -> tuple[str, str]:
    """Return the rows of fields of a scenario, and those of settings that scenarios do not have."""
    fields, others = PAGE.read_text(encoding="utf-8").split("| not in scenarios |")
    return fields, others


def fields() -> dict[str, list[Any]]:
    """Return the values of each field of a scenario: simulated, real with one path, real with all paths."""
    rows = ROW.finditer(tables()[0])
    return {row["name"]: [ast.literal_eval(cell.strip("`")) for cell in row["cells"].split(" | ")[:3]] for row in rows}


def flow(**settings: Any) -> mp.Sctp:
    return mp.Sctp(paths=("north", "south"), cc="cmt-rpv2", **settings)


def with_values(column: int) -> mp.Sctp:
    """Return a flow with the values of a column of the table."""
    values = {name: row[column] for name, row in fields().items()}
    return flow(rto=mp.Rto(initial=str(values.pop("rto.initial"))), **values)


def test_the_simulated_column_has_the_defaults_of_a_flow():
    assert with_values(0) == flow()


@pytest.mark.parametrize("name", sorted(fields()))
def test_each_row_has_a_difference(name: str):
    simulated, one, every = fields()[name]
    assert (one, every) != (simulated, simulated)


def test_the_code_on_the_page_makes_the_flows_of_the_table():
    (code,) = [block for block in blocks(PAGE) if block.language == "python"]
    made: dict[str, Any] = {}
    run_python(code, PAGE, made)
    assert flow(**made["ONE_PATH"]) == with_values(1)
    assert made["flow"] == with_values(2)


def test_the_real_columns_have_the_defaults_of_python():
    options, table = mp.sctp.Options(), fields()
    assert table["rto.initial"][1:] == [options.rto_initial] * 2
    assert table["send_buffer"][1:] == [options.send_buffer] * 2
    assert table["receive_buffer"][1:] == [options.receive_buffer] * 2
    assert f"`mp.sctp` begins with {options.mtu}" in tables()[0]
    same = ("heartbeat_interval", "path_max_retransmissions", "association_max_retransmissions", "sack_every", "pacing")
    simulated = flow(sack_delay=options.sack_delay, **{name: getattr(options, name) for name in same})
    assert simulated == flow()
    assert not set(same) & set(table)


def test_every_setting_of_the_presets_for_real_networks_has_a_row():
    presets = (ROOT / "crates/sctp/src/config/presets.rs").read_text(encoding="utf-8")
    (core,) = re.findall(r"fn for_real_networks\(\) -> Self \{(.*?)\.\.Self::default", presets, re.DOTALL)
    options = (ROOT / "crates/net/src/options.rs").read_text(encoding="utf-8")
    (net,) = re.findall(r"fn for_real_networks\(\) -> Config \{(.*?)\.\.Config::for_real", options, re.DOTALL)
    (paths,) = re.findall(r"fn use_all_paths.*?\n\}", options, re.DOTALL)
    named = {*re.findall(r"^ +(\w+): ", core + net, re.MULTILINE), *re.findall(r"config\.(\w+) =", paths)}
    page = {name for table in tables() for row in ROW.finditer(table) for name in (row["name"], row["second"])}
    assert len(named) > 25
    assert named - page == SAME


def test_settings_that_scenarios_lack_are_settings_of_the_engine():
    config = (ROOT / "crates/sctp/src/config/mod.rs").read_text(encoding="utf-8")
    known = set(re.findall(r"^    pub (\w+): ", config, re.MULTILINE))
    rows = [(row["name"], row["second"]) for row in ROW.finditer(tables()[1])]
    assert rows
    assert {name for row in rows for name in row if name} <= known
