"""Open settings of the papers by the authors of [D10], [D11] and [D12], who use the same simulator."""

from __future__ import annotations

from manypath.papers.open_settings.setting import OpenSetting, Value
from manypath.papers.reconstruction import shared
from manypath.papers.reconstruction.factors import Factor
from manypath.papers.settings import FORMS, SETTINGS
from manypath.papers.switch import by_name

_SWITCHES = by_name((*SETTINGS, *FORMS))


def _acknowledgements(name: str, of: str, factor: Factor) -> OpenSetting:
    return OpenSetting(
        name,
        f"acknowledgements of {of} flows",
        (
            Value("2", "a SACK for every second packet", "RFC 4960 section 6.2, and the default of INET"),
            Value(
                "1",
                "a SACK for every packet",
                "the text gives no frequency; a receiver may always acknowledge every packet",
                factor.switch,
            ),
        ),
    )


ACKNOWLEDGEMENTS = (
    _acknowledgements("multipath-sack", "multipath", shared.multipath_sack("silent")),
    _acknowledgements("single-sack", "single-path", shared.single_sack("silent")),
)
"""The frequency of SACKs."""

SACK_PATH = OpenSetting(
    "sack-path",
    "the path of a SACK",
    (
        Value("smallest", "that with the smallest round-trip time", "the authors' experiment configuration for INET"),
        Value(
            "last",
            "that of the last packet",
            "RFC 4960 section 6.4, and [D10] section II of the same authors",
            shared.sack_path("silent").switch,
        ),
    ),
)

BURST = OpenSetting(
    "burst",
    "burst mitigation",
    (
        Value("use-it", "4 packets, the window is reduced to its used part", "the authors' experiment configuration"),
        Value("max", "4 packets, the window is untouched", "RFC 4960 section 6.1 D", _SWITCHES["burst-max"]),
    ),
)

ACCOUNTING = OpenSetting(
    "accounting",
    "accounting of windows",
    (
        Value("inet", "steps of one MTU, a floor of one packet", "INET, the simulator that the text names"),
        Value("printed", "segments and floors of the formulas", "the printed formulas", _SWITCHES["profile-paper"]),
    ),
)

FORM_OF_2011 = OpenSetting(
    "form",
    "the formula of the MPTCP-like control",
    (
        Value(
            "coupled",
            "growth by bytes, as its reference has it",
            "section III-C ports the control of its reference [16] to bytes; INET, which the text names, has this form",
        ),
        Value("printed", "as printed", "section III-C, with linear slow start", _SWITCHES["mptcp-2011"]),
    ),
)

FORM_OF_2012 = OpenSetting(
    "form",
    "the formula of the MPTCP-like control",
    (
        Value(
            "coupled",
            "with one unit throughout",
            "section II-B.3 wants growth in equilibrium with decreases, as in its reference RFC 6356",
        ),
        Value(
            "printed",
            "as printed",
            "the printed factor mixes bytes and packets, which removes the coupling",
            shared.form("stated").switch,
        ),
    ),
)

HOSTS = OpenSetting(
    "hosts",
    "the time that hosts take for a packet",
    (
        Value("exact", "none", "the text gives no processing times of the simulation"),
        Value(
            "jitter",
            "up to 1.2 ms",
            "the time of a packet at 10 Mbit/s; the paper measures real hosts beside the simulation",
            shared.jitter("silent").switch,
        ),
    ),
)
