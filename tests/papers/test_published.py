"""Results of full precision are stored as a table in the package, and read from it."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from small_paper import NAME, PAPER

from manypath.errors import UserError
from manypath.papers import NAMES, STUDIES, published, registry
from manypath.papers.evaluation import evaluate
from manypath.papers.evidence import Case
from manypath.papers.publishing import check_targets, publish, table
from manypath.papers.tried import tried_on
from manypath.papers.verdict import NOTHING_DECIDES
from manypath.stats import interval

TABLES = [name for name in (*NAMES, *STUDIES) if published.file_of(name).is_file()]

LARGEST = 680_000
"""Size limit of all tables together, in bytes."""


def test_a_stored_evaluation_is_read_back_unchanged(full, package):
    assert published.load(NAME) is None
    assert publish(full) == package / "studies" / NAME / "published.json"
    found = published.load(NAME)
    assert found is not None
    assert (found.paper, found.precision, found.engine, found.seed) == (NAME, "full", full.engine, 1)
    assert (found.replications, found.most, found.warmup, found.measure) == (5, 10, "100 ms", "600 ms")
    assert set(found.cases) == set(full.evidence.cases())
    for case, there in found.cases.items():
        assert there.runs == 5
        for flow, mean in there.goodput.items():
            sample = full.evidence.goodput(case.experiment, flow, **dict(case.factors))
            assert mean.mean == pytest.approx(sample.mean(), rel=1e-5)
            assert mean.half_width == pytest.approx(interval(sample).half_width, rel=1e-2)
    for item in full.claims:
        there = found.claims[item.claim.id]
        assert (there.verdict, there.measured, there.expected) == (
            item.check.verdict,
            item.check.measured,
            item.check.expected,
        )
        assert (there.runs, there.why) == (item.check.runs, item.check.why)
        assert there.explanation == item.explanation
        assert [each.what for each in there.causes] == [each.what for each in tried_on(item, full.broken)]
        for one, other in zip(there.causes, tried_on(item, full.broken), strict=True):
            assert [(trial.changed, trial.certain, trial.verdict) for trial in one.trials] == [
                (trial.changed, trial.certain, trial.verdict) for trial in other.trials
            ]
            assert [trial.moved.mean for trial in one.trials] == pytest.approx(
                [trial.moved.mean for trial in other.trials], rel=1e-5
            )
        assert found.profiles[there.id] == {name: check.verdict for name, check in full.profiles.of(item.claim).items()}
    assert any(claim.causes for claim in found.claims.values())
    assert [(row.case, row.changed, row.flow, row.significant) for row in found.sensitivity] == [
        (row.case, row.switch.says, row.flow, row.significant) for row in full.sensitivity
    ]
    assert [row.difference.mean for row in found.sensitivity] == pytest.approx(
        [row.difference.mean() for row in full.sensitivity], rel=1e-5
    )
    assert found.matrix is not None
    assert found.matrix.mutations == ("one-sack",)
    assert found.matrix.verdicts == full.matrix.verdicts


def test_every_run_counts_once_in_the_costs(full):
    """Costs include 5 runs of each of 3 cases, and runs for undecided claims, trials, profiles and mutations."""
    plain = {case: full.grown.runs(case).outcomes for case in full.grown.cases()}
    least = sum(len(outcomes) for outcomes in plain.values())
    assert full.runs > least >= 15
    assert full.cpu_seconds > sum(outcome["cpu_seconds"] for outcomes in plain.values() for outcome in outcomes) > 0.0


def test_the_same_runs_give_the_same_table(full, store):
    again = evaluate([PAPER], full=True, store=store, progress=False, compute=False).papers[0]
    assert table(again) == table(full)
    assert len(table(full).splitlines()) > len(full.claims) + len(list(full.evidence.cases()))


def test_an_undecided_claim_has_the_estimated_number_of_deciding_runs(full):
    claims = {claim["id"]: claim for claim in json.loads(table(full))["claims"]}
    for item in full.claims:
        outlook = item.check.outlook
        assert claims[item.claim.id]["needed"] == (None if outlook is None else outlook.runs)
        seconds = claims[item.claim.id]["needed_seconds"]
        assert (seconds is None) == (outlook is None or outlook.runs is None)


@pytest.mark.parametrize(
    "options",
    [{}, {"full": True, "runs": 2}, {"full": True, "figure": 1}, {"full": True, "causes": False}],
    ids=["quick", "runs", "figure", "no causes"],
)
def test_only_complete_results_with_full_precision_are_published(options, store, package):
    (part,) = evaluate([PAPER], **options, store=store, progress=False, profiles=False, mutations=False).papers
    with pytest.raises(UserError, match="was not run as a whole with full precision: give --full alone"):
        publish(part)
    assert not (package / "studies" / NAME / "published.json").exists()


def test_an_installed_package_refuses_results(package, tmp_path):
    check_targets([PAPER])
    (tmp_path / "pyproject.toml").unlink()
    with pytest.raises(UserError, match="is no source tree"):
        check_targets([PAPER])


def test_the_table_of_another_program_is_not_replaced(package):
    (package / "studies" / NAME / "published.json").write_text("mine")
    with pytest.raises(UserError, match="manypath did not write it as a table of published results"):
        check_targets([PAPER])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-100], "is no JSON"),
        (
            lambda text: text.replace('"published": 3', '"published": 1'),
            "published: version 1 is unknown: this package reads version 3: delete it and publish the paper again",
        ),
        (
            lambda text: text.replace('"published": 3', '"published": 4'),
            "published: version 4 is unknown: this package reads version 3",
        ),
        (
            lambda text: text.replace('"verdict":"holds"', '"verdict":"true"'),
            'claims.0.verdict: "true" is unknown: known: holds, contradicted, undecided, open',
        ),
        (lambda text: text.replace('"digest"', '"digset"'), "digest: missing: give it a value"),
        (lambda text: f"[{text}]", "is no table: give values by name"),
        (lambda text: re.sub(r'"cpu_seconds": [0-9.]+', '"cpu_seconds": 1e999', text), "cpu_seconds: inf"),
        (lambda text: re.sub(r'"cpu_seconds": [0-9.]+', '"cpu_seconds": -1', text), "cpu_seconds: -1"),
        (lambda _: "[" * 100_000, "lists or tables are nested too deeply"),
        (lambda text: re.sub(r'"flows":\["', '"flows":["other","', text, count=1), "each row needs"),
        (lambda text: re.sub(r'"engine": "..', '"engine": "zz', text), "is not a number of 16 hexadecimal digits"),
        (lambda text: re.sub(r'"seed": [0-9]+', '"seed": -1', text), "seed: -1 is too small"),
        (lambda text: re.sub(r'("claims": \[\s*)(\{"id".*\})', r"\1\2,\2", text, count=1), "occurs twice"),
        (lambda text: text.replace('"needed":null', '"needed":-3', 1), "claims.0.needed: -3 is too small"),
        (lambda text: text.replace('"needed":null', '"needed":3', 1), "needed: 3 runs, but the claim is decided"),
        (
            lambda text: text.replace('"needed_seconds":null', '"needed_seconds":3', 1),
            "needed_seconds: 3, but needed has no number of runs",
        ),
    ],
)
def test_a_damaged_table_is_reported_in_one_line(change, message, full, tmp_path):
    file = tmp_path / "published.json"
    text = table(full)
    assert change(text) != text
    file.write_text(change(text))
    with pytest.raises(UserError) as caught:
        published.read(file)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_single_runs_have_no_interval(full):
    few = replace(full.paper, full=replace(full.paper.full, replications=1, most=0, trials=1))
    (part,) = evaluate([few], full=True, store=None, progress=False, profiles=False, mutations=False).papers
    group = json.loads(table(part))["cases"][0]
    assert group["runs"] == 1
    assert all(half is None for *_, goodput in group["rows"] for _, half in goodput)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_package_fits_its_paper(name):
    """It must be published again when claims, grids or the precision of its paper change."""
    found, paper = published.load(name), registry()[name]
    assert found is not None
    full = paper.full
    assert set(found.claims) == {claim.id for claim in paper.claims}
    assert set(found.cases) == set(paper.experiments.cases(full))
    assert (found.replications, found.most) == (full.replications, full.most)
    assert (found.precision, found.warmup, found.measure) == (full.name, full.warmup, full.measure)
    assert all(case.runs == full.replications for case in found.cases.values())
    means = [mean for case in found.cases.values() for mean in case.goodput.values()]
    assert all(np.isfinite(mean.mean) and mean.half_width is not None for mean in means)


@pytest.mark.parametrize("name", TABLES)
def test_every_undecided_claim_of_the_package_has_its_number_of_deciding_runs(name):
    found = published.load(name)
    assert found is not None
    for claim in found.claims.values():
        if claim.verdict == "undecided":
            assert claim.needed is not None or NOTHING_DECIDES in claim.why, claim.id
            assert (claim.needed is None) == (claim.needed_seconds is None), claim.id
        else:
            assert claim.needed is None, claim.id


def test_the_tables_of_the_package_are_small():
    assert sum(published.file_of(name).stat().st_size for name in TABLES) < LARGEST


def test_a_case_has_the_runs_of_quick_precision_if_its_scenario_is_equal(full, package):
    publish(full)
    found = published.load(NAME)
    assert found is not None
    cases = {case: each.first for case, each in found.cases.items()}
    assert all((first is not None) == (case.experiment == "fixed") for case, first in cases.items())
    first = cases[Case.of("fixed", north=2.0)]
    assert first is not None
    assert first[0] == 3
