"""[D11]: T. Dreibholz, M. Becke, H. Adhari, E. P. Rathgeb, ConTEL 2011, as checks."""

from __future__ import annotations

from manypath.papers.dreibholz import PLAIN, RPV2
from manypath.papers.dreibholz2011_impact.claims import CLAIMS
from manypath.papers.dreibholz2011_impact.factors import FACTORS
from manypath.papers.dreibholz2011_impact.figures import figure
from manypath.papers.dreibholz2011_impact.findings import FINDINGS
from manypath.papers.dreibholz2011_impact.grids import FULL, MUTATED, QUICK, RECONSTRUCTED
from manypath.papers.dreibholz2011_impact.inet import inet_points
from manypath.papers.dreibholz2011_impact.measured import BESIDE_THE_STACKS
from manypath.papers.dreibholz2011_impact.names import CMT, SINGLE
from manypath.papers.dreibholz2011_impact.open_settings import OPEN_SETTINGS
from manypath.papers.dreibholz2011_impact.scenarios import experiment
from manypath.papers.dreibholz2011_impact.setup import SETUP
from manypath.papers.dreibholz2011_impact.switches import MUTATIONS, OPEN, SWITCHES
from manypath.papers.paper import Paper, Sensitivity

PAPER = Paper(
    name="dreibholz2011_impact",
    tag="D11",
    title="On the Impact of Congestion Control for Concurrent Multipath Transfer on the Transport Layer",
    citation="T. Dreibholz, M. Becke, H. Adhari, E. P. Rathgeb: On the Impact of Congestion Control for Concurrent "
    "Multipath Transfer on the Transport Layer. 11th International Conference on Telecommunications (ConTEL), Graz, "
    "June 2011, pp. 397–404, ISBN 978-953-184-152-8.",
    summary="Four congestion controls for CMT-SCTP compete with single-path flows: plain CMT, two versions of CMT/RP, "
    "and an MPTCP-like control. The paper measures how fair and how efficient each is on similar and on dissimilar "
    "paths. All of its figures are run again here, and each of its statements is checked.",
    setup=SETUP,
    quick=QUICK,
    full=FULL,
    mutated=MUTATED,
    reconstructed=RECONSTRUCTED,
    experiments=experiment,
    units={"north": "Mbit/s", "south": "Mbit/s"},
    figures=tuple(figure.all()),
    claims=tuple(CLAIMS),
    tables=(BESIDE_THE_STACKS,),
    switches=SWITCHES,
    mutations=MUTATIONS,
    factors=FACTORS,
    findings=FINDINGS,
    open_settings=OPEN_SETTINGS,
    sensitivity=Sensitivity(
        switches=OPEN,
        points=tuple(
            ("figure4-left" if south != north else "figure2-left", factors)
            for south, north in ((10.0, 5.0), (10.0, 10.0))
            for cc in (PLAIN, RPV2)
            for factors in [{"cc": cc, "south": south} if south != north else {"cc": cc, "paths": 2}]
        ),
        quick=("sack-every-1", "profile-paper"),
    ),
    reference_points=inet_points(),
    reference="The authors' simulator, INET 4.5.4 with its missing calls restored, at points of this paper: mean of 3 "
    "seeds (smallest to largest).",
    flows=(CMT, SINGLE),
    legend="Solid: the CMT flow. Dotted: the competing single-path flow.",
)
