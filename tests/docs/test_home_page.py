"""The home page begins with four doors and leads to every other page, and has a picture."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from blocks import ROOT

HOME = ROOT / "docs/README.md"

LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target>[^)\s#]+)(?:#[^)\s]*)?\)")
"""A Markdown link, but not an image."""

PROJECT = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "REFERENCES.md")
"""Top-level files of the repository that are pages of the site."""


PICTURE = re.compile(r"```text\n(┌.*?)```", re.DOTALL)
"""The picture of the parts."""


def linked(page: Path) -> list[Path]:
    targets = (found["target"] for found in LINK.finditer(page.read_text(encoding="utf-8")))
    return [Path(os.path.normpath(page.parent / target)) for target in targets if "://" not in target]


INDICES = sorted(ROOT.glob("docs/*/README.md"))
"""The pages that list the pages of a part."""


def test_the_home_page_leads_to_every_page_over_one_list_at_most():
    pages = {*ROOT.glob("docs/**/*.md"), *ROOT.glob("python/manypath/papers/*/README.md")}
    pages |= {ROOT / name for name in PROJECT}
    assert set(INDICES) <= set(linked(HOME))
    listed = {page for index in (HOME, *INDICES) for page in linked(index)}
    assert not pages - {HOME} - listed


@pytest.mark.parametrize("page", [HOME, *INDICES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_list_of_pages_has_a_target(page: Path):
    assert linked(page)
    assert not [target for target in linked(page) if not target.exists()]


def test_the_home_page_begins_with_four_doors_that_each_have_one_page():
    text = HOME.read_text(encoding="utf-8")
    begin = text.partition("![")[0]
    doors = dict(re.findall(r"^\| \*\*([\w ]+)\*\* \| (.*) \|$", begin, re.MULTILINE))
    assert list(doors) == ["simulate", "bond two links", "write an algorithm", "check a paper"]
    assert [len(LINK.findall(line)) for line in doors.values()] == [1, 1, 1, 1]
    assert text.count("\n") < 60


def test_the_home_page_has_a_picture_with_a_description():
    picture = re.search(r"!\[(?P<description>[^\]]+)\]\((?P<target>[^)]+)\)", HOME.read_text(encoding="utf-8"))
    assert picture is not None
    assert len(picture["description"]) > 40
    assert (HOME.parent / picture["target"]).exists()


def test_home_and_readme_begin_with_the_picture_of_the_explorer():
    for page, picture in ((HOME, "figures/explore.png"), (ROOT / "README.md", "docs/figures/explore.png")):
        first = re.search(r"!\[[^\]]+\]\((?P<target>[^)]+)\)", page.read_text(encoding="utf-8"))
        assert first is not None
        assert first["target"] == picture


def test_text_in_figures_of_the_documentation_is_searchable():
    drawings = [path.read_text(encoding="utf-8") for path in (ROOT / "docs/figures").glob("*.svg")]
    assert drawings
    # Letters drawn as paths can neither be searched nor read by screen readers
    assert all("<text" in drawing for drawing in drawings)


def test_the_picture_of_the_network_shows_the_current_example(tmp_path: Path):
    """`manypath show examples/two_paths.toml --plot docs/figures/network.svg` updates the picture."""
    from manypath.scenario import Scenario

    drawn = Scenario.from_file(ROOT / "examples/two_paths.toml").network.draw().save(tmp_path / "network.svg")
    assert drawn.read_text() == (ROOT / "docs/figures/network.svg").read_text()


def test_the_readme_and_the_map_show_the_same_picture():
    pictures = [PICTURE.findall((ROOT / name).read_text(encoding="utf-8")) for name in ("README.md", "ARCHITECTURE.md")]
    assert pictures[0]
    assert pictures[0] == pictures[1]
