"""The published schema of events, and what tests check by it: whole for each form of line, in part for each line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parents[1] / "spec" / "events.schema.json").read_text())


def data_schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of the data of each event of flows and of links."""
    events = [event for kind in ("Line", "LinkLine") for event in SCHEMA["$defs"][kind]["oneOf"]]
    references = {event["properties"]["name"]["const"]: event["properties"]["data"]["$ref"] for event in events}
    return {name: SCHEMA["$defs"][reference.rsplit("/", 1)[1]] for name, reference in references.items()}


def check_forms(header: dict[str, Any], events: Sequence[dict[str, Any]]) -> None:
    """Check a header and one line of each form: the whole schema takes 2 ms for a line, since it tries every event."""
    whole = Draft202012Validator(SCHEMA)
    whole.validate(header)
    forms = {(line["name"], *sorted(line), *sorted(line["data"])): line for line in events}
    for line in forms.values():
        whole.validate(line)


def check_data(events: Sequence[dict[str, Any]]) -> None:
    """Check the data of every line by the part of the schema for its event."""
    parts = {name: Draft202012Validator({**part, "$defs": SCHEMA["$defs"]}) for name, part in data_schemas().items()}
    for line in events:
        parts[line["name"]].validate(line["data"])
