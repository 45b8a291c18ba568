"""The emulation: a network and the pairs of hosts that it connects, as one JSON document for the emulator."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from manypath.errors import quoted, remedy
from manypath.scenario import Scenario
from manypath.scenario.document import Document
from manypath.scenario.files import mistakes_of, read_table
from manypath.scenario.model import Model, Size, Span
from manypath.scenario.names import Name
from manypath.scenario.networks import Network


class Pair(Model):
    """Two hosts (network namespaces) and the paths between them."""

    paths: tuple[str, ...] = Field(min_length=1)
    """Paths of the network, each an interface of both hosts."""
    left: Name | None = None
    """Namespace of the left host. An existing namespace is kept; otherwise it is made, and removed at the end."""
    right: Name | None = None
    """Namespace of the right host, as for `left`."""
    sysctl: dict[Name, str] = Field(default_factory=dict)
    """Kernel settings in both namespaces: ``{"net.ipv4.tcp_congestion_control": "reno"}``."""

    @field_validator("sysctl", mode="before")
    @classmethod
    def _as_texts(cls, settings: Any) -> Any:
        """Convert numbers to texts for the kernel, which has no truths."""
        if isinstance(settings, dict):
            return {name: str(value) if type(value) is int else value for name, value in settings.items()}
        return settings


PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A name that can begin the names of namespaces."""


def _prefix(name: str) -> str:
    if PREFIX.fullmatch(name) is None:
        raise ValueError(
            f"{quoted(name)} cannot begin names of namespaces: give 1 to 64 of the letters a to z, digits, "
            "dots, underscores and hyphens, and a letter or digit first"
        )
    return name


class Bounds(Model):
    """The lateness and the share of late packets above which the report marks a run as unreliable."""

    late: Span = "2 ms"
    """Lateness above which a packet counts as late."""
    share: float = Field(default=0.01, ge=0, le=1)
    """Largest share of late packets in a run that is not marked."""


class Emulation(Document):
    """A network that is emulated until the emulator is stopped."""

    network: Network
    """Links and paths, as in a scenario."""
    pairs: dict[Name, Pair] = Field(default_factory=dict)
    """Pairs of hosts by name. If empty, one pair has all paths, with the namespaces NAME-left and NAME-right."""
    name: Annotated[str, AfterValidator(_prefix)] = Field(
        default="manypath", json_schema_extra={"pattern": f"^{PREFIX.pattern}$"}
    )
    """Prefix of the names of namespaces. An emulation from a file has the name of the file by default."""
    mtu: Size = Field(default="1500 B", ge=1280, le=65_535)
    """Largest IP packet of a host."""
    seed: int = Field(default=1, ge=0, lt=1 << 64)
    """Seed of the random numbers of links."""
    bounds: Bounds = Bounds()
    """When the report marks a run as unreliable."""

    @classmethod
    def from_file(cls, path: str | FilePath) -> Self:
        """Read an emulation or a scenario from a TOML or JSON file; each flow of a scenario becomes a pair of hosts.

        The path ``-`` is standard input.

        Raises
        ------
        UserError
            If the file cannot be read or is invalid.
        """
        fields = read_table(path, "emulation", "scenario")
        with mistakes_of(path):
            if "flows" in fields:
                scenario = Scenario.from_fields(fields)
                pairs = {name: Pair(paths=tuple(flow.paths)) for name, flow in scenario.flows.items()}
                fields = {"network": scenario.network, "pairs": pairs}
            return cls.from_fields({"name": _plain(FilePath(path).stem), **fields})

    @model_validator(mode="after")
    def _paths_exist(self) -> Self:
        for name, pair in self.pairs.items():
            for path in pair.paths:
                if path not in self.network.paths:
                    hint = remedy(path, self.network.paths)
                    raise ValueError(f"pairs.{name}.paths: {quoted(path)} is no path of the network: {hint}")
        return self


def _plain(name: str) -> str:
    """Convert the name of a file to a valid name of namespaces."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:64] or "manypath"
