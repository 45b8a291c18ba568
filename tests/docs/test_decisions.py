"""Decisions agree with the code where they list its parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from blocks import ROOT
from definitions import in_rust

DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))

LONGEST = 60
"""The largest number of lines of a decision."""


def text_of(number: str) -> str:
    (page,) = (ROOT / "docs/decisions").glob(f"{number}-*.md")
    return page.read_text(encoding="utf-8")


def test_decisions_are_numbered_without_gaps():
    assert [page.name[:4] for page in DECISIONS] == [f"{number:04}" for number in range(1, len(DECISIONS) + 1)]
    assert all(page.read_text(encoding="utf-8").startswith(f"# {page.name[:4]} ") for page in DECISIONS)


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_is_short_and_names_existing_files(page: Path):
    text = page.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST
    named = re.findall(r"`((?:crates|python|tests|spec|xtask|docs)/[\w./-]+)`", text)
    assert not [place for place in named if not (ROOT / place).exists()]


@pytest.mark.parametrize("page", ["docs/decisions/0001-sans-io.md", "ARCHITECTURE.md"])
def test_the_pure_crates_are_those_of_the_layers(page: str):
    layers = (ROOT / "xtask/src/layers.rs").read_text(encoding="utf-8")
    pure = re.findall(r'Layer \{\s*name: "(\w+)"[^}]*?pure: true', layers)
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    (listed,) = re.findall(r"(`core`, `cc`,[^.]*?and `\w+`)", text)
    assert set(re.findall(r"`(\w+)`", listed)) == set(pure)


def test_the_methods_of_a_congestion_control_are_those_of_the_trait():
    trait = (ROOT / "crates/cc/src/algorithm.rs").read_text(encoding="utf-8")
    methods = {name.split("::")[1] for name in in_rust(trait) if name.startswith("Algorithm::")}
    table = re.findall(r"^\| (`.*`) \|", text_of("0002"), re.MULTILINE)
    listed = [name for row in table for name in re.findall(r"`(\w+)`", row) if name != "Algorithm"]
    assert len(listed) == len(methods)
    assert set(listed) == methods
