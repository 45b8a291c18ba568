"""The version of the testbed changes with all code that affects a measured run."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from lists import cases
from manypath import testbed
from manypath.testbed import runner, sources
from manypath.testbed.contestants import guard, stream
from manypath.testbed.contestants.compiled import Program

PACKAGE = Path(str(importlib.import_module("manypath").__file__)).parent

DECIDES_NOTHING = {
    "manypath": "names of other modules",
    "manypath.arguments": "checks arguments of callers",
    "manypath.campaign.cell": "the contents of a result's key",
    "manypath.campaign.runners": "names of other modules",
    "manypath.describe": "shows a scenario in a notebook",
    "manypath.display": "shows a scenario in a notebook",
    "manypath.errors": "texts of messages",
    "manypath.figures": "draws networks",
    "manypath.figures.picture": "draws networks",
    "manypath.figures.topology": "draws networks",
    "manypath.foreign_units": "texts of messages",
    "manypath.refusal": "texts of messages",
    "manypath.testbed": "names of other modules",
    "manypath.testbed.sources": "the version itself",
}
"""Modules that the runner imports but that are not in its version, with the reason."""


def parsed(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text("utf-8"))


def imported(module: ModuleType) -> Iterator[ModuleType]:
    """Return the modules of this package that define the names which a module imports."""
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            yield from (importlib.import_module(alias.name) for alias in node.names if "manypath" in alias.name)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("manypath"):
            package = importlib.import_module(str(node.module))
            yield package
            for alias in node.names:
                found = getattr(package, alias.name, None) or importlib.import_module(f"{node.module}.{alias.name}")
                defining = found.__name__ if isinstance(found, ModuleType) else getattr(found, "__module__", None)
                if defining and defining.startswith("manypath"):
                    yield importlib.import_module(defining)


def reached() -> set[ModuleType]:
    """Return the modules that the runner and the scripts of its contestants import, directly or indirectly."""
    waiting, found = [runner, guard, stream], set[ModuleType]()
    while waiting:
        module = waiting.pop()
        is_ours = str(module.__file__).endswith(".py")
        if module in found or not is_ours or module.__name__ in DECIDES_NOTHING:
            continue
        found.add(module)
        waiting.extend(imported(module))
    return found


def test_every_imported_file_of_the_runner_is_in_the_version():
    files = {Path(str(module.__file__)) for module in reached()}
    assert PACKAGE / "testbed" / "emulation.py" in files
    assert PACKAGE / "emulation" / "model.py" in files
    assert files - set(sources.sources()) == set(sources.of("usrsctp"))


def test_files_of_the_version_exist_and_are_listed_once():
    files = list(sources.sources())
    assert len(set(files)) == len(files)
    assert all(file.is_file() for file in files)


# That each file is in the version is a test of its own; the gate changes one of each package.
@pytest.mark.parametrize(
    "name",
    cases(
        ["testbed/emulation.py", "emulation/program.py", "testbed/contestants/guard.py", "testbed/runner.py"],
        long=lambda name: name not in ("emulation/program.py", "testbed/runner.py"),
    ),
)
def test_changed_code_of_a_file_changes_the_version(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runner, "program", lambda _: "/bin/true")
    monkeypatch.setattr(sources, "version", sources.version.__wrapped__)
    before = testbed.Testbed().version
    files = list(sources.sources())
    changed = tmp_path / Path(name).name
    place = files.index(PACKAGE / name)
    text = files[place].read_text("utf-8")
    monkeypatch.setattr(sources, "sources", lambda: [*files[:place], changed, *files[place + 1 :]])
    changed.write_text(text + "\n# a remark\n", encoding="utf-8")
    assert testbed.Testbed().version == before
    changed.write_text(text + "\nMORE = 1\n", encoding="utf-8")
    assert testbed.Testbed().version != before


def test_code_of_a_stack_that_is_no_default_is_in_the_versions_with_this_stack_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "program", lambda _: "/bin/true")
    monkeypatch.setattr(sources, "version", sources.version.__wrapped__)
    monkeypatch.setattr(Program, "key", lambda _: "abcd1234")
    default, other = testbed.Testbed().version, testbed.Testbed(stacks={"": "usrsctp"}).version
    first, *rest = sources.of("usrsctp")
    changed = tmp_path / first.name
    changed.write_text(first.read_text("utf-8") + "\nMORE = 1\n", encoding="utf-8")
    monkeypatch.setattr(sources, "of", lambda _: [changed, *rest])
    assert testbed.Testbed().version == default
    assert testbed.Testbed(stacks={"": "usrsctp"}).version != other


@pytest.mark.parametrize(
    ("text", "is_the_same"),
    [
        ('"""One."""\ndef f():\n    """Two."""\nX = 1\n"""Three."""\n', True),
        ("def f():\n  pass  # four\n\n\nX = 1", True),
        ("def f():\n    return 1\n\nX = 1", False),
        ("def f():\n    pass\n\nX = 2", False),
        ("def f():\n    pass\n\nX = 'One.'", False),
    ],
)
def test_comments_docstrings_and_layout_do_not_change_the_version(text: str, is_the_same: bool, tmp_path: Path):
    file = tmp_path / "some.py"
    file.write_text("def f():\n    pass\n\nX = 1\n")
    before = sources.code_hash([file])
    file.write_text(text)
    assert (sources.code_hash([file]) == before) == is_the_same


@pytest.mark.parametrize("name", ["manypath-emu", "manypath-net", "manypath-kernel"])
def test_another_program_changes_the_version(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for each in ("manypath-emu", "manypath-net", "manypath-kernel"):
        (tmp_path / each).write_text("one")
        (tmp_path / each).chmod(0o755)
    monkeypatch.setattr("manypath.programs.installed", lambda program: str(tmp_path / program))
    for user in ("kernel", "manypath"):
        monkeypatch.setattr(f"manypath.testbed.contestants.{user}.installed", lambda program: str(tmp_path / program))
    before = testbed.Testbed().version
    (tmp_path / name).write_text("two")
    assert testbed.Testbed().version != before
