"""The state of a page: a scenario, its seed, and its comparisons. A link contains the whole state."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, replace
from typing import Any, Self

from manypath.arguments import seed_of
from manypath.errors import UserError, quoted
from manypath.run import check
from manypath.scenario import Scenario
from manypath.scenario.names import known_algorithm


@dataclass(frozen=True)
class State:
    """The state of a page.

    Attributes
    ----------
    scenario : Scenario
        The scenario.
    seed : int
        Seed of its run.
    compare : tuple of str
        Congestion controls of the first multipath flow that are compared, on the same random losses.
    is_overlaid : bool
        Whether the comparison has one plot for each path instead of one for each congestion control.
    sweep : tuple of str
        Control of a sweep, its values and the number of runs of each, as texts; empty without a sweep.
    """

    scenario: Scenario
    seed: int = 1
    compare: tuple[str, ...] = ()
    is_overlaid: bool = False
    sweep: tuple[str, ...] = ()

    @property
    def multipath(self) -> str | None:
        """Name of the first flow over several paths; None without one."""
        return next((name for name, flow in self.scenario.flows.items() if len(flow.paths) > 1), None)

    @property
    def rival(self) -> str | None:
        """Name of the first flow over one path that is also a path of the multipath flow; None without one."""
        if self.multipath is None:
            return None
        paths = self.scenario.flows[self.multipath].paths
        flows = self.scenario.flows.items()
        return next((name for name, flow in flows if len(flow.paths) == 1 and flow.paths[0] in paths), None)

    def with_cc(self, cc: str) -> Scenario:
        """Return the scenario with another congestion control of the multipath flow."""
        flows = dict(self.scenario.flows)
        if self.multipath is not None:
            flows[self.multipath] = flows[self.multipath].but(cc=cc)
        return self.scenario.but(flows=flows)

    def but(self, **changes: Any) -> Self:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def packed(self) -> str:
        """Return the state as a text for an address."""
        content = {
            "scenario": json.loads(self.scenario.document()),
            "seed": self.seed,
            "compare": self.compare,
            "overlaid": self.is_overlaid,
            "sweep": self.sweep,
        }
        small = zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 9)
        return base64.urlsafe_b64encode(small).decode().rstrip("=")

    def link(self) -> str:
        """Return the state as the end of an address; empty if it is too large for one."""
        text = self.packed()
        return f"?s={text}" if len(text) <= MOST_LETTERS else ""

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """Read the text of an address.

        Raises
        ------
        UserError
            If the text was changed or cut, or its scenario is invalid.
        """
        try:
            small = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            content = json.loads(zlib.decompressobj().decompress(small, MOST_BYTES))
            compare, sweep = tuple(content["compare"]), tuple(content["sweep"])
            is_overlaid = content.get("overlaid", False) is True
            seed = seed_of(content["seed"])
            if not all(isinstance(each, str) for each in (*compare, *sweep)) or not isinstance(
                content["scenario"], dict
            ):
                raise ValueError(content)
            for name in compare:
                known_algorithm(name)
            scenario = Scenario.from_fields(content["scenario"])
            check(scenario)
        except UserError as error:
            # Whole links of other versions have settings that this one does not know.
            said = str(error).splitlines()[0]
            raise UserError(f"link: {said}: copy it again from a page of this version") from None
        except (ValueError, KeyError, TypeError, AttributeError, zlib.error, RecursionError):
            raise UserError(f"link: {quoted(text)} is no state of the explorer: copy the whole link again") from None
        return cls(scenario, seed, tuple(dict.fromkeys(compare))[:MOST_COMPARED], is_overlaid, sweep[:3])


MOST_BYTES = 4_000_000
"""Largest document of a link, bytes."""

MOST_LETTERS = 60_000
"""Longest text of a link: the server refuses addresses of more than 64 KiB."""

MOST_COMPARED = 8
"""Largest number of compared congestion controls: each has a colour."""
