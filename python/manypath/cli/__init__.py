"""The command line `manypath`, with one file for each command."""

from manypath.cli.app import main

__all__ = ["main"]
