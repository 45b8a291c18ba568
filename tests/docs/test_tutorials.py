"""A reader who does literally what a page says succeeds: its changes fit the tree, its commands print what it shows.

The gate compares the changes with the tree. The long list makes them in a copy of the tree, builds it, and runs the
commands of the page. See `changes.py` for the form of the blocks.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from blocks import ROOT, Block, blocks, pages
from changes import Walk, changed, changed_files, is_file, is_project, with_files
from checks import assert_output, commands, name_of
from trees import TARGET, copy_sources, make_environment, shared_builds

WALKS = with_files(pages())
"""The pages that are carried out."""


def test_the_pages_about_own_parts_of_the_tree_are_carried_out():
    assert {page.stem for page in WALKS} >= {"own-congestion-control", "own-queue", "own-scheduler", "rust"}


@pytest.mark.parametrize("page", WALKS, ids=name_of)
def test_the_changes_of_a_page_fit_the_tree(page: Path):
    text = page.read_text(encoding="utf-8")
    for file, contents in changed_files(page).items():
        # Not every reader sees the titles of blocks.
        assert f"`{file}`" in text, f"{page.name} does not name {file}"
        if file.endswith(".py"):
            ast.parse(contents)


@pytest.mark.long
@pytest.mark.parametrize("page", WALKS, ids=name_of)
def test_a_reader_who_does_what_a_page_says_sees_what_it_shows(page: Path, tmp_path: Path):
    page_blocks = list(blocks(page))
    walk = in_a_project(page, tmp_path) if any(map(is_project, page_blocks)) else in_a_copy(page)
    for block, following in zip(page_blocks, [*page_blocks[1:], None], strict=True):
        carry_out(walk, block, following)
    assert (
        "diff" not in {block.language for block in page_blocks} or walk.run("cargo fmt --all --check", page.name) == ""
    )


def in_a_copy(page: Path) -> Walk:
    """Return a walk in a copy of the tree."""
    tree = TARGET / "tutorials" / "tree"
    copy_sources(tree)
    return Walk(page, tree, make_environment(tree))


def in_a_project(page: Path, folder: Path) -> Walk:
    """Return a walk in a project beside the tree, with the versions of crates that the tree has."""
    (folder / "manypath").symlink_to(ROOT)
    project = folder / "project"
    project.mkdir()
    shutil.copy(ROOT / "Cargo.lock", project)
    return Walk(page, project, {**os.environ, **shared_builds()})


def carry_out(walk: Walk, block: Block, following: Block | None) -> None:
    """Do what a block says, and compare what it prints with the page."""
    place = f"{walk.page.name}:{block.line}"
    if is_file(block):
        walk.write(block)
    elif block.language == "sh":
        walk.run(block.text, place)
    elif block.language == "console":
        for command, expected in commands(block):
            assert_output(walk.page, block, expected, walk.run(command, place))
    elif block.language == "python":
        printed = walk.run_python(block, place)
        if following and following.title == "output":
            assert_output(walk.page, following, following.text, printed)


def test_the_page_about_rust_lists_the_crates_for_others_with_their_features():
    text = (ROOT / "docs/how-to/rust.md").read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["rust-version"]
    assert f"Rust {version} or newer" in text
    rows = dict(re.findall(r"^\| \[`manypath-(\w+)`\]\([^)]+\) \| [^|]+ \| ([^|]+) \|", text, re.MULTILINE))
    assert set(rows) == {path.parent.name for path in ROOT.glob("crates/*/README.md")}
    for name, features in rows.items():
        manifest = tomllib.loads((ROOT / f"crates/{name}/Cargo.toml").read_text(encoding="utf-8"))
        assert manifest["package"]["readme"] == "README.md"
        # `soak` is for tests of the crate itself.
        assert set(re.findall(r"`(\w+)`", features)) == set(manifest.get("features", {})) - {"soak"}
        assert '#[doc = include_str!("../README.md")]' in (ROOT / f"crates/{name}/src/lib.rs").read_text(
            encoding="utf-8"
        )


BEFORE = "mod lia;\nmod olia;\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (" mod lia;\n+mod mine;\n", "mod lia;\nmod mine;\nmod olia;\n"),
        ("-mod lia;\n+mod mine;\n mod olia;\n", "mod mine;\nmod olia;\n"),
        ("@@\n mod lia;\n+mod mine;\n@@\n-mod olia;\n", "mod lia;\nmod mine;\n"),
    ],
)
def test_a_diff_changes_the_lines_that_it_shows(text: str, after: str):
    assert changed(Block("diff", "a.rs", text, 1), BEFORE) == after


@pytest.mark.parametrize(
    ("language", "text", "before", "message"),
    [
        ("diff", " mod balia;\n+mod mine;\n", BEFORE, "line 7: a.rs has these lines 0 times, not once:\nmod balia;"),
        ("diff", "+mod mine;\n", BEFORE, "a.rs has these lines 20 times"),
        ("diff", " mod lia;\n", BEFORE, "no line begins with"),
        ("diff", "+mod mine;\n", None, "a.rs does not exist"),
        ("rust", "mod mine;\n", BEFORE, "a.rs exists"),
    ],
)
def test_a_change_that_does_not_fit_the_file_is_refused(language: str, text: str, before: str | None, message: str):
    with pytest.raises(AssertionError, match=message):
        changed(Block(language, "a.rs", text, 7), before)
