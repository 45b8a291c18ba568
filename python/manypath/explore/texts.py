"""A scenario as Python, as TOML and as a command line. Each text gives the same run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from manypath.quantity import Quantity
from manypath.scenario import Link, Network, Scenario, disjoint
from manypath.scenario.model import Model
from manypath.scenario.ranges import Range


def python(scenario: Scenario, seed: int) -> str:
    """Return a program that runs the scenario and prints the digest."""
    wires = _wires(scenario.network)
    if wires is None:
        network = _call(scenario.network, "    ")
    else:
        inner = "".join(f"        {json.dumps(name)}: {_wire_call(wire)},\n" for name, wire in wires.items())
        network = f"mp.disjoint(\n    **{{\n{inner}    }}\n)"
    flows = "".join(f"    {_text(name)}: {_call(flow)},\n" for name, flow in scenario.flows.items())
    return (
        "import manypath as mp\n\n"
        f"network = {network}\n"
        f"flows = {{\n{flows}}}\n"
        "scenario = mp.Scenario(\n    network=network,\n    flows=flows,\n"
        f"    warmup={_literal(scenario.warmup)},\n    measure={_literal(scenario.measure)},\n)\n"
        f"result = mp.run(scenario, seed={seed})\n"
        "print(result.digest)\n"
    )


def toml(scenario: Scenario) -> str:
    """Return a scenario file."""
    network = scenario.network
    lines = [f"warmup = {_literal(scenario.warmup)}", f"measure = {_literal(scenario.measure)}", ""]
    wires = _wires(network)
    if wires is None:
        if network.access is None:
            lines += ['network.access = "none"', ""]
        elif network.access != Network.model_fields["access"].default:
            lines += [f"network.access = {_inline(_plain(network.access))}", ""]
        lines += [
            "[network.links]",
            *(f"{_key(name)} = {_inline(_plain(link))}" for name, link in network.links.items()),
        ]
        lines += ["", "[network.paths]"]
        lines += [f"{_key(name)} = {_inline(_plain(path))}" for name, path in network.paths.items()]
    else:
        lines.append("[network.disjoint]")
        lines += [f"{_key(name)} = {_inline(_wire_table(wire))}" for name, wire in wires.items()]
    for name, flow in scenario.flows.items():
        lines += ["", f"[flows.{_key(name)}]"]
        lines += [f"{key} = {_inline(value)}" for key, value in _plain(flow).items()]
    return "\n".join(lines) + "\n"


def command(scenario: Scenario, seed: int) -> str:
    """Return a shell command that runs the scenario without a file of its own."""
    text = toml(scenario)
    end = "END"
    # A name of the scenario may contain a line that equals the end of the text.
    while f"\n{end}\n" in text:
        end += "D"
    return f"manypath run /dev/stdin --seed {seed} << '{end}'\n{text}{end}\n"


def _wires(network: Network) -> dict[str, Link | tuple[Link, Link]] | None:
    """Return the wires of a network of disjoint paths; None if the network is another."""
    wires: dict[str, Link | tuple[Link, Link]] = {}
    for name in network.paths:
        there, back = network.links.get(name), network.links.get(f"{name}/back")
        if there is None or back is None:
            return None
        wires[name] = there if there == back else (there, back)
    alike = disjoint(**wires)
    return wires if alike == network and list(alike.links) == list(network.links) else None


def _wire_call(wire: Link | tuple[Link, Link]) -> str:
    return _call(wire) if isinstance(wire, Link) else f"({_call(wire[0])}, {_call(wire[1])})"


def _wire_table(wire: Link | tuple[Link, Link]) -> dict[str, Any]:
    return _plain(wire) if isinstance(wire, Link) else {"there": _plain(wire[0]), "back": _plain(wire[1])}


def _own(model: Model) -> dict[str, Any]:
    """Return the fields of a model that differ from their defaults."""
    own: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value, default = getattr(model, name), field.default
        if isinstance(value, Quantity) and isinstance(default, str):
            default = value.dimension.parse(default)
        if field.is_required() or value != default:
            own[name] = value
    if isinstance(model, Link):
        if model.trace is not None:
            own.pop("rate", None)
        else:
            own = {"rate": model.rate, **own}
    return own


def _call(model: Model, indent: str = "") -> str:
    """Return the expression that makes a model; `indent` sets each field on a line of its own."""
    if isinstance(model, Range):
        return _literal(_ends(model))
    fields = [f"{name}={_literal(value)}" for name, value in _own(model).items()]
    name = f"mp.{type(model).__name__}"
    if indent:
        return f"{name}(\n" + "".join(f"{indent}{field},\n" for field in fields) + ")"
    return f"{name}({', '.join(fields)})"


def _literal(value: Any) -> str:
    match value:
        case Model():
            return _call(value)
        case Quantity():
            return _text(value.dimension.show(value))
        case str():
            return _text(value)
        case Mapping():
            return "{" + ", ".join(f"{_literal(key)}: {_literal(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return f"[{', '.join(map(_literal, value))}]"
        case _:
            return repr(value)


def _plain(model: Model) -> dict[str, Any]:
    """Return the fields of a file; `kind` and `transport` are always written."""
    named = {name: getattr(model, name) for name in ("kind", "transport") if name in type(model).model_fields}
    if named.get("transport") == "sctp":
        named = {}
    return {name: _value(value) for name, value in {**named, **_own(model)}.items()}


def _value(value: Any) -> Any:
    match value:
        case Range():
            return _value(_ends(value))
        case Model():
            return _plain(value)
        case Quantity():
            return value.dimension.show(value)
        case Mapping():
            return {str(key): _value(each) for key, each in value.items()}
        case list() | tuple():
            return [_value(each) for each in value]
        case _:
            return value


def _ends(ends: Range) -> Any:
    """Return the short form of a range."""
    low, high = (getattr(ends, name) for name in type(ends).model_fields)
    return low if low == high else [low, high]


def _inline(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case Mapping():
            return "{ " + ", ".join(f"{_key(key)} = {_inline(each)}" for key, each in value.items()) + " }"
        case list() | tuple():
            return f"[{', '.join(map(_inline, value))}]"
        case _:
            return repr(value)


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """Return a string literal that Python and TOML read alike."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that TOML reads without quotation marks."""
