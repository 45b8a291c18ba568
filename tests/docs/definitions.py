"""Finds the functions and types that a source file of Rust or Python defines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator


def defined(suffix: str, text: str) -> set[str]:
    """Return the names that a source file defines."""
    return set(in_rust(text) if suffix == ".rs" else in_python(text))


RUST_ITEM = re.compile(
    r"^(?P<indent> *)(?:pub(?:\([\w ]+\))? )?(?:async |const |unsafe )*"
    r"(?P<kind>fn|struct|enum|trait|type) (?P<name>\w+)"
)
RUST_BLOCK = re.compile(r"^(?:pub(?:\([\w ]+\))? )?(?:impl|trait)\b")


def in_rust(text: str) -> Iterator[str]:
    """Yield functions and types, and methods as `Type::method` or `Trait::method`; rustfmt fixes the indentation."""
    owners: list[str] = []
    header = ""
    for line in text.splitlines():
        if line == "}":
            owners = []
        if header or RUST_BLOCK.match(line):
            header += line
            if line.endswith(("{", "{}")):
                owners, header = owners_of(header), ""
        item = RUST_ITEM.match(line)
        if item and not item["indent"]:
            yield item["name"]
        elif item and item["kind"] == "fn" and len(item["indent"]) == len("    "):
            yield from (f"{owner}::{item['name']}" for owner in owners)


def owners_of(header: str) -> list[str]:
    """Return the names of the trait and of the type of the first line of an `impl` or a `trait`."""
    plain = re.split(r"\bwhere\b|\{", re.sub(r"^(?:pub(?:\([\w ]+\))? )?", "", header))[0]
    while plain != (shorter := re.sub(r"<[^<>]*>", "", plain)):
        plain = shorter
    subject = re.sub(r"^(?:impl|trait) ", "", re.sub(r"(?<!:):(?!:).*", "", plain))
    return [part.strip().split("::")[-1] for part in subject.split(" for ")]


def in_python(text: str) -> Iterator[str]:
    """Yield functions and classes, and methods as `Class.method`."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef))
