"""Where `manypath` and ``python -m manypath`` begin: Ctrl-C ends the command in one line, even while it is loaded."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn


def main() -> None:
    """Load the command line and run it."""
    pressed: list[int] = []

    def press(number: int, _frame: FrameType | None) -> NoReturn:
        pressed.append(number)
        raise KeyboardInterrupt

    # A shell starts what runs in its background with Ctrl-C ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, press)
    try:
        from manypath.cli import main as command

        command()
    except (KeyboardInterrupt, Exception):
        # A library that is interrupted while it is loaded may raise an error of its own instead.
        if not pressed:
            raise
        sys.stderr.write("stopped: what was finished stays\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
