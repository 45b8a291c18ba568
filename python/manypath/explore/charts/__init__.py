"""The charts of the page as documents of Apache ECharts.

`course` has a run over time, `shares` the goodput against fair shares, `comparison` several congestion controls,
`sweep` means with intervals. `stack` places plots with a common time axis, `samples` divides the data of a run,
`theme` has the colours, `scripts` the functions that run in the browser.
"""

from manypath.explore.charts.comparison import comparison
from manypath.explore.charts.course import course
from manypath.explore.charts.shares import shares
from manypath.explore.charts.sweep import Swept, sweep
from manypath.explore.charts.theme import DARK, LIGHT, Option, Theme

__all__ = ["DARK", "LIGHT", "Option", "Swept", "Theme", "comparison", "course", "shares", "sweep"]
