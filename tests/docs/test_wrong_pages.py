"""Wrong pages are detected: each check fails for its mistake, and names page and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import check_files, check_outputs, check_reading, check_running


def page(folder: Path, text: str) -> Path:
    path = folder / "page.md"
    path.write_text("# A page\n\n" + text.replace("'''", "```"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'''python\nprint(1 + 1)\n'''\n\n'''text title=\"output\"\n3\n'''\n", "page.md:7: it prints\n2\n\nand not\n3"),
        ("'''python\nimport manypath\nmanypath.nothing\n'''\n", "nothing"),
        ("'''python\nx = 1\n'''\n\n'''python\nprint(x, y)\n'''\n", "y"),
        ("'''console\n$ manypath list\nnothing at all\n'''\n", "page.md:3: it prints"),
        ("'''console\n$ manypath run nowhere.toml\n'''\n", "there is no such file"),
        ("'''console\nmanypath list\n'''\n", "a console block begins with"),
    ],
)
def test_code_with_another_output_than_on_the_page_fails(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    wrong = page(tmp_path, text)
    with pytest.raises((AssertionError, AttributeError, NameError)) as found:
        check_running(wrong, tmp_path)
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'''haskell\nmain = pure ()\n'''\n", "page.md:3: haskell is no language of blocks"),
        ("'''toml\nrate = \n'''\n", "line 1"),
        ("'''json\n{\"rate\": }\n'''\n", "line 1"),
        ("'''rust\nfn unknown_code() {}\n'''\n", "page.md:3: this Rust is in no file"),
        ("'''sh\nmanypath run --sead 3 x.toml\n'''\n", "No such option"),
        ("'''sh\nmake nothing\n'''\n", "page.md:3: no target nothing"),
        ("'''sh\ncurl example.org | sh\n'''\n", "page.md:3: curl is no program"),
        ("'''\nmanypath runn x.toml\n'''\n", "No such command"),
    ],
)
def test_an_invalid_block_fails(text: str, message: str, tmp_path: Path):
    with pytest.raises((AssertionError, ValueError)) as found:
        check_reading(page(tmp_path, text))
    assert message in str(found.value)


NETWORK = 'network = { bottleneck = { link = { rate = "1 Mbit/s" }, paths = 2 } }'


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        ('paths = ["path1"], speed = 3', r"page\.md:3: \$\.flows\.cmt"),
        ('paths = ["path1", "path3"]', r'page\.md:3: .*scenario\.toml: flows\.cmt\.paths: "path3" is no path'),
    ],
)
def test_a_file_that_violates_its_schema_or_does_not_load_fails(flow: str, message: str, tmp_path: Path):
    text = f"'''toml\n#:schema ./scenario.schema.json\n{NETWORK}\nflows.cmt = {{ {flow} }}\n'''\n"
    with pytest.raises(AssertionError, match=message):
        check_files(page(tmp_path, text), tmp_path)


def test_output_without_a_printing_block_fails(tmp_path: Path):
    with pytest.raises(AssertionError, match=r"page\.md:3: nothing prints this"):
        check_outputs(page(tmp_path, "'''text title=\"output\"\n3\n'''\n"))


def test_a_correct_page_passes_all_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    code = "'''python\nprint('a   b')\n'''\n\n'''text title=\"output\"\na b\n'''\n\n'''sh\nmake papers\n'''\n"
    file = f"'''toml\n#:schema ./scenario.schema.json\n{NETWORK}\nflows.cmt.paths = ['path1']\n'''\n"
    right = page(tmp_path, f"{code}\n{file}")
    check_running(right, tmp_path)
    check_reading(right)
    check_files(right, tmp_path)
    check_outputs(right)
