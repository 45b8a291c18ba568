"""The command `manypath`: one file for each of its commands."""

from manypath.cli.app import main

__all__ = ["main"]
