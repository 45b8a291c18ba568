"""Settings of a printed result: seed, replications, engine, and options that are not the default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from manypath import _native
from manypath.outputs import Kind


@dataclass(frozen=True)
class Settings:
    """Settings as a line of text and as JSON."""

    seed: int
    """Seed of the random numbers."""
    replications: int | str
    """Replications of each scenario; a text if scenarios differ."""
    engine: str = field(default_factory=_native.engine_version)
    """Version of the engine or of another runner."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options by name; None, False and empty values mean that the option was not given."""

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
            if value is not None and value is not False and value not in ([], ())
        }

    def line(self) -> str:
        """Return the settings as one line."""
        count = self.replications
        noun = "" if isinstance(count, str) else " replication" if count == 1 else " replications"
        return "; ".join([f"seed {self.seed}, {count}{noun}, engine {self.engine}", *self.told])

    @property
    def told(self) -> list[str]:
        """The options that were given, as texts."""
        return [name if value is True else f"{name} {_text(value)}" for name, value in self.given.items()]

    def document(self) -> dict[str, Any]:
        """Return the settings as fields for JSON."""
        return {
            "seed": self.seed,
            "replications": self.replications,
            "engine": self.engine,
            "settings": self.given,
        }

    def file(self) -> str:
        """Return the settings as the text of a file, which lies beside the CSV files."""
        return MARK + json.dumps(self.document(), ensure_ascii=False)[1:] + "\n"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


MARK = '{"written_by": "manypath", '
"""Beginning of the file."""

FILE = "settings.json"
"""Name of the file."""

KIND = Kind("settings of a sweep", lambda head, _: head.startswith(MARK.encode()))
"""Kind of the file, for checks of outputs."""
