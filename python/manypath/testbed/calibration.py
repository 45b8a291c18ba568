"""Accuracy of the emulator on this machine, measured before a campaign and stored with its results."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from manypath.campaign.damage import Damaged, read_as, warned
from manypath.errors import UserError
from manypath.programs import APART, EMULATOR, fingerprint, last_line, launch, program
from manypath.replacement import replacing
from manypath.scenario import Scenario


@dataclass(frozen=True)
class Calibration:
    """The result of a calibration.

    Attributes
    ----------
    when : str
        Time of the calibration: ISO 8601, UTC.
    machine : str
        Kernel and number of processors.
    emulator : str
        Hash of the emulator's program.
    load : float
        Load average of the minute before the calibration.
    rows : sequence of mapping
        The rows that ``manypath emulate --calibrate --json`` prints.
    """

    when: str
    machine: str
    emulator: str
    load: float
    rows: Sequence[Mapping[str, Any]]

    def doubts(self, mbit: float) -> Iterator[str]:
        """Yield the reasons why emulated links of `mbit` Mbit/s are inaccurate on this machine without other load.

        The check uses the lowest calibrated rate that is at least `mbit`.
        """
        unloaded = [row for row in self.rows if row["kind"] == "rate" and not row["load"]]
        rate = min((row["set"] for row in unloaded if row["set"] >= mbit), default=None)
        if rate is None:
            yield f"calibration: no link of {mbit:g} Mbit/s or more was calibrated"
        for row in unloaded:
            if row["set"] == rate:
                error = abs(row["measured"] / row["expected"] - 1)
                if error > RATE_ERROR:
                    yield f"calibration: a link of {rate:g} Mbit/s deviated by {100 * error:.1f} % from its rate"
                if row["late"] > 100 * LATE_SHARE:
                    yield f"calibration: {row['late']:.1f} % of the packets left a link of {rate:g} Mbit/s 2 ms late"


def calibrated(store: Path, *, quick: bool, tell: Callable[[str], None]) -> Calibration:
    """Return a stored calibration of this machine and emulator that is less than a day old, else make and store one.

    `tell` is called with a message before a new calibration starts.

    Raises
    ------
    UserError
        If the calibration fails, or if its result cannot be stored.
    """
    machine = f"Linux {platform.release()}, {os.cpu_count()} processors"
    emulator = fingerprint(program(EMULATOR))
    now = datetime.now(UTC)
    for found in stored(store):
        age = now - datetime.fromisoformat(found.when)
        if (found.machine, found.emulator) == (machine, emulator) and age < timedelta(days=1):
            return found
    tell(f"calibrating the emulator, which takes {'half a minute' if quick else 'four minutes'}")
    load = os.getloadavg()[0]
    made = Calibration(now.isoformat(timespec="seconds"), machine, emulator, load, list(_rows(quick)))
    target = store / FOLDER / f"{now:%Y%m%dT%H%M%SZ}.json"
    with replacing("store", target, makes_folder=True) as begun:
        begun.write_text(json.dumps(asdict(made), indent=1), encoding="utf-8")
    return made


def fastest(scenario: Scenario) -> float:
    """Return the highest rate that a link of a scenario has at any time, in Mbit/s."""
    links = json.loads(scenario.document())["network"]["links"].values()
    changes = (event["change"] for link in links for event in link["events"])
    rates = [link["rate"] for link in links]
    rates += [change["rate"] for change in changes if isinstance(change, dict) and "rate" in change]
    return max(rates) / 1e6


def stored(store: Path) -> Iterator[Calibration]:
    """Yield the calibrations of a store, the latest first. Damaged files are reported and skipped."""
    for file in sorted((store / FOLDER).glob("*.json"), reverse=True):
        try:
            yield read_as(FORM, file)
        except FileNotFoundError:
            continue
        except Damaged as error:
            warned(f"{file} {error}: remove it, it is not used")


def _rows(quick: bool) -> Iterator[dict[str, Any]]:
    """Calibrate the emulator and yield the rows; this takes half a minute if `quick`, else four minutes."""
    with launch(EMULATOR, ["calibrate", *(["--quick"] if quick else [])], **APART) as process:
        try:
            out, errors = process.communicate(timeout=PATIENCE)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise UserError(f"calibration: {last_line(errors)}")
    yield from map(json.loads, out.splitlines())


FORM = TypeAdapter(Calibration)
"""The form of the file of a calibration."""

FOLDER = "calibrations"
"""Folder of the calibrations in a store."""

RATE_ERROR = 0.01
"""Largest relative error of a link's rate."""

LATE_SHARE = 0.01
"""Largest share of late packets; the emulator marks runs beyond the same bound."""

PATIENCE = 600
"""Timeout of a calibration in seconds."""
