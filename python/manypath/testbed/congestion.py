"""Congestion controls by their names in the simulator and in the kernel, and how they get into it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manypath.errors import UserError, remedy
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
"""Those that `manypath-kernel` loads: their names in the simulator, and there."""

KERNEL = {"newreno": "reno", "cubic": "cubic", **{name: f"mp_{own}".replace("-", "_") for name, own in OWN.items()}}
"""What sockets are told for each name of the simulator."""


def kernel_name(cc: str) -> str:
    """What the kernel calls a congestion control.

    Raises
    ------
    UserError
        If it has none such, or `cc` has parameters, which the kernel's have not.
    """
    plain, *parameters = cc.split(":")
    if parameters and plain in KERNEL:
        weight = WEIGHT if plain == "weighted-aimd" else ""
        raise UserError(f'cc: "{cc}" has parameters, and the kernel\'s takes none there: give {plain}{weight}')
    if cc not in KERNEL:
        raise UserError(f'cc: the kernel has no "{cc}": {remedy(cc, KERNEL)}')
    return KERNEL[cc]


def available() -> set[str]:
    """The kernel's names of those that sockets can choose now.

    Raises
    ------
    UserError
        If this machine has no Linux.
    """
    try:
        return set(AVAILABLE.read_text(encoding="ascii").split())
    except OSError as error:
        raise UserError(f"{AVAILABLE}: {error.strerror}: the testbed needs Linux") from None


@contextmanager
def loaded(controls: Iterable[str]) -> Iterator[None]:
    """Have these congestion controls, by their names in the simulator, in the kernel meanwhile.

    What is there already stays; what is not goes again at the end, or with this process.

    Raises
    ------
    UserError
        If the kernel refuses one of them, or this machine has no Linux.
    """
    there = available()
    missing = [OWN[cc] for cc in dict.fromkeys(controls) if cc in OWN and kernel_name(cc) not in there]
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
    """Wait until the kernel has what is wanted, or the loader gave up."""
    while not wanted <= available():
        try:
            loader.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            continue
        raise UserError(f"cc: {last_line(loader.stderr.read() if loader.stderr else None)}")


WEIGHT = ", and its weight when it is loaded: manypath kernel load weighted --weight 2"
"""How the kernel's weighted AIMD gets it."""

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
"""Where the kernel lists them."""
