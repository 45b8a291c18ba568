"""Scenarios to begin with: everyday networks, and every experiment of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from manypath.errors import UserError, quoted, remedy
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
    from manypath.papers.evidence import Case
    from manypath.papers.experiment import Experiment
    from manypath.papers.paper import Paper


class Preset(NamedTuple):
    """A scenario to begin with."""

    about: str
    """The scenario in a sentence or two."""
    scenario: Callable[[], Scenario]
    """Makes the scenario."""


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
    """Return the names of the presets under a heading; a paper has one for each point of its grids."""
    return list(_under(heading))


def preset(heading: str, name: str) -> State:
    """Return the state of a preset.

    Raises
    ------
    UserError
        If there is no such preset.
    """
    return State(_found(heading, name).scenario())


def about(heading: str, name: str) -> str:
    """Return what a preset is, in a sentence or two.

    Raises
    ------
    UserError
        If there is no such preset.
    """
    return _found(heading, name).about


def _found(heading: str, name: str) -> Preset:
    known = _under(heading)
    if name not in known:
        raise UserError(f"preset: {quoted(name)} is unknown: {remedy(name, known)}")
    return known[name]


@cache
def _papers() -> dict[str, Paper]:
    from manypath.papers import NAMES, registry

    papers = registry()
    return {name: papers[name] for name in NAMES}


@cache
def _under(heading: str) -> Mapping[str, Preset]:
    if heading == OWN:
        return EVERYDAY
    for paper in _papers().values():
        if heading == f"[{paper.tag}] {paper.title}":
            return _of_paper(paper)
    raise UserError(f"preset: {quoted(heading)} is no heading: {remedy(heading, headings())}")


def _of_paper(paper: Paper) -> dict[str, Preset]:
    """Return the points of a paper's full grids, with the shorter runs of its quick ones."""
    found: dict[str, Preset] = {}
    for case in paper.experiments.cases(paper.full):
        experiment = paper.experiments[case.experiment]
        scenario = partial(paper.experiments.scenario, case, paper.quick)
        found[_named(experiment, case, paper.units)] = Preset(_about(experiment), scenario)
    return found


def _named(experiment: Experiment, case: Case, units: Mapping[str, str]) -> str:
    """Return the name of a point, such as ``figure 3: cc = lia, north = 0.25 Mbit/s``."""
    own, figure = experiment.name, f"figure{experiment.figure}"
    if own.startswith(figure):
        name = f"figure {own.removeprefix('figure').replace('-', ' ')}"
    else:
        name = own if experiment.figure is None else f"figure {experiment.figure}, {own}"
    levels = ", ".join(f"{factor} = {_level(level, units.get(factor, ''))}" for factor, level in case.factors)
    return f"{name}: {levels}" if levels else name


def _level(level: object, unit: str) -> str:
    """Return the level of a factor with its unit."""
    text = f"{level:g}" if isinstance(level, float) else str(level)
    return f"{text} {unit}".rstrip()


def _about(experiment: Experiment) -> str:
    """Return the first paragraph of the documentation of an experiment."""
    function = getattr(experiment.scenario, "func", experiment.scenario)
    return " ".join((function.__doc__ or "").split("\n\n")[0].split()).replace("`", "")


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


EVERYDAY: dict[str, Preset] = {
    "Two equal paths": Preset("Two paths of 10 Mbit/s with RED. A rival uses the first.", lambda: default().scenario),
    "DSL with LTE": Preset("Asymmetric DSL, and LTE with twice the delay and rare losses.", _dsl_and_lte),
    "Two satellites": Preset("A low orbit, and a geostationary one with ten times its delay.", _two_satellites),
    "WiFi that fades": Preset(
        "WiFi whose rate falls and rises, with bursts of losses, and a mobile link.", _wifi_that_fades
    ),
    "One shared bottleneck": Preset("Both paths cross one link of 10 Mbit/s with drop-tail.", _one_bottleneck),
    "A path that fails": Preset("The second path is down from 12 s to 24 s.", _path_that_fails),
}
"""Presets that are not from papers."""
