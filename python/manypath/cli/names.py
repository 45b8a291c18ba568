"""Names that a shell completes: ``manypath --install-completion`` teaches it to.

A person waits for every one of these functions: none of them loads pydantic, pandas or matplotlib.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import typer

from manypath import _native
from manypath.measurements import MEASUREMENTS, WORDS
from manypath.papers import FIGURES, NAMES, STUDIES
from manypath.programs import LOADER, NET, installed, spawn


def paper_names(incomplete: str) -> list[str]:
    """Papers and studies whose names begin so."""
    return beginning((*NAMES, *STUDIES), incomplete)


def figures(context: typer.Context, incomplete: str) -> list[str]:
    """Numbers of the figures of the papers on the line, or of all."""
    named = [name for name in _words(context, "names") if name in FIGURES]
    return beginning((number for name in named or FIGURES for number in FIGURES[name]), incomplete)


def congestion_controls(incomplete: str) -> list[str]:
    """Congestion controls whose names begin so."""
    return beginning((name for name, _ in _native.algorithms()), incomplete)


def comparisons(incomplete: str) -> list[str]:
    """Scenarios of `manypath measure` that begin so; else the shell offers files."""
    return beginning((*GRIDS, *PAPER_GRIDS, *COMPARISONS), incomplete)


def stacks(incomplete: str) -> list[str]:
    """Stacks of `manypath measure` that begin so, after the name of a flow if there is one."""
    flow, sign, name = incomplete.rpartition("=")
    return [f"{flow}{sign}{stack}" for stack in beginning(STACKS, name)]


def anchor_families(incomplete: str) -> list[str]:
    """Families of anchors that begin so."""
    return beginning(ANCHOR_FAMILIES, incomplete)


def file_kinds(incomplete: str) -> list[str]:
    """Kinds of files with a schema that begin so."""
    return beginning(FILE_KINDS, incomplete)


def benchmarks(incomplete: str) -> list[str]:
    """Rows of the benchmark that begin so."""
    return beginning(BENCHMARKS, incomplete)


def queues(incomplete: str) -> list[str]:
    """Kinds of queues that begin so."""
    return beginning((name for name, _ in _native.queues()), incomplete)


def events(incomplete: str) -> list[str]:
    """Events and their categories that begin so."""
    names = [name for name, _ in _native.events()]
    return beginning([*(name.partition(":")[0] for name in names), *names], incomplete)


def metrics(incomplete: str) -> list[str]:
    """Measurements that begin so and have a mean."""
    return beginning((name for kind in MEASUREMENTS.values() for name in kind if name not in WORDS), incomplete)


def campaigns(context: typer.Context, incomplete: str) -> list[str]:
    """Names and titles of the campaigns in the store that the line names, or in the usual one."""
    folder = Path(context.params.get("folder") or "runs")
    notes = sorted((folder / "campaigns").glob("*.json"))[:MOST]
    names = [note.stem[:12] for note in notes]
    for note in notes:
        try:
            names.append(str(json.loads(note.read_bytes()).get("title", "")))
        except (OSError, ValueError, AttributeError):
            continue
    return beginning(filter(None, names), incomplete)


def kernel_words(context: typer.Context, incomplete: str) -> list[str]:
    """Commands of the loader, and behind one of them the algorithms that it knows."""
    if not _words(context, "arguments"):
        return _commands(LOADER, incomplete)
    return beginning(_said(LOADER, "list", "--names").split(), incomplete)


def net_words(context: typer.Context, incomplete: str) -> list[str]:
    """Commands of the program for real networks."""
    return [] if _words(context, "arguments") else _commands(NET, incomplete)


def _commands(name: str, incomplete: str) -> list[str]:
    """Commands that the usage of a program names."""
    commands = re.search(r"<([a-z]+(?:\|[a-z]+)+)>", _said(name, "--help"))
    return beginning(commands[1].split("|") if commands else (), incomplete)


def _words(context: typer.Context, argument: str) -> list[str]:
    """The words of an argument so far; those before an unfinished option are not parsed yet."""
    return [*(context.params.get(argument) or ()), *context.args]


def beginning(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that begin with what was typed, each once."""
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _said(name: str, *words: str) -> str:
    """What a program prints; nothing if it is not installed, or cannot."""
    program = installed(name)
    if program is None:
        return ""
    try:
        with spawn([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                return process.communicate(timeout=1)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                return ""
    except OSError:
        return ""


MOST = 200
"""So many notes are read while the user waits."""

GRIDS = ("sctp",)
"""Grids of scenarios, likewise."""

PAPER_GRIDS = ("dreibholz2012", "dreibholz2011", "gonzalez2012")
"""Papers whose experiments are measured, likewise."""

STACKS = ("kernel", "manypath", "usrsctp")
"""Contestants of the testbed, likewise."""

COMPARISONS = (
    "shared",
    "disjoint",
    "gonzalez2012-silence",
)
"""Scenarios of `manypath measure`. Their sources load pydantic, so these lists repeat them; a test compares."""

ANCHOR_FAMILIES = ("single", "losses", "scaling", "protocol", "buffer", "sharing")
"""Families of anchors."""

FILE_KINDS = ("scenario", "sweep", "expect", "emulation")
"""Kinds of files that have a schema."""

BENCHMARKS = (
    "D10/newreno",
    "D10/cmt-rpv2",
    "D100/newreno",
    "D100+100/split",
    "D100+10/split",
    "A",
    "A/delayed",
    "B/tcp",
    "B/tcp-delayed",
    "B/mptcp-lia",
    "C",
)
"""Rows of the benchmark."""
