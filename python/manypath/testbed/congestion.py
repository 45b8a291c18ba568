"""Loads congestion controls into the kernel, and translates their names from the simulator to the kernel."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manypath.arguments import texts
from manypath.errors import UserError, quoted, remedy
from manypath.programs import APART, LOADER, last_line, launch

OWN = {
    "lia": "lia",
    "lia-eunice": "lia-eunice",
    "olia": "olia",
    "balia": "balia",
    "wvegas": "wvegas",
    "coupled": "coupled",
    "cmt-rpv1": "rpv1",
    "cmt-rpv2": "rpv2",
    "weighted-aimd": "weighted",
    "bmc": "bmc",
}
"""Congestion controls that `manypath-kernel` loads: from the names in the simulator to its names."""

KERNEL = {"newreno": "reno", "cubic": "cubic", **{name: f"mp_{own}".replace("-", "_") for name, own in OWN.items()}}
"""From the names in the simulator to the kernel's names, which the socket option TCP_CONGESTION takes."""


def kernel_name(cc: str) -> str:
    """Return the kernel's name of a congestion control.

    Raises
    ------
    UserError
        If the kernel has no such congestion control, or if `cc` has parameters, which the kernel does not support.
    """
    plain, *parameters = cc.split(":")
    if parameters and plain in KERNEL:
        weight = WEIGHT if plain == "weighted-aimd" else ""
        raise UserError(f"cc: {quoted(cc)} has parameters, which the kernel does not support: give {plain}{weight}")
    if cc not in KERNEL:
        raise UserError(f"cc: the kernel has no {quoted(cc)}: {remedy(cc, KERNEL)}")
    return KERNEL[cc]


def available() -> set[str]:
    """Return the kernel's names of the available congestion controls.

    Raises
    ------
    UserError
        If this machine does not run Linux.
    """
    try:
        return set(AVAILABLE.read_text(encoding="ascii").split())
    except OSError as error:
        raise UserError(f"{AVAILABLE}: {error.strerror}: the testbed needs Linux") from None


@contextmanager
def loaded(controls: Iterable[str]) -> Iterator[None]:
    """Load congestion controls, given by their names in the simulator, into the kernel for the duration of the context.

    They are unloaded at the end of the context or of this process, unless they were loaded before.

    Raises
    ------
    UserError
        If there is no such congestion control, if the kernel refuses it, or if this machine does not run Linux.
    """
    controls = texts("controls", controls, "names of congestion controls")
    there = available()
    missing = [OWN[cc] for cc in dict.fromkeys(controls) if kernel_name(cc) not in there and cc in OWN]
    if not missing:
        yield
        return
    with launch(LOADER, ["load", "--until-eof", *missing], stdin=subprocess.PIPE, **APART) as loader:
        try:
            _wait(loader, {f"mp_{name}".replace("-", "_") for name in missing})
            yield
        finally:
            loader.terminate()


def _wait(loader: subprocess.Popen[str], wanted: set[str]) -> None:
    """Wait until the kernel has all `wanted` congestion controls.

    Raises
    ------
    UserError
        If the loader ends before.
    """
    while not wanted <= available():
        try:
            loader.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            continue
        raise UserError(f"cc: {last_line(loader.stderr.read() if loader.stderr else None)}")


WEIGHT = ", and its weight when it is loaded: manypath kernel load weighted --weight 2"
"""Hint for users: the weight of weighted AIMD is set when it is loaded into the kernel."""

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
"""The kernel's list of available congestion controls."""
