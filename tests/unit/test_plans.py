"""Plans that are too large to run are refused in one line, in little time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import forks
import manypath as mp

ROOT = Path(__file__).parents[2]

PLANS = [
    (
        "mp.Campaign(two_paths(), replications=10**12)",
        "replications: 1 combination is 1,000,000,000,000 runs, more",
    ),
    (
        "mp.Campaign(two_paths(), replications=10**12, most=MANY).run(None)",
        "replications: 1,000,000,000,000 runs take 1,000,000 GB of memory or more, and ",
    ),
    (
        "mp.Campaign(two_paths(), replications=10**7, most=MANY).run(None)",
        "replications: 10,000,000 runs take 10 GB",
    ),
    ("mp.Campaign(two_paths(), replications=10**12, most=MANY).cells", "replications: 1,000,000,000,000 runs take"),
    (
        "mp.Campaign(two_paths(), replications=10**12, most=MANY).run(None, shard='1/1000000000')",
        "replications: 1,000,000,000,000 runs take",
    ),
    (
        "mp.Campaign(two_paths, {'cc': range(10**6), 'north': range(10**6)}, replications=1, most=MANY).scenarios",
        "factors: 1,000,000,000,000 runs take",
    ),
    (
        "mp.Campaign(two_paths, {'cc': range(10**12)}, replications=1, most=MANY).run(None)",
        "factors: 1,000,000,000,000 runs take",
    ),
    ("mp.Campaign(two_paths, {'cc': range(10**20)})", "factors.cc: range(0, 100000000000000000000) has too many"),
    (
        "mp.Campaign(two_paths(), precision=Precision(minimum=10**12, maximum=10**12), most=MANY).run(None)",
        "precision: 1,000,000,000,000 runs take",
    ),
]
"""Plans, and the beginnings of their refusals."""

SCRIPT = textwrap.dedent("""
    import json, resource, sys
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    import manypath as mp
    from tests.conftest import two_paths
    from manypath.campaign import Precision
    MANY = 10**18
    for plan in json.load(sys.stdin):
        try:
            eval(plan)
        except mp.UserError as error:
            print(error)
        else:
            print("accepted")
""")
"""A program that evaluates plans within 4 GiB of address space, and prints a line for each."""


def test_huge_plans_are_refused_with_little_memory():
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([plan for plan, _ in PLANS]),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for line, (plan, message) in zip(done.stdout.splitlines(), PLANS, strict=True):
        assert line.startswith(message), plan


def test_a_huge_plan_in_a_file_is_refused_even_with_yes(tmp_path: Path):
    (tmp_path / "sweep.toml").write_text(
        "replications = 1000000000000\n"
        '[scenario]\nwarmup = "1 s"\nmeasure = "2 s"\nflows.single.paths = ["south"]\n'
        'network.disjoint.south = { rate = "5 Mbit/s", delay = "1 ms" }\n'
    )
    done = forks.manypath(["sweep", "sweep.toml", "--yes"], tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: replications: 1,000,000,000,000 runs take 1,000,000 GB")


@pytest.mark.parametrize("values", ["newreno", 5, [], None])
def test_an_invalid_list_of_values_is_refused(values: object, scenario):
    with pytest.raises(mp.UserError, match=r"^factors\.cc: .* is no list of values: give one or more in a list$"):
        mp.Campaign(scenario, {"cc": values})  # pyright: ignore[reportArgumentType] - the invalid argument is tested
