"""What a printed result rests on: seed, replications, engine, and the options that were not the default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manypath import _native
from manypath.outputs import Kind


@dataclass(frozen=True)
class Settings:
    """One short line for people, fields for JSON."""

    seed: int
    """Fixes every random number, with the number of the replication."""
    replications: int | str
    """Repetitions of each scenario; words where they differ."""
    engine: str = field(default_factory=_native.engine_version)
    """Version of what ran: of the engine, or of another runner."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options by name; those that are None, False or empty were not given."""

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
            if value is not None and value is not False and value not in ([], ())
        }

    def line(self) -> str:
        """The line for people."""
        count = self.replications
        noun = "" if isinstance(count, str) else " replication" if count == 1 else " replications"
        return "; ".join([f"seed {self.seed}, {count}{noun}, engine {self.engine}", *self.told])

    @property
    def told(self) -> list[str]:
        """The options that were given, in words."""
        return [name if value is True else f"{name} {_told(value)}" for name, value in self.given.items()]

    def document(self) -> dict[str, Any]:
        """The same as fields."""
        return {
            "seed": self.seed,
            "replications": self.replications,
            "engine": self.engine,
            "settings": self.given,
        }

    def file(self) -> str:
        """The same as the text of a file, beside tables that have no place for it."""
        return MARK + json.dumps(self.document(), ensure_ascii=False)[1:] + "\n"


def _told(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


MARK = '{"written_by": "manypath", '
"""How the file begins."""

FILE = "settings.json"
"""What the file is called."""

KIND = Kind("settings of a sweep", lambda head, _: head.startswith(MARK.encode()))
"""The file, for checks of outputs."""
