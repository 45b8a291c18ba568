"""Converts formulas to MathML, which browsers draw without a script, a font or a network."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</\1>', re.DOTALL)
"""The output of arithmatex for a formula: TeX between its brackets."""


def on_page_content(html: str, **_: Any) -> str:
    """Replace the formulas of a page."""
    return FORMULA.sub(_drawn, html)


def _drawn(formula: re.Match[str]) -> str:
    display = "block" if formula[1] == "div" else "inline"
    drawn = convert(unescape(formula["tex"]).strip(), display=display)
    return f'<div class="formula">{drawn}</div>' if display == "block" else drawn
