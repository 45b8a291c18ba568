"""A sampled run gives window curves in addition to the unchanged outcome, so that it is made only once."""

import json

import pytest

from manypath.campaign import Cell
from manypath.campaign.runners import SIMULATOR, Halt
from manypath.papers import registry
from manypath.papers.curves import CurveStore
from manypath.papers.sampled import Sampled

DOCUMENT, OTHER = (
    registry()["dreibholz2011_impact"]
    .experiments["figure5"]
    .scenario(cc=cc)
    .but(warmup="1 s", measure="2 s")
    .document()
    for cc in ("cmt-rpv1", "newreno")
)
CELLS = [Cell({}, document, 1, replication) for replication in (0, 1) for document in (OTHER, DOCUMENT)]


def digests(outcomes):
    return [json.loads(outcome)["digest"] for outcome in outcomes]


def test_sampling_does_not_change_outcomes_and_samples_only_selected_cases():
    sampled = Sampled({DOCUMENT: "100 ms"}, 1, None)
    assert digests(sampled.run(CELLS, 1, Halt())) == digests(SIMULATOR.run(CELLS, 1, Halt()))
    assert list(sampled.taken) == [(DOCUMENT, 0)]
    trace = sampled.recall(Cell({}, DOCUMENT, 1, 0))
    assert trace is not None
    curves = trace.paths["cmt", "north"]
    assert curves.time[-1] == pytest.approx(3.0, abs=0.11)
    assert curves.cwnd.max() > 1500.0


def test_sampled_curves_are_found_in_the_store(tmp_path):
    cell = Cell({}, DOCUMENT, 1, 0)
    assert Sampled({DOCUMENT: "100 ms"}, 1, CurveStore(tmp_path)).recall(cell) is None
    Sampled({DOCUMENT: "100 ms"}, 1, CurveStore(tmp_path)).run([cell], 1, Halt())
    trace = Sampled({DOCUMENT: "100 ms"}, 1, CurveStore(tmp_path)).recall(cell)
    assert trace is not None
    assert trace.paths.keys() == {("cmt", "north"), ("cmt", "south"), ("single", "south")}
    assert Sampled({DOCUMENT: "50 ms"}, 1, CurveStore(tmp_path)).recall(cell) is None


def test_a_halt_stops_sampled_runs_without_a_result():
    halt = Halt()
    halt.set()
    document = DOCUMENT.replace('"measure":2000000000', '"measure":2000000000000')
    assert document != DOCUMENT
    (outcome,) = Sampled({document: "100 ms"}, 1, None).run([Cell({}, document, 1, 0)], 1, halt)
    assert not isinstance(outcome, str)
