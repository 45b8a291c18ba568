"""`manypath store`: list, show, prune and export the contents of a store."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import manypath as mp
from lists import cases
from manypath import _native
from manypath.campaign.claims import Claims
from manypath.campaign.progress import Lines
from manypath.cli import main
from rights import read_only

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `manypath store` in a temporary folder; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["manypath", "store", *words])
        with pytest.raises(SystemExit) as exit_:
            main()
        result = capsys.readouterr()
        return int(exit_.value.code or 0), result.out, result.err

    return call


def fill(scenario, engine, title: str, replications: int = 3, **factors: list[str]) -> None:
    """Run a campaign on the recording engine, in batches of one or more."""
    levels = factors or {"cc": ["newreno", "cmt-rpv2"]}
    mp.Campaign(scenario, levels, replications=replications).run("runs", 1, progress=False, title=title)


def listed(run: Run) -> tuple[list[dict], list[dict]]:
    code, out, message = run("list", "--json")
    assert (code, message) == (0, "")
    document = json.loads(out)
    return document["campaigns"], document["engines"]


def shards() -> list[str]:
    return sorted(path.name for path in Path("runs").glob("*.parquet"))


def test_campaigns_and_engines_are_listed_with_counts(run: Run, scenario, engine):
    fill(scenario, engine, "first")
    engine.version = "2"
    fill(scenario, engine, "second", replications=5)
    campaigns, engines = listed(run)
    kept = [(one["title"], one["engine"], one["done"], one["wanted"]) for one in campaigns]
    assert kept == [("first", "1", 6, 6), ("second", "2", 10, 10)]
    held = sorted((one["engine"], one["runs"], one["now"]) for one in engines)
    assert held == [("1", 6, False), ("2", 10, True)]
    _, out, _ = run("list")
    for word in ("first", "second", "this one"):
        assert word in out


def test_a_campaign_shows_finished_and_missing_runs(run: Run, scenario, engine):
    engine.failing = {2}
    with pytest.raises(_native.RunError):
        fill(scenario, engine, "broken", replications=4)
    code, out, _ = run("show", "broken", "--json")
    shown = json.loads(out)
    assert code == 0
    assert (shown["seeds"], shown["replications"], shown["wanted"]) == ([1], 4, 8)
    assert [row["factors"] for row in shown["scenarios"]] == [{"cc": "newreno"}, {"cc": "cmt-rpv2"}]
    assert all(row["done"] + row["missing"] == 4 for row in shown["scenarios"])
    assert shown["done"] == sum(row["done"] for row in shown["scenarios"]) == engine.ran.total() < 8
    _, out, _ = run("show", shown["campaign"][:6])
    assert "missing" in out
    assert "cmt-rpv2" in out


def test_pruning_removes_results_of_other_engines_only(run: Run, scenario, engine):
    fill(scenario, engine, "old")
    engine.version = "2"
    fill(scenario, engine, "new")
    before = shards()
    code, out, _ = run("prune", "--other-engines", "--dry-run")
    assert (code, "would remove 6 runs" in out, shards()) == (0, True, before)
    code, _, printed = run("prune", "--other-engines")
    assert (code, shards()) == (2, before)
    assert printed.startswith("error: --yes: needed without a terminal")
    assert run("prune", "--other-engines", "--yes")[0] == 0
    campaigns, engines = listed(run)
    assert [one["title"] for one in campaigns] == ["new"]
    assert [(one["engine"], one["runs"]) for one in engines] == [("2", 6)]
    ran = engine.ran.total()
    fill(scenario, engine, "new")
    assert engine.ran.total() == ran


def test_results_of_other_runners_are_not_pruned(run: Run):
    mp.Campaign(mp.Function(lambda seed: {"x": seed}, version="1"), replications=2).run("runs", progress=False)
    assert run("prune", "--other-engines", "--yes") == (0, "nothing to remove\n", "")
    (one,) = listed(run)[1]
    assert run("prune", "--engine", one["engine"], "--yes")[0] == 0
    assert shards() == []


def test_pruning_a_campaign_keeps_runs_of_another(run: Run, scenario, engine):
    """Two runs belong to both campaigns, and may be in one shard with other runs."""
    fill(scenario, engine, "long", replications=8, cc=["newreno"])
    fill(scenario, engine, "short", replications=2, cc=["newreno"])
    assert run("prune", "--campaign", "long", "--yes")[0] == 0
    campaigns, engines = listed(run)
    assert [(one["title"], one["done"]) for one in campaigns] == [("short", 2)]
    assert [one["runs"] for one in engines] == [2]
    ran = engine.ran.total()
    fill(scenario, engine, "short", replications=2, cc=["newreno"])
    assert engine.ran.total() == ran


def test_files_of_other_programs_are_kept(run: Run, scenario, engine):
    fill(scenario, engine, "mine")
    pd.DataFrame({"temperature": [21.5]}).to_parquet("runs/weather.parquet")
    Path("runs/campaigns/letter.json").write_text('{"dear": "reader"}')
    Path("runs/notes.txt").write_text("do not forget")
    assert run("prune", "--campaign", "mine", "--yes")[0] == 0
    assert shards() == ["weather.parquet"]
    assert Path("runs/campaigns/letter.json").exists()
    assert Path("runs/notes.txt").exists()


def test_recent_shards_of_other_processes_are_kept(run: Run, scenario, engine):
    fill(scenario, engine, "mine")
    old = shards()[0]
    os.utime(f"runs/{old}", (0, 0))
    other = Claims(Path("runs"))
    try:
        left = len(shards()) - 1
        code, _, printed = run("prune", "--campaign", "mine", "--yes")
        # The campaign's note was just written, too.
        assert (code, f"keeps {left + 1} new files" in printed) == (0, True)
        assert (old in shards(), len(shards())) == (False, left)
        assert [one["title"] for one in listed(run)[0]] == ["mine"]
    finally:
        other.close()


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_exported_frames_equal_those_of_the_campaign(format_: str, run: Run, scenario):
    levels = {"cc": ["newreno", "cmt-rpv2"], "north": ["1 Mbit/s"]}
    results = mp.Campaign(scenario, levels, replications=2).run("runs", 1, progress=False, title="mine")
    code, out, message = run("export", "mine", "out", "--format", format_)
    assert (code, message) == (0, "")
    for kind in ("flows", "paths", "links", "runs"):
        file = Path(f"out/{kind}.{format_}")
        assert str(file) in out
        frame = pd.read_csv(file) if format_ == "csv" else pd.read_parquet(file)
        expected = getattr(results, kind).dropna(axis="columns", how="all")
        pd.testing.assert_frame_equal(frame.dropna(axis="columns", how="all"), expected, check_dtype=False)
    assert run("export", "mine", "out", "--format", format_)[0] == 2


def test_factors_that_are_numbers_are_exported_as_numbers(run: Run):
    runner = mp.Function(lambda seed, size: {"twice": 2 * size, "seed": seed}, version="1")
    mp.Campaign(runner, {"size": [5, 10]}, replications=1).run("runs", progress=False, title="sizes")
    run("export", "sizes", "out", "--format", "parquet")
    assert pd.read_parquet("out/runs.parquet")["size"].tolist() == [5, 10]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "--store", "nowhere"), "--store: nowhere is not a folder of results"),
        (("list", "--store", "empty"), "--store: empty holds no results"),
        (("show", "mein"), 'campaign: "mein" is no campaign of runs: did you mean "mine"?'),
        (("show", ""), 'campaign: "" is no campaign of runs'),
        (("prune",), "store prune: needs exactly one of --campaign, --engine and --other-engines: give one"),
        (("prune", "--campaign", "mine", "--other-engines"), "store prune: needs exactly one of"),
        (("prune", "--engine", "17"), '--engine: "17" has no results in runs: did you mean "1"?'),
        (("export", "mine", "runs"), "TARGET: runs is the store itself: choose another folder"),
        (("export", "mine", "file"), 'TARGET: "file" is not a folder'),
    ],
)
def test_a_mistake_is_reported_in_one_line_and_changes_no_file(
    words: tuple[str, ...], message: str, run: Run, scenario, engine
):
    fill(scenario, engine, "mine")
    Path("empty").mkdir()
    Path("file").write_text("")
    before = sorted(Path().rglob("*"))
    code, out, errors = run(*words)
    assert (code, out) == (2, "")
    assert errors.startswith(f"error: {message}")
    assert len(errors.splitlines()) == 1
    assert sorted(Path().rglob("*")) == before


def test_factors_with_equal_scenarios_are_all_exported(run: Run, scenario):
    campaign = mp.Campaign(scenario, {"north": ["1 Mbit/s", "1000 kbit/s", "2 Mbit/s"]}, replications=2)
    results = campaign.run("runs", progress=False, title="equal")
    assert len(set(results.runs["digest"])) == 4
    assert run("export", "equal", "frames")[0] == 0
    exported = pd.read_csv("frames/flows.csv")
    assert exported.astype(str).equals(results.flows.astype(str))
    shown = json.loads(run("show", "equal", "--json")[1])
    assert [row["factors"]["north"] for row in shown["scenarios"]] == ["1 Mbit/s", "1000 kbit/s", "2 Mbit/s"]
    assert shown["done"] == shown["wanted"] == 4


def without(field: str) -> Callable[[dict], dict]:
    return lambda note: {name: value for name, value in note.items() if name != field}


def with_(**fields: object) -> Callable[[dict], dict]:
    return lambda note: {**note, **fields}


DAMAGED_NOTES: dict[str, tuple[bytes | Callable[[dict], object], str]] = {
    "empty": (b"", "is no JSON"),
    "garbage": (b"garbage", "is no JSON"),
    "not UTF-8": (b"\xff", "is no JSON"),
    "nested": (b"[" * 100_000, "has lists or tables that are nested too deeply"),
    "a list": (b"[]", "is damaged: [] "),
    "null": (b"null", "is damaged: null "),
    "no engine": (without("engine"), "is damaged: engine: missing"),
    "no versions": (without("first_run_with"), "is damaged: first_run_with: missing"),
    "a text for a number": (with_(replications="3"), 'is damaged: replications: "3" '),
    "true for a number": (with_(replications=True), "is damaged: replications: true "),
    "a fraction": (with_(replications=2.5), "is damaged: replications: 2.5 "),
    "null for a number": (with_(replications=None), "is damaged: replications: null "),
    "no replication": (with_(replications=0), "is damaged: replications: 0 "),
    "a text for a count": (
        lambda note: with_(scenarios=[{**note["scenarios"][0], "replications": "3"}])(note),
        'is damaged: scenarios.0.replications: "3" ',
    ),
    "negative seed": (with_(seeds=[-1]), "is damaged: seeds.0: -1 "),
    "no seeds": (with_(seeds=[]), "is damaged: seeds: "),
    "a number for a title": (with_(title=5), "is damaged: title: 5 "),
    "a number for a version": (with_(first_run_with={"python": 3}), "is damaged: first_run_with.python: 3 "),
    "a list for factors": (
        lambda note: with_(scenarios=[{**note["scenarios"][0], "factors": []}])(note),
        "is damaged: scenarios.0.factors: [] ",
    ),
    "a wrong hash": (
        lambda note: with_(scenarios=[{**note["scenarios"][0], "document_sha256": "4711"}])(note),
        'is damaged: scenarios.0.document_sha256: "4711" ',
    ),
}
"""Contents of a note, or changes of its content, and what is said about them."""

IN_GATE = ("garbage", "not UTF-8", "nested", "a list", "no engine", "a text for a number", "no seeds", "a wrong hash")
"""One of them for each way in which a note is found to be damaged."""


@pytest.mark.parametrize("case", cases(DAMAGED_NOTES, long=lambda case: case not in IN_GATE))
def test_damaged_notes_are_reported_and_written_again(case: str, run: Run, scenario, engine):
    made, said = DAMAGED_NOTES[case]
    fill(scenario, engine, "mine")
    (note,) = Path("runs/campaigns").iterdir()
    whole = json.loads(note.read_text())
    note.write_bytes(made if isinstance(made, bytes) else json.dumps(made(whole)).encode())
    before = note.read_bytes()
    code, _, err = run("list")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith(f"remark: {note} {said}")
    assert err.endswith(
        ": not listed: remove it; the results are kept, and the command of the campaign writes its note again\n"
    )
    code, _, err = run("show", "mine")
    assert code == 2
    assert err.splitlines()[-1] == 'error: campaign: "mine" is not in runs, which has no undamaged notes of campaigns'
    assert note.read_bytes() == before
    # A further run is missing, so the campaign begins again.
    next(Path("runs").glob("*.parquet")).unlink()
    fill(scenario, engine, "mine")
    assert json.loads(note.read_text()) == whole
    assert run("list")[2] == ""


def test_a_file_in_the_place_of_the_notes_is_reported(run: Run, scenario, engine, monkeypatch: pytest.MonkeyPatch):
    fill(scenario, engine, "mine")
    (note,) = Path("runs/campaigns").iterdir()
    note.unlink()
    Path("runs/campaigns").rmdir()
    Path("runs/campaigns").touch()
    code, _, err = run("list")
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("remark: runs/campaigns is no folder: not listed: remove it")
    said: list[str] = []
    monkeypatch.setattr(Lines, "say", lambda _, text: said.append(text))
    mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"]}, replications=3).run("runs", 1, progress=True)
    why = "store: runs/campaigns is not a folder: remove it; the results are kept"
    assert said == [f"{why}; the campaign has no note"]
    next(Path("runs").glob("*.parquet")).unlink()
    with pytest.raises(mp.UserError, match=f"^{why}$"):
        fill(scenario, engine, "mine")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda manifest: manifest.write_bytes(b""), "is no JSON"),
        (lambda manifest: manifest.mkdir(), "is a folder"),
        (os.mkfifo, "is no regular file"),
        (lambda manifest: manifest.symlink_to("none"), "is a link to a missing file"),
        (lambda manifest: manifest.write_bytes(b"[" * 100_000), "has lists or tables that are nested too deeply"),
    ],
)
def test_an_unreadable_manifest_is_told_in_words(make: Callable[[Path], object], why: str, run: Run):
    Path("runs").mkdir()
    make(Path("runs/manifest.json"))
    said = f"error: store: runs/manifest.json {why}: remove that file; the results are kept\n"
    assert run("list") == (2, "", said)


def test_an_export_has_the_runs_of_its_campaign_only(run: Run, scenario, engine):
    fill(scenario, engine, "short", replications=2)
    fill(scenario, engine, "long", replications=5)
    for title, count in (("short", 2), ("long", 5)):
        assert run("export", title, title)[::2] == (0, "")
        assert sorted(pd.read_csv(f"{title}/runs.csv")["replication"]) == sorted([*range(count)] * 2)
    sizes = {one["title"]: one["bytes"] for one in listed(run)[0]}
    assert sizes["short"] < sizes["long"]
    assert run("prune", "--campaign", "short", "--yes")[0] == 0
    assert listed(run)[1][0]["runs"] == 10


def test_a_note_has_the_replications_that_a_precision_needed(run: Run, scenario, engine):
    """The goodput of the fake engine grows with the replication, so all scenarios have as many replications."""
    precision = mp.Precision(within="1 %", minimum=3, maximum=6)
    campaign = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2"]}, precision=precision)
    campaign.run("runs", 1, progress=False, title="precise")
    fill(scenario, engine, "longer", replications=8)
    fill(scenario, engine, "least", replications=3)
    kept = {one["title"]: (one["done"], one["wanted"]) for one in listed(run)[0]}
    assert kept == {"precise": (12, 12), "longer": (16, 16), "least": (6, 6)}
    assert run("export", "precise", "frames")[::2] == (0, "")
    assert sorted(set(pd.read_csv("frames/runs.csv")["replication"])) == [*range(6)]
    shown = json.loads(run("show", "precise", "--json")[1])
    assert (shown["precision"]["within"], shown["precision"]["minimum"]) == ("1 %", 3)
    assert "precision: 1 % of goodput" in run("show", "precise")[1]
    # Replications after the first decision are not taken from another campaign.
    assert run("prune", "--campaign", "longer", "--yes")[0] == 0
    kept = {one["title"]: (one["done"], one["wanted"]) for one in listed(run)[0]}
    assert kept == {"precise": (12, 12), "least": (6, 6)}
    ran = engine.ran.total()
    campaign.run("runs", 1, progress=False)
    assert engine.ran.total() == ran


def test_the_parts_of_a_campaign_have_one_note_of_all_its_runs(run: Run, scenario, engine):
    campaign = mp.Campaign(scenario, {"cc": ["newreno", "cmt-rpv2", "lia"]}, replications=2)
    for shard, done in (("1/7", 1), ("2/7", 3), (None, 6)):
        campaign.run("runs", 1, progress=False, title="parts", shard=shard)
        (one,) = listed(run)[0]
        assert (one["done"], one["wanted"]) == (done, 6)


def made_older(title: str) -> None:
    """Give a campaign a note as manypath wrote it before notes had counts."""
    for note in Path("runs/campaigns").iterdir():
        content = json.loads(note.read_text())
        if content["title"] == title:
            for one in content["scenarios"]:
                del one["replications"]
            note.write_text(json.dumps(content))


def test_what_an_older_note_does_not_tell_is_said(run: Run, scenario, engine):
    fill(scenario, engine, "old")
    fill(scenario, engine, "long", replications=5)
    made_older("old")
    code, out, message = run("show", "old")
    assert (code, message) == (0, "")
    unknown = "the note of an older manypath does not tell how many runs of each scenario are its own"
    remedy = "the command of the campaign completes the note"
    assert f"replications: 3 or more: {unknown}; 4 further runs in the store; {remedy}" in " ".join(out.split())
    (old,) = (one for one in listed(run)[0] if one["title"] == "old")
    assert (old["wanted"], old["has_counts"]) == (6, False)
    assert "6 or more" in run("list")[1]
    code, _, message = run("export", "old", "frames")
    assert (code, len(pd.read_csv("frames/runs.csv"))) == (0, 10)
    assert message == (
        "remark: 4 runs in the files may be of another campaign of these scenarios: "
        f"{unknown}, only that replications 0 to 2 are its own; {remedy}\n"
    )
    fill(scenario, engine, "old")
    (old,) = (one for one in listed(run)[0] if one["title"] == "old")
    assert (old["wanted"], old["has_counts"]) == (6, True)
    assert run("export", "old", "exact")[::2] == (0, "")
    assert len(pd.read_csv("exact/runs.csv")) == 6


def test_pruning_keeps_runs_that_an_older_note_does_not_count(run: Run, scenario, engine):
    fill(scenario, engine, "old")
    fill(scenario, engine, "long", replications=5)
    made_older("old")
    assert " runs in " not in run("prune", "--campaign", "long", "--yes")[1]
    assert listed(run)[1][0]["runs"] == 10
    code, out, message = run("prune", "--campaign", "old", "--yes")
    assert (code, "removes 6 runs" in out) == (0, True)
    assert message.startswith("keeps 4 further runs of its scenarios: the note of an older manypath does not tell")
    assert listed(run)[1][0]["runs"] == 4


def test_pruning_a_store_that_cannot_be_written_is_refused_and_its_plan_is_shown(run: Run, scenario, engine):
    fill(scenario, engine, "mine")
    fill(scenario, engine, "other", cc=["lia"])
    before = sorted(Path("runs").rglob("*"))
    refused = "cannot be written (Permission denied): give a folder whose files you may remove\n"
    for words in (("--campaign", "mine"), ("--campaign", "mine", "--yes"), ("--engine", "1", "--yes")):
        with read_only(Path("runs")):
            assert run("prune", *words) == (2, "", f"error: store: runs {refused}")
    with read_only(Path("runs/campaigns")):
        assert run("prune", "--campaign", "mine", "--yes") == (2, "", f"error: store: runs/campaigns {refused}")
    with read_only(Path("runs")):
        code, out, message = run("prune", "--campaign", "mine", "--dry-run")
        assert (code, "would remove 6 runs in " in out, message) == (0, True, "")
        assert run("prune", "--other-engines", "--yes") == (0, "nothing to remove\n", "")
    assert sorted(Path("runs").rglob("*")) == before
    # A process that computes holds a lock, which a reader sees, too.
    computing = Claims(Path("runs"))
    with read_only(Path("runs")):
        left = len(shards()) + 2
        said = f"keeps {left} new files, because a process computes in runs\n"
        assert run("prune", "--engine", "1", "--dry-run") == (0, "", said)
    computing.close()


def test_where_files_cannot_be_locked_it_is_said_that_pruning_cannot_know(run: Run, scenario, engine, monkeypatch):
    def unlocked(_: object) -> bool:
        raise OSError("no locks")

    fill(scenario, engine, "mine")
    monkeypatch.setattr("manypath.campaign.claims.try_lock", unlocked)
    unknown = "files there cannot be locked, so that it is unknown whether a process computes in runs"
    said = f"keeps {len(shards()) + 1} files, because {unknown}\n"
    assert run("prune", "--campaign", "mine", "--yes") == (0, "", said)
