"""`manypath measure`: scenarios that real stacks run in real time, compared with the simulator."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manypath.cli.measure_grid import measure_grid
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
        help="Congestion control of the MPTCP flow; may be repeated. By default all.",
        autocompletion=congestion_controls,
    ),
]
Runs = Annotated[
    int | None,
    typer.Option(help="Repetitions of each, measured; by default 10, of a grid 4.", min=1, max=MOST_RUNS),
]
Tries = Annotated[
    int | None,
    typer.Option(
        help="Times that a run is measured until it is not marked; the last one counts. By default 1, of a grid 3.",
        min=1,
        max=MOST_TRIES,
    ),
]
Simulations = Annotated[
    int | None,
    typer.Option(
        help="Of one scenario: repetitions of each, simulated; by default as many.", min=1, max=MOST_SIMULATIONS
    ),
]
Most = Annotated[
    int | None,
    typer.Option(
        help="Of a grid: repetitions of cells that stay open; by default 32, with --quick 16, with --runs as many.",
        min=1,
        max=MOST_RUNS,
    ),
]
Report = Annotated[Path | None, typer.Option(help="Of a grid: folder of the report; by default `report`.")]
AtOnce = Annotated[
    int | None,
    typer.Option(help="Measurements side by side; by default 1, of a grid 4.", min=1, max=MOST_AT_ONCE),
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
    typer.Option(help="Of a scenario of a paper: file of measured runs that the paper shows, to be added to."),
]


def measure(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A scenario file, or one of ours: `--list` names them.",
            autocompletion=comparisons,
        ),
    ] = "",
    cc: Controls = None,
    quick: Annotated[bool, typer.Option("--quick", help="Of a grid, such as sctp: a part, in minutes.")] = False,
    udp: Annotated[bool, typer.Option("--udp", help="Of a grid: SCTP inside UDP, not directly in IP.")] = False,
    runs: Runs = None,
    most: Most = None,
    simulations: Simulations = None,
    seed: Annotated[int, typer.Option(help="Fixes the chance of links and starts.", min=0, max=MOST_SEED)] = 1,
    store: Annotated[Path, typer.Option(help="Folder of results; what is there is not measured again.")] = Path("runs"),
    report: Report = None,
    at_once: AtOnce = None,
    tries: Tries = None,
    stack: Stacks = None,
    publish: Publish = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    names: Annotated[bool, typer.Option("--list", help="Name the scenarios of ours, and do nothing.")] = False,
) -> None:
    """Run scenarios in real time on real stacks (kernel TCP, our SCTP, usrsctp), and in the simulator. Needs root."""
    from manypath.testbed import COMPARISONS, GRIDS

    if names:
        known = {**GRIDS, **COMPARISONS}
        print_table(["scenario", "what it is"], ([name, each.title] for name, each in known.items()))
        return
    # A scenario file may have another congestion control that is wrong
    options = (*(("cc",) if cc else ()), "most", "runs", "simulations", "seed", "store", "report", "at_once", "tries")
    with as_options(*options, stacks="stack"):
        chosen = _stacks(stack or [])
        if scenario in GRIDS:
            _check_grid(scenario, cc, publish, simulations)
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
        for option, given in (("--quick", quick), ("--udp", udp), ("--most", most), ("--report", report)):
            if given:
                raise UserError(f"{option}: is for {', '.join(GRIDS)}: leave it out")
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
            publish=publish,
            as_json=as_json,
        )


def _stacks(words: list[str]) -> dict[str, str]:
    """Return the stack of each flow by the words of the user; the flow "" is the key of the stack of all others."""
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


def _common(grid: str, chosen: dict[str, str]) -> str:
    """Return the stack of a grid, whose scenarios have one flow."""
    from manypath.cli.measure_grid import STACK
    from manypath.testbed import GRIDS

    flow = GRIDS[grid].flow
    for name in chosen:
        if name not in ("", flow):
            raise UserError(f"--stack: there is no flow {quoted(name)}: known: {flow}")
    return chosen.get(flow, chosen.get("", STACK))


def _check_grid(grid: str, cc: list[str] | None, publish: Path | None, simulations: int | None) -> None:
    """Refuse options of scenarios with a grid."""
    if cc:
        raise UserError(f"--cc: {grid} has congestion controls of its own: leave it out")
    if publish:
        raise UserError(f"--publish: {grid} is no scenario of a paper: leave it out")
    if simulations:
        raise UserError(f"--simulations: {grid} simulates each run with the same chance: leave it out")


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
    publish: Path | None,
    as_json: bool,
) -> None:
    """Measure one scenario with its congestion controls, and print the results beside the simulations."""
    from manypath.testbed import Testbed, beside

    comparison = _comparison(scenario)
    check_store(store)
    if publish:
        _check_target(scenario, comparison, publish, chosen)
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
        raise Stopped(f"given up; what was finished is in {store}: the same command goes on from there") from None
    options = {"testbed": Testbed(tries, chosen).version, "simulations": simulations, "cc": cc}
    several = {name: count for name, count in (("at once", at_once), ("tries", tries)) if count > 1}
    settings = Settings(seed, runs, options={**options, **several})
    if as_json:
        print_json({"scenario": scenario, **settings.document(), "rows": [_plain(row) for row in rows]})
    else:
        _print(rows, comparison)
        typer.echo(settings.line())
    if publish:
        _publish(comparison, controls, runs=runs, seed=seed, store=store, target=publish)


def _controls(scenario: str, comparison: Comparison, cc: list[str] | None) -> list[str]:
    """The congestion controls that are compared; `UserError` if those that were given cannot be."""
    from manypath.testbed.comparisons import has_several_paths

    if not cc:
        return list(comparison.controls)
    for index, name in enumerate(cc):
        if name in cc[:index]:
            raise UserError(f"--cc: {quoted(name)} is there twice: give each congestion control once")
    if not any(has_several_paths(flow) for flow in comparison.scenario(cc[0]).flows.values()):
        raise UserError(f"--cc: no flow of {scenario} has several paths: leave it out")
    return cc


def _check_target(scenario: str, comparison: Comparison, target: Path, chosen: dict[str, str]) -> None:
    """Refuse runs that no paper shows, and a file that cannot be extended, before anything is measured."""
    from manypath.outputs import Outputs
    from manypath.testbed.publishing import MEASURED

    if not comparison.experiment:
        raise UserError(f"--publish: {scenario} is no scenario of a paper: leave it out")
    if chosen:
        raise UserError("--publish: the pages of papers show the default stacks: leave --stack out")
    Outputs().file("--publish", target, MEASURED)


def _publish(comparison: Comparison, controls: list[str], *, runs: int, seed: int, store: Path, target: Path) -> None:
    """Add what was measured to the file of a paper, with the doubts of this machine's calibration."""
    from manypath.testbed.calibration import calibrated
    from manypath.testbed.publishing import publish

    calibration = calibrated(store, quick=True, tell=lambda text: typer.echo(text, err=True))
    written = publish(comparison, controls, runs=runs, seed=seed, store=store, calibration=calibration, target=target)
    typer.echo(f"{target}: {written} runs of {comparison.experiment}", err=True)


def _comparison(scenario: str) -> Comparison:
    """What is meant by a name or a file."""
    from manypath.testbed import COMPARISONS, GRIDS, Comparison
    from manypath.testbed.comparisons import has_several_paths, with_control

    if scenario in COMPARISONS:
        return COMPARISONS[scenario]
    file = Path(scenario)
    if not file.suffix:
        raise UserError(
            f"scenario: there is no {quoted(scenario)}: {remedy(scenario, [*GRIDS, *COMPARISONS])}, or name a file"
        )
    from manypath.scenario import Scenario

    whole = Scenario.from_file(file)
    controls = tuple(dict.fromkeys(flow.cc for flow in whole.flows.values() if has_several_paths(flow)))
    return Comparison(file.stem, lambda cc: with_control(whole, cc), controls or ("newreno",))


def _print(rows: list[Row], comparison: Comparison) -> None:
    paper = ["paper"] if comparison.printed else []
    print_table(
        ["cc", "flow", "stack", *paper, "measured", "simulated", "ratio", "within 10 %", "runs", "marked"],
        (
            [
                row.cc,
                row.flow,
                row.stack,
                *([f"{comparison.printed[row.flow]:.2f}"] if paper else []),
                _interval(row.measured, row.measured_half_width),
                _interval(row.simulated, row.simulated_half_width),
                f"{row.ratio:.3f}",
                "yes" if row.within else "not shown",
                str(row.runs),
                str(row.marked),
            ]
            for row in rows
        ),
    )
    typer.echo("Goodput in Mbit/s; share: the first flow over the second. 95 % intervals.")
    if any(row.marked for row in rows):
        typer.echo(
            "Marked runs are not to be trusted. Fewer side by side may help (--at-once), or more attempts (--tries)."
        )


def _interval(mean: float, half_width: float) -> str:
    return f"{mean:.3f}" if math.isnan(half_width) else f"{mean:.3f} ± {half_width:.3f}"


def _plain(row: Row) -> dict[str, object]:
    """A row as JSON has it: null where there is no number."""
    fields = {**asdict(row), "ratio": row.ratio}
    lacking = {name for name, value in fields.items() if isinstance(value, float) and not math.isfinite(value)}
    return {name: None if name in lacking else value for name, value in fields.items()}
