"""Names in a flow that must mean something."""

from __future__ import annotations

from manypath import _native


def known_algorithm(name: str) -> str:
    """Refuse what names no congestion control, parameters included."""
    mistake = _native.algorithm_mistake(name)
    if mistake is not None:
        raise ValueError(mistake)
    return name


def no_path_twice(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a path that is named twice."""
    for index, path in enumerate(paths):
        if path in paths[:index]:
            raise ValueError(f'"{path}" is named twice: name each path once')
    return paths
