"""Every code block of the documentation works as the page shows.

Python blocks of a page run in their order and print the text of the `output` block below them. In `console` blocks the
commands after `$` run. Commands in `sh` blocks run if the page has an entry in `SHORTER`, which shortens them; the long
list runs them whole and compares the `output` block below them. Other `sh` blocks take minutes or need a screen, so
only the existence of their commands is checked. Rust blocks are quotes of compiled sources. TOML and JSON blocks are
parsed, and loaded if they name a schema. Blocks of `text` are pictures.
Blocks that write or change files of the tree, and those that depend on them, are described in `changes.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from blocks import ROOT, blocks, pages
from checks import (
    check_files,
    check_outputs,
    check_outputs_of_commands,
    check_reading,
    check_running,
    commands,
    is_run,
    kinds_of_files,
    name_of,
    shows_output_of_commands,
)

from lists import cases


# The long list runs all three notebooks, and the gate one of them in its Jupyter form.
@pytest.mark.parametrize(
    "page", cases(filter(is_run, pages()), long=lambda page: page.name == "notebooks.md"), ids=name_of
)
def test_code_on_a_page_runs_and_prints_the_shown_output(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    check_running(page, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("page", list(filter(shows_output_of_commands, pages())), ids=name_of)
def test_whole_commands_print_the_shown_output(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    check_outputs_of_commands(page)


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_blocks_that_do_not_run_are_valid(page: Path):
    check_reading(page)


@pytest.mark.parametrize("page", [page for page in pages() if kinds_of_files(page)], ids=name_of)
def test_files_that_name_a_schema_match_it_and_load(page: Path, tmp_path: Path):
    check_files(page, tmp_path)


def test_the_page_about_editors_shows_a_file_of_each_form():
    shown = kinds_of_files(ROOT / "docs/how-to/editor.md")
    assert {block.language for block, _ in shown} == {"json", "toml"}


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_output_follows_a_block_that_prints(page: Path):
    check_outputs(page)


def test_every_notebook_is_run_on_its_page():
    page = ROOT / "docs/tutorials/notebooks.md"
    console = [block for block in blocks(page) if block.language == "console"]
    notebooks = sorted(path.name for path in ROOT.glob("examples/*.py"))
    assert sorted(command for block in console for command, _ in commands(block)) == [
        f"python examples/{name}" for name in notebooks
    ]
