"""Every block of code in the how-to pages runs as it is printed, only shorter."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "how-to"

SHORTER = {
    "expect.md": {"manypath expect": "manypath expect --runs 2 --measure '1 s'", "runs=4": "runs=2, measure='1 s'"},
    "sweep.md": {'warmup = "20 s"': 'warmup = "1 s"', 'measure = "100 s"': 'measure = "2 s"', "2000": "200"},
    "report.md": {
        "dreibholz2011_impact": "dreibholz2011_impact --figure 5 --runs 2",
        "replications=10": "replications=2",
        'measure="60 s"': 'measure="2 s"',
        'warmup="20 s"': 'warmup="1 s"',
        "campaign.run()": "campaign.run(); print(len(results))",
    },
}
"""What is changed in the blocks of each page so that they take seconds."""


@pytest.mark.parametrize("page", sorted(SHORTER))
def test_the_blocks_of_a_page_run_in_their_order(page: str, tmp_path: Path):
    blocks = re.findall(r"```(sh|toml|python)\n(.*?)```", (PAGES / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    for kind, printed in blocks:
        text = printed
        for long, short in SHORTER[page].items():
            text = text.replace(long, short)
        named = re.match(r"# (\S+\.(?:toml|py))\n", text)
        if named:
            (tmp_path / named[1]).write_text(text, "utf-8")
        elif kind == "python":
            run([sys.executable, "-c", text], tmp_path)
        else:
            for line in text.replace("\\\n", " ").splitlines():
                program, *arguments = shlex.split(line)
                assert program == "manypath"
                run([sys.executable, "-m", "manypath", *arguments], tmp_path)


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    assert done.stdout
