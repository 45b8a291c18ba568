"""`manypath measure`: real stacks run scenarios in real time, and the results are compared with the simulator."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manypath.arguments import MOST_AT_ONCE, MOST_RUNS, MOST_SIMULATIONS, MOST_TRIES
from manypath.cli.measure_grid import interval, measure_grid
from manypath.cli.measure_options import DISTURBED, Options
from manypath.cli.measure_paper import measure_paper
from manypath.cli.measure_recovery import measure_recovery
from manypath.cli.names import comparisons, congestion_controls, stacks
from manypath.cli.option_names import as_options
from manypath.cli.output import print_json, print_table
from manypath.cli.targets import check_store
from manypath.display import number_columns, text_columns
from manypath.errors import UserError, quoted, remedy
from manypath.settings import Settings

if TYPE_CHECKING:
    from manypath.testbed import ComparedScenario, MeasuredQuantity


RUNS = 10
"""Default number of runs."""

MOST_SEED = 2**64 - 1
"""The largest seed."""

RECOVERY = "failover"
"""The scenario in which a path goes down and up under each stack."""

Controls = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Congestion control of the flows over several paths; may be repeated. By default all. For a paper: only "
        "the cases of this one.",
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
Report = Annotated[
    Path | None, typer.Option(help="For a grid, a paper or failover: folder of the report; by default `report`.")
]
AtOnce = Annotated[
    int | None,
    typer.Option(
        help="Concurrent measurements; by default 1, for a grid 4, for a paper 6 or 8.", min=1, max=MOST_AT_ONCE
    ),
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

Events = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="For a scenario: folder for the events of the run that goes on, for `manypath explore --attach`: "
        "links.jsonl, and flow-NAME.jsonl for flows of our stack.",
    ),
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
        bool, typer.Option("--quick", help="For a grid, a paper or failover: measure only a part, which takes minutes.")
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
    events: Events = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    names: Annotated[bool, typer.Option("--list", help="List the built-in scenarios, grids and papers.")] = False,
) -> None:
    """Run scenarios in real time on real stacks (kernel TCP, our SCTP, usrsctp) and in the simulator. Needs root."""
    from manypath.testbed import GRIDS, PAPER_GRIDS

    options = Options(
        scenario,
        cc,
        quick,
        udp,
        runs,
        most,
        simulations,
        seed,
        store,
        report,
        at_once,
        tries,
        stack,
        publish,
        events,
        as_json,
    )
    if names:
        _list(options)
        return
    if not scenario:
        raise UserError("SCENARIO: missing: give the name of one, as --list prints them, or a scenario file")
    if events is not None and scenario in (*GRIDS, *PAPER_GRIDS, RECOVERY):
        raise UserError(f"--events: not valid for {scenario}: leave it out")
    with as_options(stacks="--stack"):
        if scenario in GRIDS:
            _measure_grid(options)
        elif scenario in PAPER_GRIDS:
            _measure_paper(options)
        elif scenario == RECOVERY:
            _measure_recovery(options)
        else:
            _measure_comparison(options)


def _list(options: Options) -> None:
    """Print the names of the built-in scenarios, grids and papers."""
    from manypath.testbed import COMPARISONS, GRIDS, PAPER_GRIDS
    from manypath.testbed.recovery import TITLE

    given = options.given(apart=("as_json",))
    if given:
        raise UserError(f"{given[0]}: has no effect with --list: leave one of them out")
    known = {name: each.title for name, each in {**GRIDS, **PAPER_GRIDS, **COMPARISONS}.items()}
    rows = {**known, RECOVERY: TITLE}
    if options.as_json:
        print_json([{"scenario": name, "title": title} for name, title in rows.items()])
        return
    print_table(text_columns("scenario", "what it is"), ([name, title] for name, title in rows.items()))


def _measure_grid(options: Options) -> None:
    """Measure a grid of scenarios."""
    grid = options.scenario
    if options.cc:
        raise UserError(f"--cc: {grid} has its own congestion controls: leave it out")
    if options.simulations:
        raise UserError(f"--simulations: {grid} simulates each run with the same seed: leave it out")
    _check_unpublished(options)
    check_store(options.store)
    measure_grid(options, _common(grid, _stacks(options.stack or [])))


def _measure_paper(options: Options) -> None:
    """Measure the experiments of a paper."""
    from manypath.outputs import Outputs
    from manypath.testbed.publishing import MEASURED

    name = options.scenario
    _check_controls(name, options)
    for option, given in (("--udp", options.udp), ("--most", options.most), ("--simulations", options.simulations)):
        if given:
            raise UserError(f"{option}: not valid for {name}: leave it out")
    check_store(options.store)
    if options.publish:
        Outputs().file("--publish", options.publish, MEASURED)
    measure_paper(options, _only(name, options.stack))


def _check_controls(name: str, options: Options) -> None:
    """Refuse --cc for a congestion control that no case of a paper has."""
    from manypath.testbed import PAPER_GRIDS

    grid = PAPER_GRIDS[name]
    known = (grid.quick if options.quick else grid.full).controls
    for word in options.cc or []:
        if not known:
            raise UserError(f"--cc: congestion controls are not a factor of {name}: leave it out")
        if word not in known:
            raise UserError(f"--cc: {name} has no {quoted(word)}: {remedy(word, known)}")


def _measure_recovery(options: Options) -> None:
    """Measure the recovery of each stack from a path that goes down and up."""
    from manypath.testbed.contestants import CONTESTANTS

    name = options.scenario
    for option in ("cc", "udp", "most", "simulations", "publish"):
        if getattr(options, option):
            raise UserError(f"--{option}: not valid for {name}: leave it out")
    for word in options.stack or []:
        if word not in CONTESTANTS:
            raise UserError(f"--stack: {name} has no {quoted(word)}: {remedy(word, CONTESTANTS)}")
    check_store(options.store)
    measure_recovery(options)


def _check_unpublished(options: Options) -> None:
    """Refuse --publish for a scenario that is not an experiment of a paper."""
    if options.publish:
        raise UserError(f"--publish: {options.scenario} is not an experiment of a paper: leave it out")


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


def _measure_comparison(options: Options) -> None:
    """Measure and simulate one scenario with its congestion controls, and print the comparison."""
    from manypath.outputs import Outputs
    from manypath.testbed import GRIDS, PAPER_GRIDS, Testbed, beside
    from manypath.testbed.calibration import calibrated, fastest

    scenario = options.scenario
    comparison = _comparison(scenario)
    for option in ("quick", "report", "udp", "most"):
        if getattr(options, option):
            valid = GRIDS if option in ("udp", "most") else (*GRIDS, *PAPER_GRIDS, RECOVERY)
            raise UserError(f"--{option}: only valid for {', '.join(valid)}: leave it out")
    _check_unpublished(options)
    chosen = _stacks(options.stack or [])
    runs, at_once, tries = options.runs or RUNS, options.at_once or 1, options.tries or 1
    if options.events is not None:
        if at_once > 1:
            raise UserError(f"--events: shows one run at a time, but --at-once is {at_once}: give 1")
        Outputs().folder("--events", options.events)
    controls = _controls(scenario, comparison, options.cc)
    check_store(options.store)
    calibrate = cache(partial(calibrated, options.store, quick=True, tell=partial(typer.echo, err=True)))
    try:
        rows = beside(
            comparison.scenario,
            controls,
            runs=runs,
            simulations=options.simulations,
            seed=options.seed,
            store=options.store,
            at_once=at_once,
            tries=tries,
            stacks=chosen,
            events=options.events,
            checked=calibrate,
        )
    except KeyboardInterrupt:
        raise options.stopped from None
    given = {"testbed": Testbed(tries, chosen).version, "simulations": options.simulations, "cc": options.cc}
    several = {name: count for name, count in (("at once", at_once), ("tries", tries)) if count > 1}
    settings = Settings(options.seed, runs, options={**given, **several})
    calibration = calibrate()
    if options.as_json:
        made, plain = asdict(calibration), [_plain(row) for row in rows]
        print_json({"scenario": scenario, **settings.document(), "calibration": made, "rows": plain})
        return
    _print(rows)
    for doubt in calibration.doubts(fastest(comparison.scenario(controls[0]))):
        typer.echo(doubt)
    typer.echo(settings.line())


def _controls(scenario: str, comparison: ComparedScenario, cc: list[str] | None) -> list[str]:
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


def _comparison(scenario: str) -> ComparedScenario:
    """Return the comparison with this name, or the comparison of a scenario file."""
    from manypath.testbed import COMPARISONS, GRIDS, PAPER_GRIDS, ComparedScenario
    from manypath.testbed.comparisons import has_several_paths, with_control

    if scenario in COMPARISONS:
        return COMPARISONS[scenario]
    file = Path(scenario)
    if not file.suffix:
        known = remedy(scenario, [*GRIDS, *PAPER_GRIDS, *COMPARISONS, RECOVERY])
        raise UserError(f"scenario: there is no {quoted(scenario)}: {known}, or give a file")
    from manypath.scenario import Scenario

    whole = Scenario.from_file(file)
    controls = tuple(dict.fromkeys(flow.cc for flow in whole.flows.values() if has_several_paths(flow)))
    return ComparedScenario(file.stem, lambda cc: with_control(whole, cc), controls or ("newreno",))


def _print(rows: list[MeasuredQuantity]) -> None:
    print_table(
        [
            *text_columns("cc", "flow", "stack"),
            *number_columns("measured", "simulated", "ratio"),
            *text_columns("within 10 %"),
            *number_columns("runs", "marked"),
        ],
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
        typer.echo(DISTURBED)


def _plain(row: MeasuredQuantity) -> dict[str, object]:
    """Return a row for JSON, with null for numbers that are not finite."""
    fields = {**asdict(row), "ratio": row.ratio}
    lacking = {name for name, value in fields.items() if isinstance(value, float) and not math.isfinite(value)}
    return {name: None if name in lacking else value for name, value in fields.items()}
