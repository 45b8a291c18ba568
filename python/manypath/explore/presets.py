"""Scenarios to begin with: everyday networks, and every experiment of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from manypath.errors import UserError, remedy
from manypath.explore.state import State
from manypath.scenario import (
    Bernoulli,
    DropTail,
    Event,
    FqCoDel,
    GilbertElliott,
    Link,
    Network,
    Red,
    Scenario,
    Sctp,
    bottleneck,
    disjoint,
)

if TYPE_CHECKING:
    from manypath.papers.paper import Paper

OWN = "Everyday networks"
"""Heading of the presets that are not from papers."""


def default() -> State:
    """Return the first state: CMT-SCTP with linked increases on two paths, with one rival on the first."""
    link = Link(rate="10 Mbit/s", delay="20 ms", queue=Red(min=10, max=50, packets=100))
    return State(_against_one(disjoint(south=link, north=link)))


def headings() -> list[str]:
    """Return the headings of the presets: everyday networks, then the papers."""
    return [OWN, *(f"[{paper.tag}] {paper.title}" for paper in _papers().values())]


def names(heading: str) -> list[str]:
    """Return the names of the presets under a heading; a paper has one for each point of its quick grids."""
    return list(_under(heading))


def preset(heading: str, name: str) -> State:
    """Return the state of a preset.

    Raises
    ------
    UserError
        If there is no such preset.
    """
    known = _under(heading)
    if name not in known:
        raise UserError(f'preset: "{name}" is unknown: {remedy(name, known)}')
    return State(known[name]())


@cache
def _papers() -> dict[str, Paper]:
    from manypath.papers import NAMES, registry

    papers = registry()
    return {name: papers[name] for name in NAMES}


@cache
def _under(heading: str) -> Mapping[str, Callable[[], Scenario]]:
    if heading == OWN:
        return EVERYDAY
    for paper in _papers().values():
        if heading == f"[{paper.tag}] {paper.title}":
            return _of_paper(paper)
    raise UserError(f'preset: "{heading}" is no heading: {remedy(heading, headings())}')


def _of_paper(paper: Paper) -> dict[str, Callable[[], Scenario]]:
    """Return the points of a paper's quick grids; an experiment without a grid takes no factors."""
    found: dict[str, Callable[[], Scenario]] = {}
    quick = paper.quick
    for case in paper.experiments.cases(quick):
        experiment = paper.experiments[case.experiment]
        figure = f"figure {experiment.figure}, " if experiment.figure is not None else ""
        levels = ", ".join(f"{name} = {level}" for name, level in case.factors)
        name = f"{figure}{case.experiment}" + (f": {levels}" if levels else "")
        found[name] = lambda case=case: paper.experiments.scenario(case, quick)
    return found


def _against_one(network: Network, cc: str = "lia", path: str | None = None) -> Scenario:
    """Return a multipath flow on all paths, and a rival on one."""
    app = {"kind": "saturated", "message": "1452 B"}
    first = path or next(iter(network.paths))
    flows = {
        "multipath": Sctp(paths=tuple(network.paths), cc=cc, app=app, send_buffer="2 MB", receive_buffer="2 MB"),
        "rival": Sctp.standard(first, app=app, send_buffer="2 MB", receive_buffer="2 MB"),
    }
    return Scenario(network=network, flows=flows, warmup="5 s", measure="35 s")


def _dsl_and_lte() -> Scenario:
    dsl = (Link(rate="16 Mbit/s", delay="15 ms", queue=DropTail(packets=60)), Link(rate="2 Mbit/s", delay="15 ms"))
    lte = Link(rate="30 Mbit/s", delay="35 ms", queue=FqCoDel(), loss=Bernoulli(p="0.1 %"))
    return _against_one(disjoint(dsl=dsl, lte=(lte, lte.but(rate="10 Mbit/s"))))


def _two_satellites() -> Scenario:
    far = Link(rate="20 Mbit/s", delay="270 ms", queue=DropTail(packets=800))
    near = Link(rate="20 Mbit/s", delay="25 ms", queue=DropTail(packets=100), loss=Bernoulli(p="0.05 %"))
    return _against_one(disjoint(low=near, geostationary=far)).but(measure="55 s")


def _wifi_that_fades() -> Scenario:
    fades = tuple(
        Event(at=f"{at} s", rate=rate)
        for at, rate in ((10, "8 Mbit/s"), (14, "2 Mbit/s"), (22, "10 Mbit/s"), (26, "30 Mbit/s"))
    )
    bursts = GilbertElliott(to_bad=0.0005, to_good=0.25)
    wifi = Link(rate="30 Mbit/s", delay="5 ms", queue=DropTail(packets=100), loss=bursts, events=fades)
    mobile = Link(rate="15 Mbit/s", delay="30 ms", queue=DropTail(packets=100))
    return _against_one(disjoint(wifi=wifi, mobile=mobile), path="mobile")


def _one_bottleneck() -> Scenario:
    link = Link(rate="10 Mbit/s", delay="10 ms", queue=DropTail(packets=50))
    return _against_one(bottleneck(link, delays=["5 ms", "20 ms"]))


def _path_that_fails() -> Scenario:
    link = Link(rate="10 Mbit/s", delay="20 ms", queue=DropTail(packets=50))
    failing = link.but(events=(Event(at="12 s", change="down"), Event(at="24 s", change="up")))
    return _against_one(disjoint(south=link, north=failing))


EVERYDAY: dict[str, Callable[[], Scenario]] = {
    "Two equal paths": lambda: default().scenario,
    "DSL with LTE": _dsl_and_lte,
    "Two satellites": _two_satellites,
    "WiFi that fades": _wifi_that_fades,
    "One shared bottleneck": _one_bottleneck,
    "A path that fails": _path_that_fails,
}
"""Presets that are not from papers."""
