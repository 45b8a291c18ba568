"""The site embeds drawings in pages, gives tables scopes, and inserts tables of reference."""

from __future__ import annotations

import importlib
import importlib.util
import re
from types import ModuleType, SimpleNamespace

import pytest
from blocks import ROOT, pages

import manypath as mp
from manypath.measurements import COUNTERS
from manypath.papers import NAMES, published


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


def test_tags_of_cited_works_link_to_their_entries(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "docs/builder")
    citations = builder("citations")
    assert citations.works()["D11"].startswith("T. Dreibholz, M. Becke, H. Adhari, E. P. Rathgeb: On the Impact")
    page = '<p>Rates of [D11] &amp; [note], <code>[D11]</code>, <a href="x">[D11]</a></p>'
    written = citations.linked(page, "../project/references.html", {"D11": 'A "title"'})
    link = '<a href="../project/references.html#D11" title="A &quot;title&quot;">[D11]</a>'
    assert written == f'<p>Rates of {link} &amp; [note], <code>[D11]</code>, <a href="x">[D11]</a></p>'


def test_commands_of_a_group_are_listed_with_links_and_full_sentences(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT / "docs/builder")
    text = builder("pages").command_line()
    assert "\n* [`store`](#manypath-store): List, show, prune and export the contents of a folder of results.\n" in text
    assert "\n* [`export`](#manypath-store-export): Write the runs of a campaign" in text
    assert not [line for line in text.splitlines() if line.startswith("* ") and line.endswith("...")]


@pytest.fixture
def inserts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "docs/builder")
    return builder("inserts")


PAGE = SimpleNamespace(file=SimpleNamespace(src_uri="reference/page.md"))


@pytest.mark.parametrize(
    ("table", "kind", "form"),
    [("counters of flows", "flows", "`{}`"), ("limits of paths", "limits", "`blocked_{}`")],
)
def test_a_table_of_counters_has_those_of_the_engine(inserts: ModuleType, table: str, kind: str, form: str):
    text = inserts.on_page_markdown(f"before\n\n<!-- insert: {table} -->\n\nafter\n", PAGE)
    rows = dict(re.findall(r"^\| (`\w+`) \| (.+) \|$", text, re.MULTILINE))
    assert rows == {form.format(name): meaning.rstrip(".") for name, meaning in COUNTERS[kind].items()}
    assert text.startswith("before\n\n| column | meaning |\n| --- | --- |\n")
    assert text.endswith("|\n\n\nafter\n")


def test_the_table_of_papers_has_the_published_verdicts(inserts: ModuleType):
    lines = inserts.papers().splitlines()[2:]
    assert len(lines) == len(NAMES)
    for name, line in zip(NAMES, lines, strict=True):
        found = published.load(name)
        assert found is not None
        counts = [int(number) for number in re.findall(r"(\d+) (?:holds|contradicted|undecided|open)", line)]
        assert sum(counts) == len(found.claims), line
        assert f"{found.runs:,}" in line


def test_an_unknown_table_is_refused(inserts: ModuleType):
    with pytest.raises(ValueError, match=r"reference/page\.md: there is no table nothing: counters of flows, "):
        inserts.on_page_markdown("<!-- insert: nothing -->", PAGE)


def test_every_table_is_on_a_page(inserts: ModuleType):
    named = {name for page in pages() for name in inserts.INSERT.findall(page.read_text(encoding="utf-8"))}
    assert named == set(inserts.TABLES)


def test_the_table_of_socket_options_has_every_row_of_the_daemon(inserts: ModuleType):
    rows = inserts.socket_options().splitlines()
    source = (ROOT / "crates/serve/src/options/mod.rs").read_text(encoding="utf-8")
    names = re.findall(r"^    (?:sctp|socket|ip|ipv6)!\((\w+)", source, re.MULTILINE)
    assert re.findall(r"^\| `(\w+)`", "\n".join(rows), re.MULTILINE) == names
    for row in (
        "| `SCTP_RTOINFO` | read, set |  |",
        "| `SCTP_INITMSG` | read, set | new values apply to later associations |",
        "| `SCTP_MAXSEG` | read, set | only 0: the path MTU decides |",
        "| `SCTP_STATUS` | read |  |",
        "| `SO_RCVBUFFORCE` | set | new values apply to later associations |",
        "| `SCTP_MAX_BURST` | refused | the congestion control decides the size of bursts |",
    ):
        assert row in rows


def test_an_option_of_another_form_is_refused(inserts: ModuleType):
    reader = importlib.import_module("socket_options")
    with pytest.raises(ValueError, match="has an unknown form: sctp!"):
        reader.read("sctp!(SCTP_NEW, Some(v::get), None).later(3),")


def test_the_classes_of_counters_have_those_of_the_engine():
    writer = builder("counters")
    assert writer.MODULE.read_text(encoding="utf-8") == writer.module(), "run `make docs`"
