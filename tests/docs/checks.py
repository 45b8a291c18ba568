"""Checks of code blocks on pages. Each failed check raises an `AssertionError` with page and line."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from blocks import ROOT, Block, blocks
from changes import before_changes, is_file
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

import forks
from manypath.cli.app import app
from manypath.errors import UserError
from manypath.schema import FILES, file_schema

KNOWN = {"", "c", "console", "diff", "json", "python", "rust", "sh", "text", "toml"}
"""Languages of blocks. Blocks without a language are commands, like `sh`."""

OTHER_PROGRAMS = {
    "activate",
    "apt-get",
    "bpftool",
    "cargo",
    "clang",
    "dask",
    "git",
    "groupadd",
    "install",
    "ip",
    "jupyter",
    "manypath-kernel",
    "marimo",
    "pip",
    "pipx",
    "podman",
    "sbatch",
    "ssh",
    "sysctl",
    "systemctl",
    "tshark",
    "valgrind",
    "wireshark",
}
"""Other programs that pages may name."""

SHORTER = {
    "docs/how-to/capture.md": {"run examples/two_paths.toml": "run shorter.toml"},
    "docs/how-to/events.md": {"run examples/two_paths.toml": "run shorter.toml", 'measure="10 s"': 'measure="4 s"'},
    "docs/how-to/expect.md": {
        # Instead of all algorithms
        "lte=1 --measured": "lte=1 --cc lia --measured",
        "home.toml --json": "home.toml --cc lia --json",
        "manypath expect": "manypath expect --runs 2 --measure '1 s'",
        "runs=4": "runs=2, measure='1 s'",
    },
    "docs/how-to/report.md": {
        "dreibholz2011_impact": "gonzalez2012_mptcp --figure 2 --runs 2",
        "replications=10": "replications=2",
        'measure="60 s"': 'measure="2 s"',
        'warmup="20 s"': 'warmup="1 s"',
    },
    "docs/how-to/sweep.md": {
        'warmup = "20 s"': 'warmup = "1 s"',
        'measure = "100 s"': 'measure = "2 s"',
    },
    "docs/how-to/sweep-machines.md": {"examples/two_paths.toml": "shorter.toml"},
    "docs/how-to/sweep-precision.md": {"examples/two_paths.toml": "shorter.toml"},
    "docs/how-to/sweep-programs.md": {"2000": "200", 'metrics = ["wait"]': 'replications = 2\nmetrics = ["wait"]'},
}
"""Replacements in the blocks of a page that shorten their runs to seconds."""


SCHEMA = re.compile(r'^(#:schema | *"\$schema": ")\./(?P<kind>\w+)\.schema\.json', re.MULTILINE)
"""The line with which a file names its schema."""


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def is_run(page: Path) -> bool:
    """Return whether a page has blocks to run."""
    languages = {block.language for block in before_changes(list(blocks(page)))}
    return name_of(page) in SHORTER or bool({"python", "console"} & languages)


def shows_output_of_commands(page: Path) -> bool:
    """Return whether a page shows the output of commands that `SHORTER` shortens."""
    return name_of(page) in SHORTER and any(_is_output_of_commands(*pair) for pair in pairwise(blocks(page)))


def check_outputs_of_commands(page: Path) -> None:
    """Run whole commands, and compare the output of the last one of each block with the block below it."""
    for block, following in pairwise(blocks(page)):
        if _is_output_of_commands(block, following):
            printed = [_run_command(line) for line in _shell_lines(block)]
            assert_output(page, following, following.text, printed[-1])


def _is_output_of_commands(block: Block, following: Block) -> bool:
    return block.language == "sh" and following.title == "output"


def check_running(page: Path, folder: Path) -> None:
    """Run the blocks of a page in `folder`, the working directory, and compare their output."""
    (folder / "examples").symlink_to(ROOT / "examples")
    example = (ROOT / "examples/two_paths.toml").read_text(encoding="utf-8")
    (folder / "shorter.toml").write_text(
        example.replace('"100 s"', '"2 s"').replace('"60 s"', '"21 s"'), encoding="utf-8"
    )
    names: dict[str, Any] = {"__name__": "page"}
    shorter = SHORTER.get(name_of(page), {})
    page_blocks = [_shortened(block, shorter) for block in before_changes(list(blocks(page)))]
    for block, following in zip(page_blocks, [*page_blocks[1:], None], strict=True):
        if block.title and block.title != "output":
            (folder / block.title).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            printed = run_python(block, page, names)
            if following and following.title == "output":
                assert_output(page, following, following.text, printed)
        elif block.language == "console":
            for command, expected in commands(block):
                assert_output(page, block, expected, _run_command(command))
        elif block.language == "sh" and name_of(page) in SHORTER:
            _run_manypath(page, block)


def check_reading(page: Path) -> None:
    """Check blocks that do not run: known languages, valid syntax, existing commands and sources."""
    for block in blocks(page):
        place = f"{name_of(page)}:{block.line}"
        assert block.language in KNOWN, f"{place}: {block.language} is no language of blocks"
        if block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "c":
            _assert_compiles(block, place)
        elif block.language == "rust":
            assert is_file(block) or _quoted(block.text), f"{place}: this Rust is in no file below crates/"
        elif block.language in {"sh", ""}:
            for line in _shell_lines(block):
                _assert_is_a_command(line, place)


def kinds_of_files(page: Path) -> list[tuple[Block, str]]:
    """Return the blocks that name a schema of this package, each with its kind of file."""
    found = ((block, SCHEMA.search(block.text)) for block in blocks(page) if block.language in {"json", "toml"})
    return [(block, match["kind"]) for block, match in found if match]


def check_files(page: Path, folder: Path) -> None:
    """Validate the blocks that name a schema, and load them as the program does."""
    for block, kind in kinds_of_files(page):
        fields = (tomllib if block.language == "toml" else json).loads(block.text)
        fields.pop("$schema", None)
        wrong = [
            f"{error.json_path}: {error.message}"
            for error in Draft202012Validator(file_schema(kind)).iter_errors(fields)
        ]
        assert not wrong, f"{name_of(page)}:{block.line}: {'; '.join(wrong)}"
        file = folder / f"{kind}.{block.language}"
        file.write_text(block.text, encoding="utf-8")
        try:
            FILES[kind].from_file(file)
        except UserError as error:
            raise AssertionError(f"{name_of(page)}:{block.line}: {error}") from error


def check_outputs(page: Path) -> None:
    """Check that each block of output follows a block that prints."""
    page_blocks = list(blocks(page))
    for before, block in zip([None, *page_blocks], page_blocks, strict=False):
        if block.title == "output":
            printing = before.language if before else ""
            prints = {"python", "sh"} if name_of(page) in SHORTER else {"python"}
            assert printing in prints, f"{name_of(page)}:{block.line}: nothing prints this"


def _shortened(block: Block, shorter: Mapping[str, str]) -> Block:
    text = block.text
    for long, short in shorter.items():
        text = text.replace(long, short)
    return replace(block, text=text)


def run_python(block: Block, page: Path, names: dict[str, Any]) -> str:
    """Run a block with the definitions of earlier blocks; return its output."""
    printed = io.StringIO()
    # Empty lines before the code, so that a traceback has the line of the page.
    code = compile("\n" * block.line + block.text, name_of(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, names)  # noqa: S102 (code of our pages)
    return printed.getvalue()


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with its output."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert parts[0] == "", f"line {block.line}: a console block begins with $"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def _run_command(command: str) -> str:
    program, *arguments = shlex.split(command)
    wide = {"COLUMNS": "120", "NO_COLOR": "1"}
    if program == "manypath":
        done = forks.manypath(arguments, environment=wide)
    else:
        line = [_example(command)] if program == "cargo" else [program, *arguments]
        line[0] = sys.executable if program == "python" else line[0]
        done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, **wide})
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def _example(command: str) -> str:
    """Return the program of an example, which the build of the tests contains: `cargo run` would compile it again."""
    run = re.fullmatch(r"cargo run --quiet --package manypath-(\w+) --example (\w+)", command)
    assert run, f"{command}: only examples of our crates run"
    assert (ROOT / f"crates/{run[1]}/examples/{run[2]}.rs").is_file(), f"{command}: there is no such example"
    program = ROOT / f"target/debug/examples/{run[2]}"
    assert program.is_file(), f"{command}: not built; make test-build builds it"
    return str(program)


def _run_manypath(page: Path, block: Block) -> None:
    for line in _shell_lines(block):
        if line.startswith("manypath "):
            asked = CliRunner().invoke(app, shlex.split(line)[1:])
            assert asked.exit_code == 0, f"{name_of(page)}: {line}: {asked.exception or asked.output}"
            assert asked.output, f"{name_of(page)}: {line} prints nothing"


def assert_output(page: Path, block: Block, expected: str, printed: str) -> None:
    """Compare outputs except for white space; `...` matches any text."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if not doctest.OutputChecker().check_output(expected, printed, flags):
        raise AssertionError(f"{name_of(page)}:{block.line}: it prints\n{printed}\nand not\n{expected}")


@cache
def _sources() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("crates/*/**/*.rs")))


def _quoted(text: str) -> bool:
    """Return whether each paragraph of a block is an exact part of one source file of the crates."""
    parts = [part.strip("\n") for part in re.split(r"\n\s*\n", text)]
    parts = [re.sub(r"\n}$", "", part) for part in parts]
    return any(all(part in source for part in parts) for source in _sources())


def _assert_compiles(block: Block, place: str) -> None:
    """Check that the block is valid in a function of a program that uses the C library, which needs Linux."""
    if sys.platform != "linux":
        return
    program = f"#include <err.h>\n#include <manypath_sctp.h>\nint main(void) {{\n{block.text}\n}}\n"
    command = ["cc", "-xc", "-fsyntax-only", "-Wall", "-Werror", f"-I{ROOT / 'crates/capi/include'}", "-"]
    checked = subprocess.run(command, input=program, capture_output=True, text=True, timeout=300, check=False)
    assert checked.returncode == 0, f"{place}: {checked.stderr}"


def _shell_lines(block: Block) -> list[str]:
    """Return the commands of a block, with continued lines joined and without comments."""
    lines = block.text.replace("\\\n", " ").splitlines()
    stripped = (line.strip() for line in lines)
    return [line for line in stripped if line and not line.startswith("#")]


def _assert_is_a_command(line: str, place: str) -> None:
    """Check that a command and its options exist, without running it."""
    words = shlex.split(line, comments=True)
    while words and (words[0] in {"sudo", "env", "."} or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    # Words after the separator are another command.
    program, *arguments = words[: words.index("--")] if "--" in words else words
    name = Path(program).name
    if name == "manypath":
        # The option --help makes the program parse all words without running the command.
        asked = CliRunner().invoke(app, [*arguments, "--help"])
        assert asked.exit_code == 0, f"{place}: {line}: {asked.output}"
    elif name == "make":
        for target in (word for word in arguments if "=" not in word):
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"{place}: no target {target}"
    else:
        assert name in OTHER_PROGRAMS, f"{place}: {name} is no program that this page may name"
