"""The layers of the Python package: a module imports only from its own room and from lower ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import manypath

PACKAGE = Path(manypath.__file__).parent

LAYERS = (
    {"_native"},
    {"errors", "foreign_units", "locks"},
    {"documentation", "drawing", "measurements", "quantity", "rows"},
    {"outputs"},
    {"refusal"},
    {"arguments", "display", "frames", "meanings", "programs", "replacement", "settings"},
    {"sctp", "stats"},
    {"scenario"},
    {"describe", "emulation", "given_losses", "run", "theory"},
    {"campaign"},
    {"anchors", "expect", "figures"},
    {"papers", "schema"},
    {"bench", "studies"},
    {"explore", "testbed"},
    {"report"},
    {"cli"},
    {"__main__", "examples"},
)
"""The rooms (folders and modules of the package), lowest layer first."""

EXCEPTIONS = {
    ("scenario", "figures"): "`Network.draw` is a convenience that loads the drawing at its first call",
    ("scenario", "describe"): "a scenario shows its tables in a notebook",
}
"""Allowed arrows to a higher layer, with the reason."""

LEVELS = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def room(module: list[str]) -> str:
    """Return the room of a module, given by its parts below `manypath`."""
    return module[0] if module else "manypath"


def arrows(text: str) -> Iterator[str]:
    """Iterate over the rooms that a module imports, type checking included. The package itself is no room."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "manypath" else [module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            package, *parts = name.split(".")
            if package == "manypath" and parts:
                yield room(parts)


def modules() -> Iterator[tuple[str, Path]]:
    """Iterate over the modules of the package, except its front page, with their rooms."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        if parts != ("__init__",):
            yield room([*parts]), file


def test_every_room_has_a_layer():
    assert {room for room, _ in modules()} | {"_native"} == set(LEVELS)


def test_no_module_imports_from_a_higher_layer_or_a_room_beside_it():
    wrong: list[str] = []
    used: set[tuple[str, str]] = set()
    for here, file in modules():
        for there in set(arrows(file.read_text(encoding="utf-8"))) - {here}:
            if (here, there) in EXCEPTIONS:
                used.add((here, there))
            elif LEVELS[there] >= LEVELS[here]:
                wrong.append(f"{file.relative_to(PACKAGE)} imports {there}")
    assert not wrong
    assert used == set(EXCEPTIONS)


def test_imports_of_each_form_are_found():
    text = "\n".join(
        (
            "import json",
            "import manypath",
            "import manypath.run",
            "from manypath import _native, stats",
            "if TYPE_CHECKING:",
            "    from manypath.cli.names import figures",
            "def late():",
            "    from manypath.report import build",
        )
    )
    assert sorted(arrows(text)) == ["_native", "cli", "report", "run", "stats"]
