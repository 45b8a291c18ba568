"""[H09]: M. Honda, 2009, as checks."""

from __future__ import annotations

from manypath.papers.honda2009_bmc.claims import CLAIMS
from manypath.papers.honda2009_bmc.courses import figure
from manypath.papers.honda2009_bmc.factors import FACTORS
from manypath.papers.honda2009_bmc.findings import FINDINGS
from manypath.papers.honda2009_bmc.grids import FULL, MUTATED, QUICK, RECONSTRUCTED
from manypath.papers.honda2009_bmc.names import AIMD, TCP
from manypath.papers.honda2009_bmc.open_settings import OPEN_SETTINGS
from manypath.papers.honda2009_bmc.proportion import experiment
from manypath.papers.honda2009_bmc.setup import SETUP
from manypath.papers.honda2009_bmc.switches import MUTATIONS, OPEN, SWITCHES
from manypath.papers.honda2009_bmc.tables import TABLES
from manypath.papers.paper import Paper, Sensitivity

PAPER = Paper(
    name="honda2009_bmc",
    tag="H09",
    title="Bidimensional-Probe Multipath Congestion Control for Shared Bottleneck Fairness",
    citation="M. Honda: Bidimensional-Probe Multipath Congestion Control for Shared Bottleneck Fairness. Master's "
    "thesis, Graduate School of Media and Governance, Keio University, 2009.",
    summary="Each subflow of a connection is a weighted AIMD. The weights add up to one TCP, so that a bottleneck is "
    "shared fairly. A proportion manager moves weight to subflows with higher rates. The thesis simulates weighted "
    "flows as separate connections, and leaves the manager to future work. Both are run here, and the manager is "
    "compared with later controls.",
    setup=SETUP,
    quick=QUICK,
    full=FULL,
    mutated=MUTATED,
    reconstructed=RECONSTRUCTED,
    experiments=experiment,
    units={"interval": "s", "longer": "ms"},
    figures=tuple(sorted(figure.all(), key=lambda each: [int(part) for part in str(each.number).split(".")])),
    claims=tuple(CLAIMS),
    tables=TABLES,
    switches=SWITCHES,
    mutations=MUTATIONS,
    factors=FACTORS,
    open_settings=OPEN_SETTINGS,
    findings=FINDINGS,
    sensitivity=Sensitivity(
        switches=OPEN,
        points=(("figure5.6", {"flows": 4}), ("figure5.6", {"flows": 16}), ("figure5.9", {"flows": 16})),
        quick=("sack", "red-ns2", "fifo"),
    ),
    flows=(f"{AIMD}1", f"{TCP}1"),
    legend="Weighted flows compete with standard TCP flows over one bottleneck, unless the caption says otherwise.",
)
