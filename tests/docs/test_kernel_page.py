"""The page about own congestion controls uses only names of the headers of the kernel programs."""

from __future__ import annotations

import re

from blocks import FENCE, ROOT

PAGE = ROOT / "docs/how-to/kernel-own-algorithm.md"
HEADERS = ROOT / "crates/bpf/bpf"
TEMPLATE = ROOT / "examples/kernel/mine.bpf.c"

NOT_OURS = {"load", "snd_cwnd_cnt", "snd_cwnd_stamp"}
"""A command, and unused fields of the kernel."""


def words(text: str) -> set[str]:
    """Return all words of a text that can be names in C."""
    return set(re.findall(r"\w+", text))


def test_every_name_on_the_page_is_in_the_headers():
    prose = FENCE.sub("", PAGE.read_text(encoding="utf-8"))
    named = {span for span in re.findall(r"`([^`]+)`", prose) if re.fullmatch(r"[A-Za-z]\w+", span)}
    there = words("".join(path.read_text(encoding="utf-8") for path in HEADERS.glob("*.h")))
    assert named - there == NOT_OURS


def test_the_page_explains_exactly_the_headers_of_the_template():
    explained = set(re.findall(r"^- `(\w+\.h)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert explained <= {path.name for path in HEADERS.glob("*.h")}
    todo, needed = [TEMPLATE], set()
    while todo:
        included = set(re.findall(r'^#include "(.+)"', todo.pop().read_text(encoding="utf-8"), re.MULTILINE)) - needed
        needed |= included
        todo += [HEADERS / name for name in included]
    assert needed == explained
