"""``python -m manypath``: the command line."""

from manypath.cli import main

main()
