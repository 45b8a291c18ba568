"""How exact the emulator is on this machine, measured before a campaign and kept beside its results."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from manypath.errors import UserError
from manypath.outputs import writing
from manypath.programs import APART, EMULATOR, fingerprint, last_line, launch, program


@dataclass(frozen=True)
class Calibration:
    """What a calibration found.

    Attributes
    ----------
    when : str
        When it was made: ISO 8601, UTC.
    machine : str
        Kernel and processors.
    emulator : str
        Hash of the emulator's program.
    load : float
        Processes that wanted to run on average over the minute before.
    rows : sequence of mapping
        What ``manypath emulate --calibrate --json`` prints.
    """

    when: str
    machine: str
    emulator: str
    load: float
    rows: Sequence[Mapping[str, Any]]

    def doubts(self, mbit: float) -> Iterator[str]:
        """The reasons for not trusting links of up to this rate in Mbit/s on this machine without other load.

        The slowest calibrated rate that is not below `mbit` decides.
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
    """The calibration of this machine that the store has, or a new one if that is a day old or of another emulator.

    `tell` is given what the user should know meanwhile.

    Raises
    ------
    UserError
        If the emulator cannot be calibrated here.
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
    with writing("store", target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(asdict(made), indent=1), encoding="utf-8")
    return made


def stored(store: Path) -> Iterator[Calibration]:
    """The calibrations of a store, the latest first; files that cannot be read are passed over."""
    for file in sorted((store / FOLDER).glob("*.json"), reverse=True):
        try:
            yield Calibration(**json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError, OSError):
            continue


def _rows(quick: bool) -> Iterator[dict[str, Any]]:
    """Calibrate, for half a minute or four."""
    with launch(EMULATOR, ["calibrate", *(["--quick"] if quick else [])], **APART) as process:
        try:
            out, said = process.communicate(timeout=PATIENCE)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise UserError(f"calibration: {last_line(said)}")
    yield from map(json.loads, out.splitlines())


FOLDER = "calibrations"
"""Where a store keeps them."""

RATE_ERROR = 0.01
"""Part of its rate by which a link may carry more or less."""

LATE_SHARE = 0.01
"""Share of packets that may leave late: the emulator's own bound."""

PATIENCE = 600
"""Seconds after which a calibration has ended."""
