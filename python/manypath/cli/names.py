"""Shell completion of names, which ``manypath --install-completion`` enables.

The user waits for these functions, so none of them loads pydantic, pandas or matplotlib.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import typer

from manypath import _native
from manypath.documentation import pages
from manypath.measurements import MEASUREMENTS, TEXTS
from manypath.papers import FIGURES, NAMES, STUDIES
from manypath.programs import LOADER, NET, installed, spawn


def paper_names(incomplete: str) -> list[str]:
    """Return papers and studies whose names begin with `incomplete`."""
    return beginning((*NAMES, *STUDIES), incomplete)


def figures(context: typer.Context, incomplete: str) -> list[str]:
    """Return numbers of figures of the papers on the line; of all papers if there are none."""
    named = [name for name in _words(context, "names") if name in FIGURES]
    return beginning((number for name in named or FIGURES for number in FIGURES[name]), incomplete)


def congestion_controls(incomplete: str) -> list[str]:
    """Return congestion controls whose names begin with `incomplete`."""
    return beginning((name for name, _ in _native.algorithms()), incomplete)


def comparisons(incomplete: str) -> list[str]:
    """Return scenarios of `manypath measure` that begin with `incomplete`; without any, the shell offers files."""
    return beginning((*GRIDS, *PAPER_GRIDS, *COMPARISONS, "failover"), incomplete)


def stacks(incomplete: str) -> list[str]:
    """Return stacks of `manypath measure` that begin with `incomplete`, after the name of a flow if there is one."""
    flow, sign, name = incomplete.rpartition("=")
    return [f"{flow}{sign}{stack}" for stack in beginning(STACKS, name)]


def anchor_families(incomplete: str) -> list[str]:
    """Return families of anchors that begin with `incomplete`."""
    return beginning(ANCHOR_FAMILIES, incomplete)


def file_kinds(incomplete: str) -> list[str]:
    """Return kinds of files with a schema that begin with `incomplete`."""
    return beginning(FILE_KINDS, incomplete)


def lists(incomplete: str) -> list[str]:
    """Return kinds of names that begin with `incomplete`."""
    return beginning(LISTS, incomplete)


def benchmarks(incomplete: str) -> list[str]:
    """Return rows of the benchmark that begin with `incomplete`."""
    return beginning(BENCHMARKS, incomplete)


def documentation_pages(incomplete: str) -> list[str]:
    """Return pages of the documentation whose names, or last parts of names, begin with `incomplete`."""
    names = pages()
    return beginning([*names, *(name.rpartition("/")[2] for name in names)] if incomplete else names, incomplete)


def queues(incomplete: str) -> list[str]:
    """Return queue disciplines that begin with `incomplete`."""
    return beginning((name for name, _ in _native.queues()), incomplete)


def events(incomplete: str) -> list[str]:
    """Return events and categories of events that begin with `incomplete`."""
    names = [name for name, _ in _native.events()]
    return beginning([*(name.partition(":")[0] for name in names), *names], incomplete)


def metrics(incomplete: str) -> list[str]:
    """Return numeric measurements that begin with `incomplete`."""
    return beginning((name for kind in MEASUREMENTS.values() for name in kind if name not in TEXTS), incomplete)


def campaigns(context: typer.Context, incomplete: str) -> list[str]:
    """Return names and titles of campaigns in the store on the line, or in the default store."""
    folder = Path(context.params.get("folder") or "runs")
    notes = sorted((folder / "campaigns").glob("*.json"))[:MOST]
    names = [note.stem[:12] for note in notes]
    for note in notes:
        try:
            if note.is_file():  # a pipe has no end
                names.append(str(json.loads(note.read_bytes()).get("title", "")))
        except (OSError, ValueError, AttributeError, RecursionError):
            continue
    return beginning(filter(None, names), incomplete)


def kernel_words(context: typer.Context, incomplete: str) -> list[str]:
    """Return commands of the kernel loader; after a command, the names of its algorithms."""
    if not _words(context, "arguments"):
        return _commands(LOADER, incomplete)
    return beginning(_output(LOADER, "list", "--names").split(), incomplete)


def net_words(context: typer.Context, incomplete: str) -> list[str]:
    """Return commands of the program for real networks; after a command, its options."""
    words = _words(context, "arguments")
    if not words:
        return _commands(NET, incomplete)
    if "--" in words or not incomplete.startswith("-"):
        return []
    return beginning(
        re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", _output(NET, words[0], "--help"), re.MULTILINE), incomplete
    )


def _commands(name: str, incomplete: str) -> list[str]:
    """Return the commands in the usage text of a program."""
    commands = re.search(r"<([a-z]+(?:\|[a-z]+)+)>", _output(name, "--help"))
    return beginning(commands[1].split("|") if commands else (), incomplete)


def _words(context: typer.Context, argument: str) -> list[str]:
    """Return the words of an argument so far; those before an unfinished option are not parsed yet."""
    return [*(context.params.get(argument) or ()), *context.args]


def beginning(names: Iterable[str], incomplete: str) -> list[str]:
    """Return names that begin with `incomplete`, each once."""
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _output(name: str, *words: str) -> str:
    """Return the output of a program; an empty text if it is not installed or fails."""
    program = installed(name)
    if program is None:
        return ""
    try:
        with spawn([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                return process.communicate(timeout=PATIENCE)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                return ""
    except OSError:
        return ""


MOST = 200
"""Largest number of campaign notes that are read during completion."""

PATIENCE = 1.0
"""Seconds that a program may take to print its words."""

GRIDS = ("sctp", "sctp-unequal")
"""Grids of scenarios of `manypath measure`."""

PAPER_GRIDS = ("dreibholz2012", "dreibholz2011", "dreibholz2010", "gonzalez2012")
"""Papers whose experiments `manypath measure` runs."""

STACKS = ("kernel", "manypath", "usrsctp")
"""Stacks of the testbed."""

COMPARISONS = (
    "shared",
    "disjoint",
    "gonzalez2012-silence",
)
"""Scenarios of `manypath measure`. Their sources load pydantic, so these lists repeat them; a test compares both."""

ANCHOR_FAMILIES = ("single", "losses", "scaling", "protocol", "buffer", "sharing")
"""Families of anchors."""

FILE_KINDS = ("scenario", "sweep", "expect", "emulation")
"""Kinds of files that have a schema."""

LISTS = {
    "congestion-controls": "congestion controls",
    "parameters": "parameters of congestion controls",
    "profiles": "accounting profiles",
    "queues": "queues",
    "losses": "loss models",
    "applications": "applications",
    "schedulers": "schedulers of Multipath TCP",
    "topologies": "topologies",
    "events": "events",
    "metrics": "metrics",
    "papers": "papers",
    "studies": "studies of our own",
}
"""Kinds of names that `manypath list` prints, with their titles."""

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
    "T",
)
"""Rows of the benchmark."""
