"""manypath: a laboratory for multipath transport. ``import manypath as mp``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from manypath.errors import NetworkError, OutputError, Stopped, StoreWarning, UserError, remedy
from manypath.run import Result, run

if TYPE_CHECKING:
    from manypath import figures, papers, sctp, stats, theory
    from manypath.campaign import Campaign, Command, Function, Precision, Results, check_phase, check_warmup
    from manypath.campaign.executors.dask import dask
    from manypath.campaign.sampling import series
    from manypath.given_losses import ideal
    from manypath.scenario import (
        Bernoulli,
        BitError,
        Cbr,
        CoDel,
        DropTail,
        Event,
        FqCoDel,
        GilbertElliott,
        Link,
        Mptcp,
        Network,
        NoLoss,
        OnOff,
        Path,
        Pie,
        Red,
        Rto,
        Saturated,
        Scenario,
        Sctp,
        Sizes,
        Start,
        Tcp,
        TcpRto,
        Transfer,
        bottleneck,
        disjoint,
        dumbbell,
        topology,
    )

__all__ = [
    "Bernoulli",
    "BitError",
    "Campaign",
    "Cbr",
    "CoDel",
    "Command",
    "DropTail",
    "Event",
    "FqCoDel",
    "Function",
    "GilbertElliott",
    "Link",
    "Mptcp",
    "Network",
    "NetworkError",
    "NoLoss",
    "OnOff",
    "OutputError",
    "Path",
    "Pie",
    "Precision",
    "Red",
    "Result",
    "Results",
    "Rto",
    "Saturated",
    "Scenario",
    "Sctp",
    "Sizes",
    "Start",
    "Stopped",
    "StoreWarning",
    "Tcp",
    "TcpRto",
    "Transfer",
    "UserError",
    "bottleneck",
    "check_phase",
    "check_warmup",
    "dask",
    "disjoint",
    "dumbbell",
    "figures",
    "ideal",
    "papers",
    "run",
    "sctp",
    "series",
    "stats",
    "theory",
    "topology",
]

# Modules that need pydantic, pandas, scipy or matplotlib are loaded at first use, because shell completion imports this
# package. Names outside this table are in `manypath.scenario`.
_PLACES = {
    "Campaign": "manypath.campaign",
    "Command": "manypath.campaign",
    "Function": "manypath.campaign",
    "Precision": "manypath.campaign",
    "Results": "manypath.campaign",
    "check_phase": "manypath.campaign",
    "check_warmup": "manypath.campaign",
    "dask": "manypath.campaign.executors.dask",
    "figures": "manypath.figures",
    "ideal": "manypath.given_losses",
    "papers": "manypath.papers",
    "sctp": "manypath.sctp",
    "series": "manypath.campaign.sampling",
    "stats": "manypath.stats",
    "theory": "manypath.theory",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("manypath")
    if name not in __all__:
        # Python asks for names like __path__ by itself.
        hint = "" if name.startswith("_") else f": {remedy(name, __all__)}"
        # With `name` set, a traceback adds no second hint.
        raise AttributeError(f"module 'manypath' has no attribute {name!r}{hint}", name=name)
    place = _PLACES.get(name, "manypath.scenario")
    module = importlib.import_module(place)
    return module if place == f"manypath.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    """Return the names of the API, for completion: modules that are loaded already have further attributes."""
    return sorted(__all__)
