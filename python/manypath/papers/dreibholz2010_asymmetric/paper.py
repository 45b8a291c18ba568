"""[D10]: T. Dreibholz, M. Becke, E. P. Rathgeb, M. Tüxen, GLOBECOM 2010, as checks."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.claims import CLAIMS
from manypath.papers.dreibholz2010_asymmetric.factors import FACTORS
from manypath.papers.dreibholz2010_asymmetric.figures import figure
from manypath.papers.dreibholz2010_asymmetric.findings import FINDINGS
from manypath.papers.dreibholz2010_asymmetric.grids import FULL, MUTATED, QUICK, RECONSTRUCTED
from manypath.papers.dreibholz2010_asymmetric.inet import inet_points
from manypath.papers.dreibholz2010_asymmetric.measured import BESIDE_THE_STACKS
from manypath.papers.dreibholz2010_asymmetric.names import BOTH, CMT, THRESHOLD
from manypath.papers.dreibholz2010_asymmetric.open_settings import OPEN_SETTINGS
from manypath.papers.dreibholz2010_asymmetric.scenarios import experiment
from manypath.papers.dreibholz2010_asymmetric.setup import SETUP
from manypath.papers.dreibholz2010_asymmetric.states import TWO_STATES
from manypath.papers.dreibholz2010_asymmetric.switches import MUTATIONS, OPEN, SWITCHES
from manypath.papers.paper import Paper, Sensitivity

PAPER = Paper(
    name="dreibholz2010_asymmetric",
    tag="D10",
    title="On the Use of Concurrent Multipath Transfer over Asymmetric Paths",
    citation="T. Dreibholz, M. Becke, E. P. Rathgeb, M. Tüxen: On the Use of Concurrent Multipath Transfer over "
    "Asymmetric Paths. IEEE Global Communications Conference (GLOBECOM), Miami, December 2010, "
    "doi:10.1109/GLOCOM.2010.5683579.",
    summary="One CMT-SCTP flow uses two paths. The second path is slower, lossy or longer. Late data of one path "
    "occupy the buffers that the other path needs. The paper measures the effect of buffer splitting, NR-SACK, packet "
    "drop reports, smart fast retransmission and chunk rescheduling, for plain CMT and CMT/RP, with unordered and "
    "ordered messages. All of its figures are run again here, and each of its statements is checked.",
    setup=SETUP,
    quick=QUICK,
    full=FULL,
    mutated=MUTATED,
    reconstructed=RECONSTRUCTED,
    experiments=experiment,
    units={"rate": "Mbit/s", "delay": "ms", "capacity": "packets"},
    figures=tuple(figure.all()),
    claims=tuple(CLAIMS),
    tables=(TWO_STATES, BESIDE_THE_STACKS),
    switches=SWITCHES,
    mutations=MUTATIONS,
    factors=FACTORS,
    open_settings=OPEN_SETTINGS,
    findings=FINDINGS,
    sensitivity=Sensitivity(
        switches=OPEN,
        points=(
            ("figure4-left", {"split": "none", "capacity": 100}),
            ("figure4-left", {"split": BOTH, "capacity": 100}),
            ("figure5-rate", {"split": "none", "nr": True, "rate": 10.0}),
            ("figure5-rate", {"split": BOTH, "nr": True, "rate": 100.0}),
            ("figure5-errors", {"split": BOTH, "nr": True, "reports": True, "errors": 5e-6}),
            ("figure5-delay", {"split": BOTH, "nr": True, "smart": True, "delay": 50.0}),
            ("figure7-rate", {"split": BOTH, "rescheduling": THRESHOLD, "rate": 1.0}),
            ("figure7-errors", {"split": BOTH, "rescheduling": THRESHOLD, "reports": True, "errors": 5e-6}),
        ),
    ),
    reference_points=inet_points(),
    reference="INET 4.5.4, the successor of the authors' simulator, with its missing calls restored: one seed for each "
    "of several settings at one point of figure 4 left. Each is run here twice: with the other settings as plotted (no "
    "overrun of the peer's receive window, 0.1 ms on access links, SACKs on the path of the last packet), and with "
    "those of INET (the peer's receive window wraps around, no delay on access links, SACKs on the path with the "
    "smallest round-trip time).",
    flows=(CMT,),
)
