"""The example of the README runs as it is printed."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_example_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(example.splitlines()) <= 15
    shorter = example.replace('measure="300 s"', 'measure="3 s"').replace('warmup="20 s"', 'warmup="2 s"')
    assert shorter != example
    exec(compile(shorter, str(README), "exec"), {})  # noqa: S102 (the README is ours)
    printed = capsys.readouterr().out
    assert "cmt" in printed
    assert "single" in printed
