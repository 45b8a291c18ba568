"""[D12]: T. Dreibholz, H. Adhari, M. Becke, E. P. Rathgeb, 2012, as checks."""

from __future__ import annotations

from manypath.papers.dreibholz import PLAIN, RPV2
from manypath.papers.dreibholz2012_testbed.claims import CLAIMS
from manypath.papers.dreibholz2012_testbed.crossings import CROSSINGS
from manypath.papers.dreibholz2012_testbed.factors import FACTORS
from manypath.papers.dreibholz2012_testbed.figures import figure
from manypath.papers.dreibholz2012_testbed.findings import FINDINGS
from manypath.papers.dreibholz2012_testbed.grids import FULL, MUTATED, QUICK, RECONSTRUCTED
from manypath.papers.dreibholz2012_testbed.measured import BESIDE_THE_STACKS
from manypath.papers.dreibholz2012_testbed.names import CMT, SINGLE
from manypath.papers.dreibholz2012_testbed.open_settings import OPEN_SETTINGS
from manypath.papers.dreibholz2012_testbed.scenarios import experiment
from manypath.papers.dreibholz2012_testbed.setup import SETUP
from manypath.papers.dreibholz2012_testbed.switches import MUTATIONS, OPEN, RIVAL, SWITCHES
from manypath.papers.paper import Paper, Sensitivity

PAPER = Paper(
    name="dreibholz2012_testbed",
    tag="D12",
    title="Simulation and Experimental Evaluation of Multipath Congestion Control Strategies",
    citation="T. Dreibholz, H. Adhari, M. Becke, E. P. Rathgeb: Simulation and Experimental Evaluation of Multipath "
    "Congestion Control Strategies. 2nd International Workshop on Protocols and Applications with Multi-Homing Support "
    "(PAMS), Fukuoka, March 2012. doi:10.1109/WAINA.2012.186.",
    summary="The four congestion controls of [D11], simulated and measured in a testbed with RED in the routers: over "
    "one bottleneck, and over two disjoint paths. One of these paths is shared. The simulated figures are run again "
    "here. Real stacks measure the figures of the testbed over emulated links.",
    setup=SETUP,
    quick=QUICK,
    full=FULL,
    mutated=MUTATED,
    reconstructed=RECONSTRUCTED,
    experiments=experiment,
    units={"rate": "Mbit/s", "south": "Mbit/s"},
    figures=tuple(figure.all()),
    claims=tuple(CLAIMS),
    tables=(CROSSINGS, BESIDE_THE_STACKS),
    switches=SWITCHES,
    mutations=MUTATIONS,
    factors=FACTORS,
    findings=FINDINGS,
    open_settings=OPEN_SETTINGS,
    sensitivity=Sensitivity(
        switches=(RIVAL, *OPEN),
        points=tuple(
            (name, {"cc": cc, **factors})
            for name, factors in (("figure3", {"rate": 9.0}), ("figure4", {"south": 5.0}))
            for cc in (PLAIN, RPV2)
        ),
        quick=(
            "rival-sack-every-1",
            "recovery-shared",
            "sack-every-1",
            "mixed-messages",
            "fifo, mixed-messages",
            "red-90",
        ),
    ),
    flows=(CMT, SINGLE),
    legend="Solid: the CMT flow. Dotted: the competing single-path flow.",
)
