"""`manypath papers` publishes results, and shows them beside results of later calls."""

import json

import pytest
from small_paper import NAME, PAPER

from manypath import papers
from manypath.papers import published
from manypath.papers.mean import Mean
from manypath.papers.tried import data_of

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def package(package, tmp_path, monkeypatch):
    """A package with only the small paper."""
    monkeypatch.setattr(papers, "STUDIES", (NAME,))
    monkeypatch.setattr(papers, "load", {NAME: PAPER}.__getitem__)
    monkeypatch.chdir(tmp_path)
    return package


def test_full_results_are_published_and_shown_beside_quick_ones(package, called):
    before = called("papers", NAME)
    assert "published" not in before.out + before.err
    result = called("papers", NAME, "--full", "--publish")
    assert f"published: {package / 'studies' / NAME / 'published.json'}" in result.err
    there = published.load(NAME)
    assert there is not None

    quick = called("papers", NAME, "--verbose")
    head = next(line for line in quick.out.splitlines() if "the paper says" in line)
    assert head.split()[:4] == ["claim", "place", "verdict", "published"]
    assert "small: 6 of 6 points of the figures agree with the published ones, 2 of them bit by bit" in quick.out
    assert "of 2 claims have the published verdict" in quick.out
    assert "full results: undecided with" in quick.out
    assert "no change was tried" not in quick.out
    assert quick.err.startswith("small: full results in the package: 1 holds, 1 undecided; ")

    document = json.loads(called("papers", NAME, "--json").out)
    for claim in document["claims"]:
        known = there.claims[claim["id"]]
        assert claim["causes"] == []
        assert claim["published"] == {
            "verdict": known.verdict,
            "runs": known.runs,
            "needed": known.needed,
            "needed_seconds": known.needed_seconds,
            "why": known.why,
            "halves": None,
            "causes": [data_of(tried, Mean.plain) for tried in known.causes],
        }
    (comparison,) = document["published"]
    assert (comparison["paper"], comparison["points"], comparison["same"]) == (NAME, 6, 2)
    assert comparison["differ"] == []
    assert (comparison["claims"], comparison["opposed"]) == (2, [])


@pytest.mark.usefixtures("package")
def test_causes_are_searched_for_beside_published_ones_on_demand(called):
    called("papers", NAME, "--full", "--publish")
    quick = called("papers", NAME, "--causes", "--verbose")
    assert "full results: undecided with" not in quick.out
    document = json.loads(called("papers", NAME, "--causes", "--json").out)
    assert all((claim["causes"] == []) == (claim["verdict"] != "contradicted") for claim in document["claims"])
    assert "causes" in quick.out.splitlines()[-2]
    again = called("report", NAME, "--causes")
    assert again.out.splitlines()[-2] == quick.out.splitlines()[-2]
    plain = called("report", NAME)
    assert "causes" not in plain.out.splitlines()[-2]


def test_a_part_prints_missing_runs_and_the_command(package, called):
    said = called("papers", NAME, "--shard", "1/2").out
    assert said.startswith("small: part 1/2 is complete in runs; ")
    assert "runs of other parts are missing: merge the stores and give the command again" in said
    called("papers", NAME)
    done = called("papers", NAME, "--shard", "2/2").out
    assert done == "small: every run is in runs; without --shard the command prints the results\n"
