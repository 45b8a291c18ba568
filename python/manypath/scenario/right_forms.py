"""Valid values of fields for messages, in the form of a file and of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manypath.quantity import SIZE, QuantityError


@dataclass(frozen=True)
class Form:
    """A model with some of its fields."""

    model: str
    """Name of its class."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Fields by name."""
    kind: str = ""
    """The kind in a file, of a field with several models."""

    def __str__(self) -> str:
        kind = {"kind": self.kind} if self.kind else {}
        pairs = ", ".join(f"{name} = {_plain(value)}" for name, value in {**kind, **self.fields}.items())
        arguments = ", ".join(f"{name}={_plain(value)}" for name, value in self.fields.items())
        return f"write {{ {pairs} }}, in Python {self.model}({arguments})"


def of_field(name: str, value: Any) -> str | None:
    """Return the right form of a field with several models: that of the meant kind, else the first one."""
    forms = KINDS.get(name)
    if forms is None:
        return None
    said = next((value[key] for key in SAME_AS_KIND if key in value), "") if isinstance(value, Mapping) else value
    word = said.strip().casefold().replace("_", "-") if isinstance(said, str) else ""
    meant = next((form for form in forms if word in (form.kind, form.model.casefold())), forms[0])
    limit = _limit(value) if meant.model == "DropTail" else {}
    return str(Form(meant.model, limit or meant.fields, meant.kind))


def of_missing(place: Sequence[str], table: Any, model: str) -> str:
    """Return an example of a missing field of a table of this model (its class, if known), with a comma before it."""
    name = place[-1]
    if "network" in place[-2:]:
        return f", as in {str(MODELS['Network']).removeprefix('write ')}"
    if name == "flows":
        return f", as in {TABLES['flows'].removeprefix('give flows by name: ')}"
    kind = table.get("kind") if isinstance(table, Mapping) else None
    forms = [form for several in KINDS.values() for form in several]
    of_kind = next((form for form in forms if isinstance(kind, str) and form.kind == kind), None)
    if of_kind is not None and name in of_kind.fields:
        return f", as in {str(of_kind).removeprefix('write ')}"
    known = MODELS.get(model)
    of_class = known if isinstance(known, Form) else next((form for form in forms if form.model == model), None)
    fields = of_class.fields if of_class is not None else {} if model else EXAMPLES
    return f", such as {name} = {_plain(fields[name])}" if name in fields else ""


def of_list(name: str, value: Any) -> str:
    """Return the right form of a list."""
    if name in LISTS:
        return LISTS[name]
    is_short = isinstance(value, str) and len(value) < LONG
    return f"write [{_plain(value)}]" if is_short else "give a list, also for a single value"


def of_model(name: str) -> str:
    """Return the right form of a model by the name of its class."""
    return str(MODELS.get(name, f"give {name}(...), or its fields as a table"))


def of_table(name: str) -> str:
    """Return the right form of a table of values by name."""
    return TABLES.get(name, "give values by name")


def _limit(value: Any) -> dict[str, Any]:
    """Read a value as the limit of a queue."""
    if type(value) is int and 0 < value < MOST_PACKETS:
        return {"packets": value}
    if not isinstance(value, str):
        return {}
    packets = re.fullmatch(r"\s*([1-9][0-9]{0,8})\s*(?:packets?|pkts?)?\s*", value)
    if packets is not None:
        return {"packets": int(packets[1])}
    try:
        return {"bytes": SIZE.show(SIZE.parse(value))}
    except QuantityError:
        return {}


def _plain(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


KINDS = {
    "queue": (
        Form("DropTail", {"packets": 100}, "drop-tail"),
        Form("Red", {"min": 30, "max": 90}, "red"),
        Form("CoDel", {"target": "5 ms"}, "codel"),
        Form("Pie", {"target": "15 ms"}, "pie"),
        Form("FqCoDel", {"target": "5 ms"}, "fq-codel"),
    ),
    "loss": (
        Form("Bernoulli", {"p": 0.01}, "bernoulli"),
        Form("BitError", {"rate": 5e-6}, "bit-error"),
        Form("GilbertElliott", {"to_bad": 0.01, "to_good": 0.3}, "gilbert-elliott"),
        Form("NoLoss", {}, "none"),
    ),
    "app": (
        Form("Saturated", {"message": "1452 B"}, "saturated"),
        Form("Transfer", {"size": "10 MB"}, "transfer"),
        Form("Cbr", {"rate": "1 Mbit/s"}, "cbr"),
        Form("OnOff", {"rate": "1 Mbit/s", "on": "1 s", "off": "1 s"}, "on-off"),
    ),
}
"""Models of the fields with several ones."""

MODELS: dict[str, Form | str] = {
    "Network": 'write { disjoint = { a = { rate = "10 Mbit/s" } } }, in Python disjoint(a=Link(rate="10 Mbit/s"))',
    "Link": Form("Link", {"rate": "10 Mbit/s"}),
    "Path": Form("Path", {"forward": ["a"]}),
    "Event": Form("Event", {"at": "30 s", "change": "down"}),
    "Sctp": Form("Sctp", {"paths": ["a"]}),
    "Tcp": Form("Tcp", {"path": "a"}),
    "Mptcp": Form("Mptcp", {"paths": ["a", "b"]}),
    "Rto": Form("Rto", {"min": "1 s"}),
    "TcpRto": Form("TcpRto", {"min": "200 ms"}),
    "Factor": 'write a list of values, such as ["lia", "olia"]',
    "RunnerTable": 'write { python = "module:function" } or { command = "..." }',
    "Pair": 'write { paths = ["a"] }',
    "Way": 'write { rate = "10 Mbit/s", rtt = "40 ms" }',
    "Bottleneck": 'write { rate = "10 Mbit/s", paths = ["a", "b"] }',
}
"""Models by class."""

EXAMPLES: dict[str, Any] = {
    "rate": "10 Mbit/s",
    "rtt": "40 ms",
    "at": "30 s",
    "paths": ["a"],
    "forward": ["a"],
    "within": "2 %",
}
"""Values of required fields of tables without a kind."""

LISTS = {
    "events": 'write [{ at = "30 s", change = "down" }], in Python [Event(at="30 s", change="down")]',
    "senders": 'write [{ rate = "10 Mbit/s" }], in Python [Link(rate="10 Mbit/s")]',
    "receivers": 'write [{ rate = "10 Mbit/s" }], in Python [Link(rate="10 Mbit/s")]',
}
"""Lists of models by field; the other lists have texts."""

TABLES = {
    "flows": 'give flows by name: { f = { paths = ["a"] } }, in Python {"f": Sctp(paths=["a"])}',
    "links": 'give links by name: { a = { rate = "10 Mbit/s" } }, in Python {"a": Link(rate="10 Mbit/s")}',
    "wires": 'give wires by name: { a-b = { rate = "10 Mbit/s" } }',
}
"""Tables by field."""

SAME_AS_KIND = ("type", "name", "model", "discipline", "algorithm")
"""Usual other keys for the kind of a table."""

MOST_PACKETS = 2**32
"""Exclusive upper limit of the packets of a queue."""

LONG = 60
"""Texts with fewer characters are repeated in a message."""
