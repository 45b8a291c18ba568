"""Loads matplotlib with any settings of the user: its backend, which shows windows, is not needed for files.

Packages that draw import this module before they import matplotlib.
"""

from __future__ import annotations

import locale
import os
import sys
import traceback
import warnings
from pathlib import Path

from manypath.errors import BackendWarning, UserError, quoted


def _load() -> None:
    """Import matplotlib, and then set the backend of the environment, as matplotlib does."""
    if "matplotlib" in sys.modules:
        return
    backend = os.environ.pop(BACKEND, None)
    try:
        import matplotlib as mpl
    except (OSError, ValueError, RuntimeError, locale.Error) as error:
        raise UserError(_told(error)) from None
    finally:
        if backend is not None:
            os.environ[BACKEND] = backend
    if backend:
        try:
            mpl.rcParams["backend"] = backend
        except ValueError:
            warnings.warn(
                f"{BACKEND}: {quoted(backend)} is no backend of matplotlib: leave it out, or give one such as agg; "
                "figures in files are the same",
                BackendWarning,
                stacklevel=2,
            )


def _told(error: Exception) -> str:
    """Return the message about an import of matplotlib that failed because of its file of settings."""
    if isinstance(error, locale.Error):
        return f"matplotlib: its settings use the locale, which cannot be set ({error}): give LC_ALL=C"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"{_settings(error)}: matplotlib cannot read its settings in this file ({reason}): correct or remove it"


def _settings(error: Exception) -> str:
    """Return the file of settings at whose reading matplotlib failed."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if "fname" in frame.f_locals:
            return str(Path(frame.f_locals["fname"]).absolute())
    return "matplotlibrc"


BACKEND = "MPLBACKEND"
"""The variable of the environment with the backend."""

_load()
