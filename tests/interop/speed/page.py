"""Writes the tables of the documentation's page about speed, between two marks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manypath.stats import interval
from speed.program import OURS, USRSCTP, USRSCTP_DEFAULT
from speed.results import Results, picked, ratio


@dataclass(frozen=True)
class Marks:
    """The lines of a page between which a command writes its tables."""

    command: str

    def update(self, page: Path, tables: str) -> None:
        """Replace the tables of a page."""
        begin, end = (f"<!-- {word}: {self.command} -->" for word in ("begin", "end"))
        text = page.read_text(encoding="utf-8")
        before, _, rest = text.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            raise SystemExit(f"page: {page} lacks the lines {begin} and {end}, between which the tables are written")
        page.write_text(f"{before}{begin}\n\n{tables}\n{end}{after}", encoding="utf-8")


MARKS = Marks("make bench-net")


def tables(results: Results) -> str:
    """Return all measurements as Markdown."""
    parts = [machine(results), _bulk(results), _handshakes(results), _flood(results), _idle(results)]
    return "\n".join(part for part in parts if part)


def machine(results: Results) -> str:
    """Return the environment and the settings of the measurements, in one paragraph."""
    found, settings = results.document["machine"], results.document["settings"]
    others = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    load = f"{found['load_at_start']:.1f} when it began and {found.get('load_at_end', math.nan):.1f} when it ended"
    return (
        f"Measured {found['date']} on {found['processor']} with {found['cores']} cores, Linux"
        f" {found['kernel']}, {found['rustc']}, {others}, manypath {found['manypath']};"
        f" {settings['rounds']} rounds in turn, transfers of {settings['seconds']:g} s. The load of the machine"
        f" (runnable processes, the benchmark's own included) was {load}.\n"
    )


def _bulk(results: Results) -> str:
    rows = []
    for subject in results.subjects("bulk"):
        rounds = results.rounds("bulk", subject)
        row = [subject]
        for who in (OURS.name, USRSCTP.name, USRSCTP_DEFAULT.name):
            row.append(value(results, "bulk", subject, who, ("goodput",), "{:,.0f}"))
            row.append(value(results, "bulk", subject, who, ("cpu_per_gb",), "{:.2f}"))
        others = (USRSCTP.name, USRSCTP_DEFAULT.name)
        rows.append(row + [ratio_text(ratio(rounds, OURS.name, other, "goodput")) for other in others])
    head = ["transfer"]
    for who in ("ours", "usrsctp", "usrsctp, 256 KiB"):
        head += [f"{who}: Mbit/s", "CPU s/GB"]
    return table("Bulk data", [*head, "goodput, ours / usrsctp", "ours / usrsctp, 256 KiB"], rows)


def _handshakes(results: Results) -> str:
    rows = []
    for subject in results.subjects("handshakes"):
        row = [subject]
        for who in (OURS.name, USRSCTP.name):
            row.append(value(results, "handshakes", subject, who, ("rate",), "{:,.0f}"))
            row.append(value(results, "handshakes", subject, who, ("cpu_us",), "{:,.0f}"))
        rows.append([*row, ratio_text(ratio(results.rounds("handshakes", subject), OURS.name, USRSCTP.name, "rate"))])
    head = ["at once", "ours: per second", "CPU µs each", "usrsctp: per second", "CPU µs each", "ours / usrsctp"]
    return table("Handshakes", head, rows)


def _flood(results: Results) -> str:
    rows = []
    for subject in results.subjects("flood"):
        rounds = results.rounds("flood", subject)
        for who in (OURS.name, USRSCTP.name):
            row = [f"{who}, {subject}", value(results, "flood", subject, who, ("packets_per_second",), "{:,.0f}")]
            row += [value(results, "flood", subject, who, ("goodput", when), "{:,.0f}") for when in WHEN]
            shares = [each[who]["goodput"] for each in rounds if "goodput" in each.get(who, {})]
            shares = [each["during"] / each["before"] for each in shares if each["before"]]
            row.append(f"{100 * sum(shares) / len(shares):.0f} %" if shares else "–")
            for when in WHEN:
                values = picked(rounds, who, "memory", when)
                row.append(f"{max(values) / 1e6:.1f}" if values else "–")
            rows.append(row)
    head = [
        "receiver",
        "INITs/s",
        *(f"Mbit/s {when}" for when in WHEN),
        "during / before",
        *(f"MB {when}" for when in WHEN),
    ]
    return table("A flood of INITs", head, rows)


def _idle(results: Results) -> str:
    rows = []
    for subject in results.subjects("idle"):
        rounds = results.rounds("idle", subject)
        row = [subject]
        for who in (OURS.name, USRSCTP.name):
            values = picked(rounds, who, "each")
            failure = results.failure("idle", subject, who)
            row.append(
                f"{sum(values) / len(values):,.0f}" if values else f"not possible: {failure}" if failure else "–"
            )
        rows.append(row)
    return table(
        "Idle associations", ["one endpoint with all of them", "ours: bytes each", "usrsctp: bytes each"], rows
    )


def value(results: Results, kind: str, subject: str, who: str, names: tuple[str, ...], form: str) -> str:
    """Return the mean of a contestant's values with its interval."""
    values = picked(results.rounds(kind, subject), who, *names)
    if not values:
        return "not possible" if results.failure(kind, subject, who) else "–"
    found = interval(values)
    spread = "" if math.isnan(found.half_width) else f" ± {form.format(found.half_width)}"
    return form.format(found.mean) + spread


def ratio_text(found: tuple[float, float, float] | None) -> str:
    """Return a ratio with its interval."""
    if found is None:
        return "–"
    mean, low, high = found
    return f"{mean:.2f}" if math.isnan(low) else f"{mean:.2f} ({low:.2f}, {high:.2f})"


def table(title: str, head: list[str], rows: list[list[str]]) -> str:
    """Return a table of Markdown with its title."""
    if not rows:
        return ""
    lines: list[list[Any]] = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return f"**{title}**\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


WHEN = ("before", "during", "after")
