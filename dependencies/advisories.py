"""Security advisories for the crates that we depend on: a stored table, which needs no network.

`advisories.py` writes the table in the layout that cargo-deny reads, into target/advisories, and prints its date. It
fails if a lock file has a crate that the table was not made for.

`advisories.py update CLONE` writes the table again, from a clone of the RustSec advisory database.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

TABLE = Path("dependencies/advisories.toml")
LOCKS = (Path("Cargo.lock"), Path("tests/interop/peers/dcsctp/Cargo.lock"))

DATABASE = Path("target/advisories/advisory-db-3157b0e258782691")
"""Where cargo-deny looks, below its `db-path`: the name and a hash of the default address of the database."""

KEPT = ("informational", "cvss")
"""What is kept of an advisory beside its identifier, crate, date and versions."""

HEADING = """\
# Security advisories for the crates in our lock files: identifiers, dates and versions, taken from the RustSec advisory
# database (https://rustsec.org/advisories/ID.html) by `dependencies/advisories.py update CLONE`.
"""


def main(words: list[str]) -> None:
    """Run one of the two commands.

    Parameters
    ----------
    words
        The arguments of the command line.
    """
    match words:
        case []:
            print(lay_out(ROOT, datetime.datetime.now(tz=datetime.UTC).date()))
        case ["update", clone]:
            (ROOT / TABLE).write_text(table_of(Path(clone), locked(ROOT)), encoding="utf-8")
        case _:
            sys.exit("usage: dependencies/advisories.py [update CLONE]")


def locked(root: Path) -> set[str]:
    """Return the names of the crates from registries in the lock files.

    Parameters
    ----------
    root
        The folder of the repository.
    """
    locks = [read(root / lock) for lock in LOCKS]
    return {package["name"] for lock in locks for package in lock["package"] if "source" in package}


def read(file: Path) -> dict[str, Any]:
    """Return the contents of a TOML file of the repository.

    Parameters
    ----------
    file
        Its path.
    """
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{file}: is no readable TOML file: {error}")


def lay_out(root: Path, today: datetime.date) -> str:
    """Write the table as cargo-deny's database, and return a line with its date.

    Parameters
    ----------
    root
        The folder of the repository.
    today
        The date that the age of the table is counted to.
    """
    table = read(root / TABLE)
    missing = sorted(locked(root) - set(table["crates"]))
    if missing:
        sys.exit(
            f"{TABLE}: was not made for {', '.join(missing)}, which the lock files have: clone the RustSec advisory "
            f"database and run dependencies/advisories.py update CLONE"
        )
    database = root / DATABASE
    shutil.rmtree(database, ignore_errors=True)
    for advisory in table["advisories"]:
        file = database / "crates" / advisory["crate"] / f"{advisory['id']}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(advisory), encoding="utf-8")
    # Cargo-deny asks when the database was fetched.
    (database / ".git").mkdir(parents=True)
    (database / ".git/FETCH_HEAD").touch()
    return (
        f"advisories: {len(table['advisories'])} for {len(table['crates'])} crates, "
        f"stored database of {table['date']}, {(today - table['date']).days} days old"
    )


def page(advisory: dict[str, Any]) -> str:
    """Return an advisory in the format of the RustSec advisory database.

    Parameters
    ----------
    advisory
        A row of the table.
    """
    head = {"id": advisory["id"], "package": advisory["crate"], "date": str(advisory["date"])}
    head |= {name: advisory[name] for name in KEPT if name in advisory}
    lines = ["```toml", "[advisory]", *(f"{name} = {json.dumps(value)}" for name, value in head.items()), "[versions]"]
    lines += [f"{name} = {json.dumps(advisory[name])}" for name in ("patched", "unaffected")]
    return "\n".join([*lines, "```", f"# https://rustsec.org/advisories/{advisory['id']}.html", ""])


def table_of(clone: Path, crates: set[str]) -> str:
    """Return the table for some crates.

    Parameters
    ----------
    clone
        A git repository of the RustSec advisory database, with or without a work tree.
    crates
        The names of the crates.
    """
    files = git(clone, "ls-tree", "-r", "--name-only", "HEAD", "crates/").splitlines()
    heads = [head_of(git(clone, "show", f"HEAD:{file}")) for file in files if file.split("/")[1] in crates]
    if not heads:
        sys.exit(f"{clone}: has no advisory for any of {len(crates)} crates: is it a clone of the RustSec database?")
    rows = sorted(row(head) for head in heads if "withdrawn" not in head["advisory"])
    names = sorted(crates)
    return "\n".join(
        [
            HEADING,
            f"date = {git(clone, 'show', '-s', '--format=%cs', 'HEAD').strip()} # of the last change of the database",
            "",
            "# The crates that the database was searched for.",
            "crates = [",
            *(f"    {json.dumps(names[at : at + 6])[1:-1]}," for at in range(0, len(names), 6)),
            "]",
            "",
            "advisories = [",
            *(f"    {each}," for each in rows),
            "]",
            "",
        ]
    )


def head_of(text: str) -> dict[str, Any]:
    """Return the structured part of an advisory, without its description.

    Parameters
    ----------
    text
        A file of the database.
    """
    found = re.match(r"```toml\n(.*?)```", text, re.DOTALL)
    if not found:
        sys.exit(f"an advisory of an unknown format: {text[:200]}")
    return tomllib.loads(found[1])


def row(head: dict[str, Any]) -> str:
    """Return the facts of an advisory as a table of TOML in one line.

    Parameters
    ----------
    head
        The structured part of an advisory.
    """
    advisory, versions = head["advisory"], head["versions"]
    fields = {
        "crate": json.dumps(advisory["package"]),
        "id": json.dumps(advisory["id"]),
        "date": str(advisory["date"]),
        **{name: json.dumps(advisory[name]) for name in KEPT if name in advisory},
        **{name: json.dumps(versions.get(name, [])) for name in ("patched", "unaffected")},
    }
    return "{ " + ", ".join(f"{name} = {value}" for name, value in fields.items()) + " }"


def git(repository: Path, *arguments: str) -> str:
    """Return what a git command prints.

    Parameters
    ----------
    repository
        The repository, or its folder of objects.
    arguments
        The command of git and its arguments.
    """
    return subprocess.run(
        ["git", "-C", repository, *arguments], check=True, stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout


if __name__ == "__main__":
    main(sys.argv[1:])
