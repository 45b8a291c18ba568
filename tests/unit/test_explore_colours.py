"""The colours of the explorer, as readers with each kind of colour blindness see them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from manypath.explore.charts import DARK, LIGHT
from manypath.explore.charts.course import BLOCKS, INKS, MARKS

SEEN = {
    "all colours": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Linear RGB as each kind of reader sees it. Machado, Oliveira and Fernandes 2009, table 1, severity 1."""

XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
"""From linear RGB to CIE XYZ, for sRGB."""

WHITE = (0.95047, 1.0, 1.08883)
"""CIE XYZ of the white of sRGB."""

LEAST = 10.0
"""Least distance in CIELAB of two colours in one picture; 2.3 is just noticeable for fields that touch."""

PALETTES = {
    "series on light ground": LIGHT.series,
    "series on dark ground": DARK.series,
    "flows": INKS,
    "strips": tuple(colour for _, colour, _ in BLOCKS.values()),
    "marks": tuple(colour for _, _, colour, _ in MARKS),
}
"""Colours that one picture has."""


def lab(colour: str, seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a colour such as ``#0072b2`` in CIELAB, as a reader sees it."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = np.array(XYZ) @ np.clip(seen @ linear, 0.0, 1.0) / np.array(WHITE)
    light, red, blue = (
        np.cbrt(part) if part > (6 / 29) ** 3 else part / 3 * (29 / 6) ** 2 + 4 / 29 for part in (y, x, z)
    )
    return np.array([116 * light - 16, 500 * (red - light), 200 * (light - blue)])


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("name", PALETTES)
def test_colours_of_one_picture_differ_for_every_reader(name: str, seen: str):
    places = [lab(colour, np.array(SEEN[seen])) for colour in PALETTES[name]]
    assert min(np.linalg.norm(one - other) for one, other in combinations(places, 2)) >= LEAST
