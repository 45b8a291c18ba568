"""Writes the published results of a paper (`manypath.papers.published`) from an evaluation with full precision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manypath.errors import UserError
from manypath.outputs import Kind
from manypath.papers import kept
from manypath.papers.budget import budget_of
from manypath.papers.evidence import Case, Evidence, goodput_in
from manypath.papers.mean import Mean
from manypath.papers.open_settings.kept import data_of as over_data
from manypath.papers.published import FILE, FORMAT, file_of
from manypath.papers.published_rows import PublishedCase, PublishedChange, grouped_cases, grouped_changes
from manypath.papers.tried import data_of, tried_on
from manypath.replacement import replacing
from manypath.rows import Outcome

if TYPE_CHECKING:
    from manypath.papers.causes import Verified
    from manypath.papers.paper import Paper
    from manypath.papers.paper_evaluation import PaperEvaluation
    from manypath.papers.profiles import Profiles
    from manypath.papers.sensitivity import SensitivityRow
    from manypath.papers.side_effects import SideEffects
    from manypath.papers.verdict_matrix import VerdictMatrix


def check_targets(papers: Iterable[Paper]) -> None:
    """Check that the tables of papers can be written.

    Raises
    ------
    UserError
        If the package is not in a source tree, or a file cannot be written.
    """
    kept.check_targets((paper.name for paper in papers), FILE, KIND)


def publish(part: PaperEvaluation) -> Path:
    """Write the results of a paper into the package, and return the path of the file.

    Raises
    ------
    UserError
        If `part` is not an evaluation of the whole paper with full precision.
    """
    target = file_of(part.paper.name)
    text = table(part)
    with replacing("--publish", target) as begun:
        begun.write_text(text, encoding="utf-8")
    return target


def table(part: PaperEvaluation) -> str:
    """Return the text of the table, with a line for each claim and each group of cases. Equal runs give equal texts.

    Raises
    ------
    UserError
        If `part` is not an evaluation of the whole paper with full precision.
    """
    paper, precision, grown = part.paper, part.precision, part.grown
    is_part = part.figure is not None or part.unfinished is not None or not part.causes
    if precision != paper.full or grown is None or is_part:
        raise UserError(f"--publish: {paper.name} was not run as a whole with full precision: give --full alone")
    head: dict[str, Any] = {
        "published": FORMAT,
        "paper": paper.name,
        "engine": part.engine,
        "seed": part.seed,
        "precision": {
            "name": precision.name,
            "replications": precision.replications,
            "most": precision.most,
            "warmup": precision.warmup,
            "measure": precision.measure,
        },
        "runs": part.runs,
        "cpu_seconds": round(part.cpu_seconds, 1),
        "digest": digest_of_evidence(grown),
    }
    lists: dict[str, list[Any]] = {
        "claims": [_claim(item, grown, part.broken) for item in part.claims],
        "cases": [
            group.data() for group in grouped_cases(_case(paper, case, part.evidence) for case in part.evidence.cases())
        ],
        "sensitivity": [group.data() for group in grouped_changes(map(_change, part.sensitivity))],
    }
    tail: dict[str, Any] = {
        "profiles": {} if part.profiles is None else _profiles(part.profiles),
        "mutations": None if part.matrix is None else _matrix(part.matrix.by_name),
        **({} if part.over is None else {"over": over_data(part.over)}),
    }
    lines = [f'"{name}": {_json(value)}' for name, value in head.items()]
    lines += [f'"{name}": [\n' + ",\n".join(map(_json, rows)) + "\n]" for name, rows in lists.items()]
    lines += [f'"{name}": {_json(value)}' for name, value in tail.items()]
    return "{" + ",\n".join(lines) + "}\n"


def digest_of(outcomes: Sequence[Outcome]) -> str:
    """Return a hash of the digests of some runs, in their order."""
    return _hash(outcome["digest"] for outcome in outcomes)


def digest_of_evidence(evidence: Evidence) -> str:
    """Return a hash of the digests of all plain runs."""
    cases = sorted(evidence.cases(), key=str)
    return _hash(f"{case}: {digest_of(evidence.runs(case).outcomes)}" for case in cases)


def is_same_scenario(paper: Paper, case: Case) -> bool:
    """Return whether quick and full precision run the same scenario, including the window, at a point."""
    return paper.experiments.scenario(case, paper.quick) == paper.experiments.scenario(case, paper.full)


def _hash(words: Iterable[str]) -> str:
    return sha256("\n".join(words).encode()).hexdigest()[:HASH]


def _case(paper: Paper, case: Case, evidence: Evidence) -> PublishedCase:
    outcomes = evidence.runs(case).outcomes
    few = paper.quick.replications
    same = few < len(outcomes) and is_same_scenario(paper, case)
    return PublishedCase(
        case=case,
        runs=len(outcomes),
        digest=digest_of(outcomes),
        first=(few, digest_of(outcomes[:few])) if same else None,
        goodput={flow: Mean.of(goodput_in(outcomes, flow)) for flow in outcomes[0]["flows"]},
    )


def _change(row: SensitivityRow) -> PublishedChange:
    return PublishedChange(
        case=row.case,
        changed=row.switch.says,
        flow=row.flow,
        before=Mean.of(row.before),
        difference=Mean.of(row.difference),
        significant=row.significant,
    )


def _claim(item: Verified, grown: Evidence, broken: SideEffects) -> dict[str, Any]:
    check = item.check
    budget = budget_of(item, grown)
    return {
        "id": item.claim.id,
        "verdict": check.verdict,
        "measured": None if check.parts else check.measured,
        "expected": None if check.parts else check.expected,
        "runs": check.runs,
        "needed": budget.runs,
        "needed_seconds": budget.seconds,
        "why": check.why,
        "explanation": item.explanation,
        "parts": [
            {
                "what": leaf.what,
                "verdict": leaf.verdict,
                "measured": leaf.measured,
                "expected": leaf.expected,
                "runs": leaf.runs,
            }
            for leaf in check.parts
        ],
        "causes": [data_of(each, Mean.rounded) for each in tried_on(item, broken)],
        **({} if item.halves is None else {"halves": item.halves}),
    }


def _profiles(profiles: Profiles) -> dict[str, dict[str, str]]:
    return {claim.id: {name: check.verdict for name, check in profiles.of(claim).items()} for claim in profiles.claims}


def _matrix(matrix: VerdictMatrix) -> dict[str, Any]:
    verdicts = {
        claim: {name: matrix.verdicts[claim, name] for name in matrix.mutations if (claim, name) in matrix.verdicts}
        for claim in matrix.plain
    }
    return {"names": matrix.mutations, "plain": matrix.plain, "verdicts": verdicts}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


HASH = 16
"""Characters of a hash."""

KIND = Kind("a table of published results", lambda head, _: head.startswith(b'{"published": '))
"""Kind of the file, for checks of outputs."""
