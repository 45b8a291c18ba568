"""[G12]: R. González Usach, M. Kühlewind, EUNICE 2012, as checks."""

from __future__ import annotations

from manypath.papers.gonzalez2012_mptcp.claims import CLAIMS
from manypath.papers.gonzalez2012_mptcp.factors import FACTORS
from manypath.papers.gonzalez2012_mptcp.figures import figure
from manypath.papers.gonzalez2012_mptcp.findings import FINDINGS
from manypath.papers.gonzalez2012_mptcp.grids import FULL, MUTATED, QUICK, RECONSTRUCTED
from manypath.papers.gonzalez2012_mptcp.maximum import MAXIMUM
from manypath.papers.gonzalez2012_mptcp.measured import BESIDE_THE_KERNEL, VERDICTS_OF_THE_KERNEL
from manypath.papers.gonzalez2012_mptcp.names import APPROXIMATED, FLOWS, SHEETS
from manypath.papers.gonzalez2012_mptcp.open_settings import OPEN_SETTINGS
from manypath.papers.gonzalez2012_mptcp.scenarios import experiment
from manypath.papers.gonzalez2012_mptcp.setup import SETUP
from manypath.papers.gonzalez2012_mptcp.switches import MUTATIONS, OPEN, SWITCHES
from manypath.papers.gonzalez2012_mptcp.table1 import TABLE_1
from manypath.papers.paper import Paper, Sensitivity

PAPER = Paper(
    name="gonzalez2012_mptcp",
    tag="G12",
    title="Implementation and Evaluation of Coupled Congestion Control for Multipath TCP",
    citation="R. González Usach, M. Kühlewind: Implementation and Evaluation of Coupled Congestion Control for "
    "Multipath TCP. 18th European Conference on Information and Communications Technologies (EUNICE), Budapest, "
    "August 2012, pp. 173–182. doi:10.1007/978-3-642-32808-4_16.",
    summary="Linked increases (RFC 6356) in the Linux kernel, where one shared value approximates the maximum over the "
    "subflows. An MPTCP connection with a subflow on each of two links runs alone, or competes with a TCP connection "
    "on each. All figures and the table are run again here, and once more with the exact maximum, to measure the "
    "effect of the approximation.",
    setup=SETUP,
    quick=QUICK,
    full=FULL,
    mutated=MUTATED,
    reconstructed=RECONSTRUCTED,
    experiments=experiment,
    figures=tuple(figure.all()),
    claims=tuple(CLAIMS),
    tables=(TABLE_1, BESIDE_THE_KERNEL, VERDICTS_OF_THE_KERNEL, MAXIMUM),
    switches=SWITCHES,
    mutations=MUTATIONS,
    factors=FACTORS,
    open_settings=OPEN_SETTINGS,
    findings=FINDINGS,
    sensitivity=Sensitivity(
        switches=OPEN,
        points=tuple((sheet.experiment, {"cc": APPROXIMATED}) for sheet in SHEETS.values()),
        quick=("initial-window-3", "ack-every-1", "sack-off", "mptcp-late", "queue-half", "jitter", "red"),
    ),
    flows=tuple(FLOWS),
    legend="MPTCP's sum is black, a subflow is blue, the TCP connection on the same link is orange.",
)
