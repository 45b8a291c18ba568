"""A cause is reported with the standing claims that it breaks."""

from dataclasses import replace

from small_paper import PAPER

from manypath.papers.claim import Claims
from manypath.papers.evaluation import evaluate
from manypath.papers.predicates import above
from manypath.papers.published import load
from manypath.papers.publishing import publish
from manypath.papers.switch import Switch, by_name
from manypath.papers.tried import tried_on

claim = Claims()


@claim("C-999-3", place="3", says="The single flow has its link alone.", kind="number", suspects=("apart",))
def _alone(results):
    return above(results.goodput("short", "single", north=2.0), 1.5)


@claim("C-999-4", place="4", says="CMT has more than the single flow.", kind="ordering")
def _more(results):
    return above(results.goodput("short", "cmt", north=2.0), results.goodput("short", "single", north=2.0))


@claim("C-999-5", place="5", says="CMT has something.", kind="ordering")
def _something(results):
    return above(results.goodput("short", "cmt", north=2.0), 0.1)


def _apart(scenario):
    links = {
        name: link.but(rate="0.5 Mbit/s") if name.startswith("north") else link
        for name, link in scenario.network.links.items()
    }
    return scenario.but(
        network=scenario.network.but(links=links),
        flows={**scenario.flows, "cmt": scenario.flows["cmt"].but(paths=("north",))},
    )


APART = Switch("apart", "a CMT flow on a slow path of its own", _apart)
SIX = {"replications": 6, "trials": 6, "curves": 6}
CONTRARY = replace(
    PAPER,
    claims=tuple(claim.all()),
    switches=by_name([*PAPER.switches.values(), APART]),
    full=replace(PAPER.full, **SIX),
    mutated=replace(PAPER.mutated, **SIX),
)


def test_the_card_of_a_claim_names_what_its_cause_breaks(store, package):
    (part,) = evaluate([CONTRARY], full=True, open_settings=False, store=store, progress=False).papers
    verdicts = {item.claim.id: item.check.verdict for item in part.claims}
    assert verdicts == {"C-999-3": "contradicted", "C-999-4": "holds", "C-999-5": "holds"}
    assert part.broken == {APART.says: ("C-999-4",)}
    (tried,) = tried_on(part.claims[0], part.broken)
    assert [(trial.changed, trial.verdict, trial.breaks) for trial in tried.trials] == [
        (APART.says, "holds", ("C-999-4",))
    ]
    publish(part)
    found = load(PAPER.name)
    assert found is not None
    assert found.claims["C-999-3"].causes[0].trials[0].breaks == ("C-999-4",)
