"""`manypath measure`: real stacks run scenarios in real time, and the results are compared with the simulator."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manypath.cli.measure_grid import interval, measure_grid
from manypath.cli.measure_paper import measure_paper
from manypath.cli.names import comparisons, congestion_controls, stacks
from manypath.cli.option_names import as_options
from manypath.cli.output import print_json, print_table
from manypath.cli.settings import Settings
from manypath.cli.targets import check_store
from manypath.errors import Stopped, UserError, quoted, remedy

if TYPE_CHECKING:
    from manypath.testbed import Comparison, Row


RUNS = 10
"""Default number of runs."""

MOST_SEED = 2**64 - 1
"""The largest seed."""

MOST_RUNS, MOST_SIMULATIONS, MOST_TRIES = 1_000, 5_000, 100
"""The largest numbers of runs and attempts: more would take weeks."""

MOST_AT_ONCE = 256
"""The largest number of measurements at the same time: each has its own processes, namespaces and interfaces."""

REPORT = Path("report")
"""Default folder for the page of a grid."""

Controls = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Congestion control of the flows over several paths; may be repeated. By default all.",
        autocompletion=congestion_controls,
    ),
]
Runs = Annotated[
    int | None,
    typer.Option(
        help="Measured runs of each scenario; by default 10, for a grid 4, for a paper 4 to 30.", min=1, max=MOST_RUNS
    ),
]
Tries = Annotated[
    int | None,
    typer.Option(
        help="Largest number of measurements of a run that is marked; the last one counts. By default 1, for a grid or "
        "a paper 3.",
        min=1,
        max=MOST_TRIES,
    ),
]
Simulations = Annotated[
    int | None,
    typer.Option(
        help="Simulated runs of a scenario that is not a grid or a paper; by default the number of measured runs.",
        min=1,
        max=MOST_SIMULATIONS,
    ),
]
Most = Annotated[
    int | None,
    typer.Option(
        help="For a grid: largest number of runs of a cell that stays open; by default 32, with --quick 16, with "
        "--runs that number.",
        min=1,
        max=MOST_RUNS,
    ),
]
Report = Annotated[Path | None, typer.Option(help="For a grid or a paper: folder of the report; by default `report`.")]
AtOnce = Annotated[
    int | None,
    typer.Option(help="Concurrent measurements; by default 1, for a grid 4, for a paper 10.", min=1, max=MOST_AT_ONCE),
]
Stacks = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        metavar="[FLOW=]NAME",
        help="Stack of a flow, or of all flows that it can run; may be repeated. By default the kernel runs TCP and "
        "MPTCP, and manypath runs SCTP.",
        autocompletion=stacks,
    ),
]
Publish = Annotated[
    Path | None,
    typer.Option(help="For a paper: file to which the measured runs are added. The page of the paper shows them."),
]


def measure(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A scenario file, or the name of a built-in scenario, grid or paper (see --list).",
            autocompletion=comparisons,
        ),
    ] = "",
    cc: Controls = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="For a grid or a paper: measure only a part, which takes minutes.")
    ] = False,
    udp: Annotated[bool, typer.Option("--udp", help="For a grid: SCTP inside UDP instead of directly in IP.")] = False,
    runs: Runs = None,
    most: Most = None,
    simulations: Simulations = None,
    seed: Annotated[int, typer.Option(help="Seed of links and starting times.", min=0, max=MOST_SEED)] = 1,
    store: Annotated[Path, typer.Option(help="Folder of results; stored runs are not measured again.")] = Path("runs"),
    report: Report = None,
    at_once: AtOnce = None,
    tries: Tries = None,
    stack: Stacks = None,
    publish: Publish = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    names: Annotated[bool, typer.Option("--list", help="List the built-in scenarios, grids and papers.")] = False,
) -> None:
    """Run scenarios in real time on real stacks (kernel TCP, our SCTP, usrsctp) and in the simulator. Needs root."""
    from manypath.testbed import COMPARISONS, GRIDS, PAPER_GRIDS

    if names:
        known = {**GRIDS, **PAPER_GRIDS, **COMPARISONS}
        print_table(["scenario", "what it is"], ([name, each.title] for name, each in known.items()))
        return
    # Without --cc, a message about a congestion control is about the scenario file
    options = (*(("cc",) if cc else ()), "most", "runs", "simulations", "seed", "store", "report", "at_once", "tries")
    with as_options(*options, stacks="stack"):
        chosen = {} if scenario in PAPER_GRIDS else _stacks(stack or [])
        if scenario in GRIDS:
            _check_grid(scenario, cc, simulations)
            _check_unpublished(scenario, publish)
            check_store(store)
            measure_grid(
                scenario,
                quick=quick,
                udp=udp,
                runs=runs,
                most=most,
                seed=seed,
                store=store,
                report=report or REPORT,
                at_once=at_once,
                tries=tries,
                stack=_common(scenario, chosen),
                as_json=as_json,
            )
            return
        if scenario in PAPER_GRIDS:
            _check_paper(scenario, cc, udp=udp, most=most, simulations=simulations)
            check_store(store)
            if publish:
                _check_published(publish)
            measure_paper(
                scenario,
                stacks=_only(scenario, stack),
                quick=quick,
                runs=runs,
                seed=seed,
                store=store,
                report=report or REPORT,
                at_once=at_once,
                tries=tries,
                publish=publish,
                as_json=as_json,
            )
            return
        for option, given in (("--quick", quick), ("--report", report), ("--udp", udp), ("--most", most)):
            if given:
                valid = GRIDS if option in ("--udp", "--most") else (*GRIDS, *PAPER_GRIDS)
                raise UserError(f"{option}: only valid for {', '.join(valid)}: leave it out")
        _check_unpublished(scenario, publish)
        _measure_comparison(
            scenario,
            cc,
            runs=runs or RUNS,
            simulations=simulations,
            seed=seed,
            store=store,
            at_once=at_once or 1,
            tries=tries or 1,
            chosen=chosen,
            as_json=as_json,
        )


def _stacks(words: list[str]) -> dict[str, str]:
    """Return the stack of each flow from the words [FLOW=]NAME; the key "" has the stack of all other flows."""
    chosen: dict[str, str] = {}
    for word in words:
        flow, sign, name = word.rpartition("=")
        if sign and not flow:
            raise UserError(f"--stack: {quoted(word)} has no flow before the sign =: give FLOW={name}, or {name}")
        if flow in chosen:
            twice = f"flow {flow}" if flow else "all flows"
            raise UserError(f"--stack: {twice} has two stacks, {chosen[flow]} and {name}: give one")
        chosen[flow] = name
    return chosen


def _only(name: str, words: list[str] | None) -> list[str] | None:
    """Return the chosen stacks of a paper's experiments, or None for all stacks."""
    from manypath.testbed import PAPER_GRIDS

    known = PAPER_GRIDS[name].stacks
    for word in words or []:
        if word not in known:
            raise UserError(f"--stack: {name} has no {quoted(word)}: {remedy(word, known)}")
    return list(dict.fromkeys(words)) if words else None


def _common(grid: str, chosen: dict[str, str]) -> str:
    """Return the stack that runs the flow of a grid."""
    from manypath.cli.measure_grid import STACK
    from manypath.testbed import GRIDS

    flow = GRIDS[grid].flow
    for name in chosen:
        if name not in ("", flow):
            raise UserError(f"--stack: there is no flow {quoted(name)}: known: {flow}")
    return chosen.get(flow, chosen.get("", STACK))


def _check_unpublished(scenario: str, publish: Path | None) -> None:
    """Refuse --publish for a scenario that is not an experiment of a paper."""
    if publish:
        raise UserError(f"--publish: {scenario} is not an experiment of a paper: leave it out")


def _check_grid(grid: str, cc: list[str] | None, simulations: int | None) -> None:
    """Refuse options that do not apply to a grid."""
    if cc:
        raise UserError(f"--cc: {grid} has its own congestion controls: leave it out")
    if simulations:
        raise UserError(f"--simulations: {grid} simulates each run with the same seed: leave it out")


def _check_paper(name: str, cc: list[str] | None, *, udp: bool, most: int | None, simulations: int | None) -> None:
    """Refuse options that do not apply to a paper's experiments."""
    if cc:
        raise UserError(f"--cc: {name} compares the congestion controls of its paper: leave it out")
    for option, given in (("--udp", udp), ("--most", most), ("--simulations", simulations)):
        if given:
            raise UserError(f"{option}: not valid for {name}: leave it out")


def _measure_comparison(
    scenario: str,
    cc: list[str] | None,
    *,
    runs: int,
    simulations: int | None,
    seed: int,
    store: Path,
    at_once: int,
    tries: int,
    chosen: dict[str, str],
    as_json: bool,
) -> None:
    """Measure and simulate one scenario with its congestion controls, and print the comparison."""
    from manypath.testbed import Testbed, beside

    comparison = _comparison(scenario)
    check_store(store)
    controls = _controls(scenario, comparison, cc)
    try:
        rows = beside(
            comparison.scenario,
            controls,
            runs=runs,
            simulations=simulations,
            seed=seed,
            store=store,
            at_once=at_once,
            tries=tries,
            stacks=chosen,
        )
    except KeyboardInterrupt:
        raise Stopped(f"stopped; {store} has the finished runs: the same command continues") from None
    options = {"testbed": Testbed(tries, chosen).version, "simulations": simulations, "cc": cc}
    several = {name: count for name, count in (("at once", at_once), ("tries", tries)) if count > 1}
    settings = Settings(seed, runs, options={**options, **several})
    if as_json:
        print_json({"scenario": scenario, **settings.document(), "rows": [_plain(row) for row in rows]})
    else:
        _print(rows)
        typer.echo(settings.line())


def _controls(scenario: str, comparison: Comparison, cc: list[str] | None) -> list[str]:
    """Return the congestion controls to compare.

    Raises
    ------
    UserError
        If a congestion control is given twice, or if no flow of the scenario has several paths.
    """
    from manypath.testbed.comparisons import has_several_paths

    if not cc:
        return list(comparison.controls)
    for index, name in enumerate(cc):
        if name in cc[:index]:
            raise UserError(f"--cc: {quoted(name)} is given twice: give each congestion control once")
    if not any(has_several_paths(flow) for flow in comparison.scenario(cc[0]).flows.values()):
        raise UserError(f"--cc: no flow of {scenario} has several paths: leave it out")
    return cc


def _check_published(target: Path) -> None:
    """Refuse a file to which measured runs cannot be added."""
    from manypath.outputs import Outputs
    from manypath.testbed.publishing import MEASURED

    Outputs().file("--publish", target, MEASURED)


def _comparison(scenario: str) -> Comparison:
    """Return the comparison with this name, or the comparison of a scenario file."""
    from manypath.testbed import COMPARISONS, GRIDS, PAPER_GRIDS, Comparison
    from manypath.testbed.comparisons import has_several_paths, with_control

    if scenario in COMPARISONS:
        return COMPARISONS[scenario]
    file = Path(scenario)
    if not file.suffix:
        known = remedy(scenario, [*GRIDS, *PAPER_GRIDS, *COMPARISONS])
        raise UserError(f"scenario: there is no {quoted(scenario)}: {known}, or give a file")
    from manypath.scenario import Scenario

    whole = Scenario.from_file(file)
    controls = tuple(dict.fromkeys(flow.cc for flow in whole.flows.values() if has_several_paths(flow)))
    return Comparison(file.stem, lambda cc: with_control(whole, cc), controls or ("newreno",))


def _print(rows: list[Row]) -> None:
    print_table(
        ["cc", "flow", "stack", "measured", "simulated", "ratio", "within 10 %", "runs", "marked"],
        (
            [
                row.cc,
                row.flow,
                row.stack,
                interval(row.measured, row.measured_half_width),
                interval(row.simulated, row.simulated_half_width),
                f"{row.ratio:.3f}",
                "yes" if row.within else "not shown",
                str(row.runs),
                str(row.marked),
            ]
            for row in rows
        ),
    )
    typer.echo("Goodput in Mbit/s with 95 % intervals; share: goodput of the first flow divided by the second flow's.")
    if any(row.marked for row in rows):
        typer.echo("Marked runs were disturbed. Fewer at once (--at-once) or more tries (--tries) may help.")


def _plain(row: Row) -> dict[str, object]:
    """Return a row for JSON, with null for numbers that are not finite."""
    fields = {**asdict(row), "ratio": row.ratio}
    lacking = {name for name, value in fields.items() if isinstance(value, float) and not math.isfinite(value)}
    return {name: None if name in lacking else value for name, value in fields.items()}
