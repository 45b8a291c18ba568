"""The site embeds drawings in pages, and gives tables scopes."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType, SimpleNamespace

import pytest
from blocks import ROOT

import manypath as mp


def builder(name: str) -> ModuleType:
    """Return a module of `docs/builder`, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/builder/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def drawing() -> str:
    return mp.disjoint(south=mp.Link(rate="10 Mbit/s", delay="1 ms"))._repr_svg_()


def placed(page: str, drawing: str) -> str:
    """Return the page `how-to/show.html` after the hook, in a site with one drawing."""
    file = SimpleNamespace(content_string=drawing)
    files = SimpleNamespace(get_file_from_path={"figures/network.svg": file}.get)
    here = SimpleNamespace(file=SimpleNamespace(dest_uri="how-to/show.html"))
    return builder("drawings").on_page_content(page, page=here, files=files)


def test_a_drawing_is_embedded_in_its_page_with_its_description_as_title(drawing: str):
    page = placed('<p><img alt="One path &amp; its link" src="../figures/network.svg" /></p>', drawing)
    assert page.startswith('<figure class="drawing"><svg ')
    assert page.count("<title>") == 1
    assert "<title>One path &amp; its link</title>" in page
    assert "<metadata>" not in page
    assert '<a href="../figures/network.svg">' in page


def test_a_drawing_fits_the_width_of_a_phone(drawing: str):
    opening = re.search(r"<svg [^>]*>", placed('<img alt="a" src="../figures/network.svg" />', drawing))
    assert opening is not None
    assert re.search(r'style="width: 100%; max-width: \d+pt"', opening[0])
    assert " height=" not in opening[0]
    assert "viewBox=" in opening[0]


def test_styles_and_ids_of_a_drawing_do_not_affect_others(drawing: str):
    page = placed('<img alt="a" src="../figures/network.svg" />', drawing)
    assert "<style" in page
    assert not re.search(r">\s*\*\s*{", page)
    assert all(name.startswith("network-") for name in re.findall(r'\bid="([^"]*)"', page))
    used = re.findall(r'(?:xlink:href="|url\()#([^")]*)', page)
    assert used
    assert all(name.startswith("network-") for name in used)


@pytest.mark.parametrize(
    "image", ['<img alt="a" src="../figures/other.svg" />', '<img alt="a" src="https://example.org/network.svg" />']
)
def test_other_images_are_unchanged(image: str, drawing: str):
    assert placed(image, drawing) == image


def test_headings_of_tables_describe_their_columns():
    page = (
        '<table>\n<thead>\n<tr>\n<th>flow</th>\n<th style="text-align: right;">rate</th>\n</tr>\n</thead>\n<tbody>\n'
        '<tr>\n<td>a</td>\n<td style="text-align: right;">1</td>\n</tr>\n<tr>\n<td></td>\n<td>2</td>\n</tr>\n'
        "</tbody></table>"
    )
    written = builder("tables").on_page_content(f'{page}<table class="highlighttable"><tr><td>1</td></tr></table>')
    assert written.count('scope="col"') == 2
    assert '<th scope="row">a</th>\n<td style="text-align: right;">1</td>' in written
    assert "<td></td>" in written
    assert '<table class="highlighttable"><tr><td>1</td></tr></table>' in written


def test_commands_of_a_group_are_listed_with_links_and_full_sentences(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "docs/builder")
    text = builder("pages").command_line()
    assert "\n* [`store`](#manypath-store): List, show, prune and export the contents of a folder of results.\n" in text
    assert "\n* [`export`](#manypath-store-export): Write all runs of a campaign" in text
    assert not [line for line in text.splitlines() if line.startswith("* ") and line.endswith("...")]


def test_pages_have_the_counters_of_the_engine():
    writer = builder("counters")
    for path in writer.PAGES:
        page = path.read_text(encoding="utf-8")
        assert writer.TABLE.search(page), path
        assert writer.written(page) == page, "run `make docs`"


def test_the_classes_of_counters_have_those_of_the_engine():
    writer = builder("counters")
    assert writer.MODULE.read_text(encoding="utf-8") == writer.module(), "run `make docs`"
