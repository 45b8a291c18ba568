"""The scenario: a network, flows, warm-up and measured time, written as one JSON document for the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from manypath import _native
from manypath.errors import UserError, quoted, remedy
from manypath.quantity import SPAN
from manypath.refusal import told
from manypath.scenario.document import Document
from manypath.scenario.files import mistakes_of, read_table
from manypath.scenario.flows import Flow
from manypath.scenario.frozen import FrozenDict
from manypath.scenario.model import Span
from manypath.scenario.names import Name
from manypath.scenario.networks import Network, as_written


class Scenario(Document):
    """A scenario of a simulation. The run ends after `warmup` and `measure`.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", delay="10 ms"))
    >>> scenario = mp.Scenario(network=network, flows={"tcp": mp.Tcp(path="south")}, warmup="1 s", measure="2 s")
    >>> mp.run(scenario).goodput.round(1).to_dict()
    {'tcp': 5.0}
    """

    network: Network
    """Links and paths."""
    flows: Annotated[Mapping[Name, Flow], AfterValidator(FrozenDict)] = Field(min_length=1)
    """Flows by name."""
    warmup: Span = "20 s"
    """Simulated time before the measurement."""
    measure: Span = "300 s"
    """Measured time."""

    @classmethod
    def from_file(cls, path: str | FilePath) -> Self:
        """Read a scenario from a TOML or JSON file; a JSON file may also have the form of `document`.

        The path ``-`` is standard input.

        Raises
        ------
        UserError
            If the file cannot be read or is invalid.

        Examples
        --------
        >>> from importlib.resources import files
        >>> import manypath as mp
        >>> scenario = mp.Scenario.from_file(files("manypath") / "examples/two_paths.toml")
        >>> list(scenario.flows), list(scenario.network.paths)
        (['cmt', 'single'], ['south', 'north'])
        """
        fields = read_table(path, "scenario")
        with mistakes_of(path):
            return cls._checked(fields)

    @classmethod
    def _checked(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of a file, with a check by the engine; mistakes have their places in the file."""
        try:
            scenario = cls.from_fields(fields)
            _native.check(scenario.document())
            return scenario
        except (UserError, _native.ScenarioError) as error:
            raise UserError(_as_given(fields, told(error))) from None

    @field_validator("measure")
    @classmethod
    def _something_to_measure(cls, measure: int) -> int:
        if measure <= 0:
            raise ValueError('0 s is too short: give more, such as "300 s"')
        return measure

    def _repr_html_(self) -> str:
        """Return the drawing of the network and the tables of `manypath show` for a notebook."""
        from manypath import describe, display

        shown = [describe.paths(self.network), describe.links(self.network), describe.flows(self)]
        return self.network._repr_svg_() + display.as_html(shown, [describe.effort(self)])

    def remarks(self) -> list[str]:
        """Return possible mistakes, one line each: paths that no flow uses, and links that no path uses.

        Examples
        --------
        >>> import manypath as mp
        >>> link = mp.Link(rate="5 Mbit/s")
        >>> mp.Scenario(network=mp.disjoint(south=link, north=link), flows={"tcp": mp.Tcp(path="south")}).remarks()
        ['network.paths.north: no flow uses this path']
        """
        used = {path for flow in self.flows.values() for path in flow.paths}
        crossed = {link for path in self.network.paths.values() for link in (*path.forward, *path.reverse)}
        idle = [f"network.paths.{name}: no flow uses this path" for name in self.network.paths if name not in used]
        idle += [f"network.links.{name}: no path uses this link" for name in self.network.links if name not in crossed]
        more = [f"network: more unused paths and links: {len(idle) - FEW}"] if len(idle) > FEW else []
        return idle[:FEW] + more

    @model_validator(mode="after")
    def _nothing_after_the_end(self) -> Self:
        """Refuse events after the end of the run."""
        end = self.warmup + self.measure
        links = {f"links.{name}": link for name, link in self.network.links.items() if link.events}
        if self.network.access is not None:
            links["access"] = self.network.access
        for name, link in links.items():
            for number, event in enumerate(link.events):
                if event.at > end:
                    raise ValueError(
                        f"network.{name}.events.{number}.at: {SPAN.show(event.at)} is after the end of the run at "
                        f"{SPAN.show(end)}: give an earlier time, or a longer measure"
                    )
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, flow in self.flows.items():
            field = "path" if flow.transport == "tcp" else "paths"
            for path in flow.paths:
                if path not in self.network.paths:
                    hint = remedy(path, self.network.paths)
                    raise ValueError(f"flows.{name}.{field}: {quoted(path)} is no path of the network: {hint}")
            if flow.start.latest >= self.warmup + self.measure:
                end = SPAN.show(self.warmup + self.measure)
                raise ValueError(
                    f"flows.{name}.start: {SPAN.show(flow.start.latest)} is after the end of the run at {end}: "
                    "give an earlier start, or a longer measure"
                )
        return self


def _as_given(fields: Mapping[str, Any], message: str) -> str:
    """Return a message with the places of a file: of links in short forms, and of ranges with a single value."""

    def place(match: re.Match[str]) -> str:
        here: Any = fields.get("flows")
        for step in (match["flow"], *match["range"].split(".")):
            here = here.get(step) if isinstance(here, Mapping) else None
        is_short = here is not None and not isinstance(here, Mapping)
        return match[0].removesuffix(f".{match['end']}") if is_short else match[0]

    return OF_A_RANGE.sub(place, as_written(fields.get("network"), message))


OF_A_RANGE = re.compile(
    r"\bflows\.(?P<flow>[^:]+?)\.(?P<range>app\.message|start)\.(?P<end>min|max|earliest|latest)\b", re.MULTILINE
)
"""One end of a range in the place of a mistake, or in a reference to it."""

FEW = 8
"""Largest number of remarks of one kind."""
