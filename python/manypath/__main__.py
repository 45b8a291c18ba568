"""Entry point of `manypath` and ``python -m manypath``; Ctrl-C ends the command with one line, even during imports."""

from __future__ import annotations

import signal
import sys
import warnings
from types import FrameType
from typing import NoReturn


def main() -> None:
    """Load the command line and run it."""
    pressed: list[int] = []
    if not sys.warnoptions:
        # Warnings of libraries are for programmers, such as those about the scale of a drawing without values.
        warnings.simplefilter("ignore")

    def press(number: int, _frame: FrameType | None) -> NoReturn:
        pressed.append(number)
        raise KeyboardInterrupt

    # A shell starts background processes with SIGINT ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, press)
    try:
        from manypath.cli import main as command

        command()
    except (KeyboardInterrupt, Exception):
        # A library that is interrupted during its import may raise another exception.
        if not pressed:
            raise
        sys.stderr.write("stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
