"""Networks: links and paths by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from manypath.arguments import of_kind, text, whole
from manypath.errors import UserError, quoted, remedy
from manypath.quantity import RATE, SPAN
from manypath.scenario.frozen import FrozenDict
from manypath.scenario.links import Link
from manypath.scenario.losses import NoLoss
from manypath.scenario.model import Model, Span
from manypath.scenario.names import Name, as_shown
from manypath.scenario.queues import DropTail

if TYPE_CHECKING:
    from manypath.figures import Picture

MOST_PATHS = 100_000
"""Largest number of paths of a network, which takes some seconds to check."""

MOST_LINKS = 4 * MOST_PATHS + 2
"""Largest number of links of a network: that of the largest dumbbell."""

LINK = 'Link(rate="10 Mbit/s")'
"""A valid link, for messages."""


class Path(Model):
    """The links of a path in both directions, by name.

    Examples
    --------
    >>> import manypath as mp
    >>> links = dict.fromkeys(["a", "b", "c"], mp.Link(rate="10 Mbit/s"))
    >>> network = mp.Network(links=links, paths={"north": mp.Path(forward=["a", "b"], reverse=["c"])})
    >>> network.paths["north"]
    Path(forward=('a', 'b'), reverse=('c',))
    """

    forward: tuple[str, ...] = Field(min_length=1)
    """Links from sender to receiver, in their order, each once."""
    reverse: tuple[str, ...] = ()
    """Links from receiver to sender. If empty, the network adds reverse links with the properties of the forward links:
    ``b/back``, then ``a/back``, for a path over ``a`` and ``b``."""

    @field_validator("forward", "reverse")
    @classmethod
    def _each_link_once(cls, links: tuple[str, ...]) -> tuple[str, ...]:
        seen: set[str] = set()
        for link in links:
            if link in seen:
                raise ValueError(f"{quoted(link)} occurs twice: name each link once")
            seen.add(link)
        return links


class Network(Model):
    """Links and paths by name.

    Examples
    --------
    >>> import manypath as mp
    >>> wire = mp.Link(rate="10 Mbit/s", delay="5 ms")
    >>> network = mp.Network(links={"a": wire, "b": wire}, paths={"north": mp.Path(forward=["a", "b"])})
    >>> network.paths["north"].reverse
    ('b/back', 'a/back')
    """

    links: Annotated[dict[Name, Link], AfterValidator(FrozenDict)] = Field(min_length=1)
    """Core links; each direction of a wire is a separate link."""
    paths: Annotated[dict[Name, Path], AfterValidator(FrozenDict)] = Field(min_length=1)
    """Paths from senders to receivers."""
    access: Link | None = Link(rate="1 Gbit/s", delay="0 ms", queue=DropTail(packets=10_000))
    """Access links between hosts and core: each host has one for each path and direction. None, in files ``"none"``: no
    access links."""

    _short_forms = ("disjoint", "bottleneck", "dumbbell", "topology")

    @field_validator("access", mode="before", json_schema_input_type=Link | Literal["none"] | None)
    @classmethod
    def _none_in_files(cls, access: Any) -> Any:
        """Read ``"none"``, because TOML has no null."""
        return None if access == "none" else access

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema with the short forms of files."""
        schema = handler(core)
        table = handler.resolve_ref_schema(schema)
        ways = [{"required": table.pop("required")}]
        for name, form in SHORT_FORMS.items():
            short = handler.resolve_ref_schema(handler(form.__pydantic_core_schema__))
            table["properties"][name] = short["properties"][name]
            ways.append({"required": [name]})
        table["oneOf"] = ways
        return schema

    def with_clean_way_back(self) -> Self:
        """Return a copy without losses on links that only reverse paths use, so that no acknowledgements are lost.

        Examples
        --------
        >>> import manypath as mp
        >>> network = mp.disjoint(south=mp.Link(rate="5 Mbit/s", loss="1 %"))
        >>> clean = network.with_clean_way_back()
        >>> clean.links["south"].loss, clean.links["south/back"].loss
        (Bernoulli(kind='bernoulli', p=0.01), NoLoss(kind='none'))
        """
        there = {link for path in self.paths.values() for link in path.forward}
        back = {link for path in self.paths.values() for link in path.reverse} - there
        links = {name: link.but(loss=NoLoss()) if name in back else link for name, link in self.links.items()}
        return self.but(links=links)

    def bottleneck_rate(self, path: str) -> int:
        """Return the rate of the slowest forward link of a path, bit/s; access links do not count.

        Examples
        --------
        >>> import manypath as mp
        >>> mp.disjoint(south=mp.Link(rate="5 Mbit/s")).bottleneck_rate("south")
        5000000
        """
        return min(self.links[link].rate for link in self.paths[path].forward)

    def draw(self) -> Picture:
        """Return a drawing of links with their properties, and of paths; see `figures.topology`."""
        from manypath.figures.topology import topology

        return topology(self)

    def _repr_svg_(self) -> str:
        """Return the drawing for a notebook."""
        return self.draw()._repr_svg_()

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, fields: Any) -> Any:
        """Also read the short forms of files, such as ``{"disjoint": {...}}``; refuse very large networks."""
        if isinstance(fields, Mapping):
            # Checked first, because validation of each link and path takes time.
            for name, most in (("links", MOST_LINKS), ("paths", MOST_PATHS)):
                given = fields.get(name)
                if isinstance(given, Mapping) and len(given) > most:
                    raise UserError(f"network.{name}: {len(given)} are too many: give {most} or less")
            _one_kind(fields)
            for name, form in SHORT_FORMS.items():
                if name in fields:
                    # Pydantic's error keeps the place of a mistake within this network.
                    network = form.__pydantic_validator__.validate_python({name: fields[name]}).network()
                    rest = {key: value for key, value in fields.items() if key != name}
                    own = {field: getattr(network, field) for field in network.model_fields_set}
                    return {**own, **rest}
        return fields

    @model_validator(mode="wrap")
    @classmethod
    def _lead_back(cls, fields: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Add reverse links to each path without them, with the properties of its forward links."""
        network = handler(fields)
        # A path with an unknown link keeps it for `_links_exist`.
        known = network.links.keys()
        alone = {name: path for name, path in network.paths.items() if not path.reverse and known >= {*path.forward}}
        if not alone:
            return network
        links, paths = dict(network.links), dict(network.paths)
        for name, path in alone.items():
            back = tuple(_way_back(link) for link in reversed(path.forward))
            for there, link in zip(reversed(path.forward), back, strict=True):
                links.setdefault(link, links[there])
            paths[name] = Path(forward=path.forward, reverse=back)
        return handler({"links": links, "paths": paths, "access": network.access})

    @model_validator(mode="after")
    def _links_exist(self) -> Self:
        for name, path in self.paths.items():
            for direction, links in (("forward", path.forward), ("reverse", path.reverse)):
                for link in links:
                    if link not in self.links:
                        hint = remedy(link, self.links)
                        raise ValueError(f"paths.{name}.{direction}: {quoted(link)} is no link of this network: {hint}")
        return self


def _one_kind(fields: Mapping[str, Any]) -> None:
    """Refuse two kinds of networks: two short forms, or one beside links or paths."""
    given = [name for name in (*SHORT_FORMS, "links", "paths") if name in fields]
    if len(given) > 1 and not {*given} <= {"links", "paths"}:
        both = f"{', '.join(given[:-1])} and {given[-1]}"
        known = f"links with paths, {', '.join(list(SHORT_FORMS)[:-1])} or {list(SHORT_FORMS)[-1]}"
        raise ValueError(f"{both} are given, but a network has one kind: give one of {known}")


def disjoint(**links: Link | tuple[Link, Link]) -> Network:
    """Return a network of disjoint paths: one path for each link, with the same name.

    The reverse link has the name ``NAME/back`` and the same properties. With a pair of links, the second is the reverse
    link.

    Examples
    --------
    >>> import manypath as mp
    >>> down, up = mp.Link(rate="16 Mbit/s", delay="10 ms"), mp.Link(rate="1 Mbit/s", delay="10 ms")
    >>> network = mp.disjoint(dsl=(down, up), lte=mp.Link(rate="8 Mbit/s", delay="30 ms"))
    >>> list(network.links)
    ['dsl', 'dsl/back', 'lte', 'lte/back']
    """
    if not links:
        raise UserError("disjoint: no links and so no paths: give one or more, such as south=Link(...)")
    _no_link_twice("disjoint", links)
    return Network(
        links={
            each: link
            for name, wire in links.items()
            for each, link in zip((name, f"{name}/back"), _there_and_back(f"disjoint.{name}", wire), strict=True)
        },
        paths={name: Path(forward=(name,), reverse=(f"{name}/back",)) for name in links},
    )


def bottleneck(link: Link, paths: int | None = None, delays: Sequence[Any] = ()) -> Network:
    """Return a network with the paths ``path1`` to ``pathN``, which share one link named ``bottleneck``.

    Each path has its own access links, and so its own addresses.

    Parameters
    ----------
    link
        The shared link, for both directions.
    paths
        Number of paths; by default the number of `delays`.
    delays
        Additional delay of each path in each direction: ``["10 ms", "50 ms"]``. Each path has a link for it, ``delay1``
        and so on, which is fast enough to avoid queueing.

    Examples
    --------
    >>> import manypath as mp
    >>> network = mp.bottleneck(mp.Link(rate="10 Mbit/s"), delays=["10 ms", "50 ms"])
    >>> network.paths["path2"].forward
    ('bottleneck', 'delay2')
    """
    of_kind("bottleneck.link", link, Link, LINK)
    count = _count("bottleneck.paths", _length("bottleneck.delays", delays) if paths is None else paths)
    _one_each("bottleneck.delays", delays, count)
    there, back = "bottleneck", "bottleneck/back"
    links = {there: link, back: link}
    if not delays:
        shared = Path(forward=(there,), reverse=(back,))
        return Network(links=links, paths={f"path{number}": shared for number in range(1, count + 1)})
    roomy = Link(rate=RATE.show(max(10 * link.rate, RATE.parse("1 Gbit/s"))), queue=DropTail(packets=10_000))
    ways = {}
    for number, delay in enumerate(delays, 1):
        own = f"delay{number}"
        links |= dict.fromkeys((own, f"{own}/back"), roomy.but(delay=delay))
        ways[f"path{number}"] = Path(forward=(there, own), reverse=(f"{own}/back", back))
    return Network(links=links, paths=ways)


def dumbbell(
    link: Link, senders: Link | Sequence[Link], receivers: Link | Sequence[Link], delays: Sequence[Any] = ()
) -> Network:
    """Return a network with the paths ``path1`` to ``pathN``, which share one link named ``bottleneck``.

    Path n starts with the n-th of `senders`, ``sender<n>``, and ends with the n-th of `receivers`, ``receiver<n>``.
    There are no other access links. The reverse links have the same properties, and the names ``NAME/back``.

    Parameters
    ----------
    link
        The shared link, for both directions.
    senders, receivers
        A link for each path; or one link, which is copied for each path.
    delays
        Additional delay of each path in each direction, on the link of its receiver: ``["10 ms", "50 ms"]``.

    Examples
    --------
    >>> import manypath as mp
    >>> fast = mp.Link(rate="1 Gbit/s", delay="1 ms")
    >>> network = mp.dumbbell(mp.Link(rate="10 Mbit/s"), senders=fast, receivers=fast, delays=["10 ms", "50 ms"])
    >>> network.paths["path2"].forward
    ('sender2', 'bottleneck', 'receiver2')
    """
    of_kind("dumbbell.link", link, Link, LINK)
    for name, side in (("senders", senders), ("receivers", receivers)):
        if not isinstance(side, Link):
            for each in of_kind(f"dumbbell.{name}", side, Sequence, f"a list of links, each {LINK}"):
                of_kind(f"dumbbell.{name}", each, Link, LINK)
    ends = [[*side] for side in (senders, receivers) if not isinstance(side, Link)]
    count = (
        _count("dumbbell", len(ends[0]) or 1)
        if ends
        else _count("dumbbell.delays", _length("dumbbell.delays", delays) or 1)
    )
    before, behind = ([side] * count if isinstance(side, Link) else [*side] for side in (senders, receivers))
    if not before or len(before) != len(behind):
        raise UserError(f"dumbbell: {len(before)} senders and {len(behind)} receivers: give one of each for each path")
    _one_each("dumbbell.delays", delays, count)
    for number, delay in enumerate(delays):
        own = behind[number]
        behind[number] = own.but(delay=SPAN.show(own.delay + own.but(delay=delay).delay))
    links, paths = {"bottleneck": link, "bottleneck/back": link}, {}
    for number, (sender, receiver) in enumerate(zip(before, behind, strict=True), 1):
        forward = (f"sender{number}", "bottleneck", f"receiver{number}")
        reverse = tuple(_way_back(name) for name in reversed(forward))
        links |= {forward[0]: sender, reverse[-1]: sender, forward[-1]: receiver, reverse[0]: receiver}
        paths[f"path{number}"] = Path(forward=forward, reverse=reverse)
    return Network(links=links, paths=paths, access=None)


def topology(wires: Mapping[str, Link | tuple[Link, Link]], paths: Mapping[str, str]) -> Network:
    """Return a network of nodes, with wires between nodes and paths over nodes.

    Parameters
    ----------
    wires
        A link for each wire, ``{"a-b": Link(...)}``, for both directions; or a pair of links, with that from a to b
        first. They become the links ``a-b`` and ``b-a``.
    paths
        The nodes of each path, from sender to receiver: ``{"north": "a b d"}``. The reverse path has the reverse order.

    Examples
    --------
    >>> import manypath as mp
    >>> wire = mp.Link(rate="10 Mbit/s", delay="5 ms")
    >>> network = mp.topology({"a-b": wire, "b-d": wire, "a-d": wire}, {"north": "a b d", "south": "a d"})
    >>> network.paths["north"].reverse
    ('d-b', 'b-a')
    """
    of_kind("topology.wires", wires, Mapping, f'wires by name, such as {{"a-b": {LINK}}}')
    of_kind("topology.paths", paths, Mapping, 'the nodes of each path, such as {"north": "a b"}')
    links: dict[str, Link] = {}
    for name, wire in wires.items():
        first, dash, second = text("topology.wires", name, 'names of two nodes, such as "a-b"').partition("-")
        # The nodes of a path are words of a text, so a node with a blank could not be named there.
        words = name.split() == [name] and first and dash and second
        if not words or "-" in second or first == second:
            raise UserError(f'topology.wires: {quoted(name)} is no wire between two nodes: name it as in "a-b"')
        there, back = name, f"{second}-{first}"
        if back in wires:
            raise UserError(
                f"topology.wires: {quoted(name)} and {quoted(back)} are the same wire: "
                "give one wire with a pair of links"
            )
        links[there], links[back] = _there_and_back(f"topology.wires.{name}", wire)
    _no_link_twice("topology.wires", links)
    return Network(links=links, paths={name: _visits(name, nodes, links) for name, nodes in paths.items()})


def _visits(name: str, path: str, links: Mapping[str, Link]) -> Path:
    """Return the path over the nodes in a text."""
    nodes = text(f"topology.paths.{name}", path, 'its nodes in one text, such as "a b"').split()
    hops = list(pairwise(nodes))
    if not hops:
        raise UserError(
            f'topology.paths.{name}: {quoted(" ".join(nodes))} is no path: name two or more nodes, as in "a b"'
        )
    for hop in hops:
        if "-".join(hop) not in links:
            wire = "-".join(hop)
            raise UserError(f"topology.paths.{name}: there is no wire {quoted(wire)}: {remedy(wire, links)}")
    forward = tuple("-".join(hop) for hop in hops)
    return Path(forward=forward, reverse=tuple("-".join(reversed(hop)) for hop in reversed(hops)))


def _way_back(link: str) -> str:
    """Return the name of the other direction of a wire."""
    return link.removesuffix("/back") if link.endswith("/back") else f"{link}/back"


def _no_link_twice(field: str, names: Collection[str]) -> None:
    """Refuse a name with ``/back`` of another one: the link of one would be the reverse link of the other.

    A name that cannot be shown is refused here, too, and not once for each link and path that would have it.
    """
    for name in names:
        try:
            as_shown(name)
        except ValueError as error:
            raise UserError(f"{field}: {error}") from None
        if f"{name}/back" in names:
            raise UserError(
                f"{field}: {quoted(f'{name}/back')} is also the name of the reverse link of {quoted(name)}: "
                "choose another name"
            )


def _there_and_back(field: str, wire: Link | tuple[Link, Link]) -> tuple[Link, Link]:
    if isinstance(wire, Link):
        return wire, wire
    match wire:
        case [Link() as there, Link() as back]:
            return there, back
        case _:
            raise UserError(
                f"{field}: {quoted(wire)} is no wire: give {LINK}, or a pair of links for forward and reverse"
            )


def _one_each(field: str, delays: Sequence[Any], paths: int) -> None:
    if not isinstance(delays, Sequence) or isinstance(delays, str) or (delays and len(delays) != paths):
        raise UserError(f"{field}: {quoted(delays)} is not a list of {paths} delays: give one delay for each path")


def _length(field: str, delays: Sequence[Any]) -> int:
    """Return the number of delays."""
    if isinstance(delays, str):
        raise UserError(f'{field}: {quoted(delays)} is no list: write ["5 ms", "10 ms"]')
    return len(of_kind(field, delays, Sequence, 'a list such as ["5 ms", "10 ms"]'))


def _count(field: str, paths: Any) -> int:
    return whole(field, paths, "number of paths", least=1, below=MOST_PATHS + 1, right=f"1 to {MOST_PATHS}")


class _Wire(Model):
    """The form of a wire with different directions in a file."""

    there: Link
    back: Link


class _Disjoint(Model):
    """The form of `disjoint` in a file: a table for each link, or a table with ``there`` and ``back``."""

    disjoint: dict[Name, Link] = Field(min_length=1)

    @field_validator("disjoint", mode="before", json_schema_input_type=dict[str, Link | _Wire])
    @classmethod
    def _directions(cls, wires: Any) -> Any:
        return _split(wires)

    def network(self) -> Network:
        return disjoint(**_joined(self.disjoint))


class _Shared(Model):
    link: Link
    paths: int | None = Field(default=None, ge=1, le=MOST_PATHS)
    delays: tuple[Span, ...] = ()


class _Bottleneck(Model):
    """The form of `bottleneck` in a file: the link, the number of paths, and their additional delays."""

    bottleneck: _Shared

    def network(self) -> Network:
        return bottleneck(self.bottleneck.link, self.bottleneck.paths, _texts(self.bottleneck.delays))


class _Bell(Model):
    link: Link
    senders: tuple[Link, ...] = Field(min_length=1)
    receivers: tuple[Link, ...] = Field(min_length=1)
    delays: tuple[Span, ...] = ()


class _Dumbbell(Model):
    """The form of `dumbbell` in a file: the shared link, and a link for each path on both sides."""

    dumbbell: _Bell

    def network(self) -> Network:
        bell = self.dumbbell
        return dumbbell(bell.link, bell.senders, bell.receivers, _texts(bell.delays))


class _Nodes(Model):
    wires: dict[Name, Link] = Field(min_length=1)
    paths: dict[Name, str] = Field(min_length=1)

    @field_validator("wires", mode="before", json_schema_input_type=dict[str, Link | _Wire])
    @classmethod
    def _directions(cls, wires: Any) -> Any:
        return _split(wires)


class _Topology(Model):
    """The form of `topology` in a file: a table for each wire, and the nodes of each path."""

    topology: _Nodes

    def network(self) -> Network:
        return topology(_joined(self.topology.wires), self.topology.paths)


def _split(wires: Any) -> Any:
    """Return each direction of a wire as a link, ``NAME.there`` and ``NAME.back``, which are the places of mistakes."""
    if not isinstance(wires, Mapping):
        return wires
    links: dict[str, Any] = {}
    for name, wire in wires.items():
        if isinstance(wire, Mapping) and wire.keys() & {"there", "back"}:
            if wire.keys() != {"there", "back"}:
                raise ValueError(f"{name} needs exactly two links: give there and back")
            links |= {f"{name}.{direction}": link for direction, link in wire.items()}
        else:
            links[name] = wire
    return links


def _joined(links: Mapping[str, Link]) -> dict[str, Link | tuple[Link, Link]]:
    """Return the wires of the links that `_split` returned."""
    wires: dict[str, Link | tuple[Link, Link]] = {}
    for name, link in links.items():
        wire, _, direction = name.rpartition(".")
        back = links.get(f"{wire}.back")
        if direction == "there" and back is not None:
            wires[wire] = (link, back)
        elif direction != "back" or f"{wire}.there" not in links:
            wires[name] = link
    return wires


def as_written(network: Any, message: str) -> str:
    """Return a message in which links have their places in the table `network` of a file: ``network.disjoint.dsl``.

    The engine's message has the places in the expanded network: ``network.links.dsl`` and ``network.links.dsl/back``.
    """

    def place(match: re.Match[str]) -> str:
        return _place(network, match["wire"], "back" if match["back"] else "there") or match[0]

    return OF_A_LINK.sub(place, message) if isinstance(network, Mapping) else message


def _place(network: Mapping[str, Any], wire: str, direction: str) -> str | None:
    """Return the place of one direction of a wire in a short form; None if it has no such wire."""
    nodes = network.get("topology")
    wires = nodes.get("wires") if isinstance(nodes, Mapping) else None
    places = [("disjoint", network.get("disjoint"), wire, direction), ("topology.wires", wires, wire, direction)]
    places.append(("topology.wires", wires, "-".join(reversed(wire.split("-"))), "back"))
    for form, table, key, side in places:
        if isinstance(table, Mapping) and key in table:
            both = isinstance(table[key], Mapping) and side in table[key]
            return f"network.{form}.{key}.{side}" if both else f"network.{form}.{key}"
    form = next((form for form in ("bottleneck", "dumbbell") if form in network), None)
    return f"network.{form}.link" if form is not None and wire == "bottleneck" else None


def _texts(delays: Sequence[int]) -> list[str]:
    """Return delays as texts with units."""
    return [SPAN.show(delay) for delay in delays]


SHORT_FORMS: dict[str, type[_Disjoint | _Bottleneck | _Dumbbell | _Topology]] = {
    "disjoint": _Disjoint,
    "bottleneck": _Bottleneck,
    "dumbbell": _Dumbbell,
    "topology": _Topology,
}
"""Alternatives to links and paths in a file."""

TOPOLOGIES = {
    "disjoint": "disjoint paths: one path for each link, with the same name",
    "bottleneck": "paths over one shared link, each with an additional delay if wanted",
    "dumbbell": "paths over one shared link, each with own links to its sender and receiver",
    "topology": "wires between nodes, and paths over nodes",
}
"""Meanings of the short forms."""

OF_A_LINK = re.compile(rf"network\.links\.(?P<wire>.+?)(?P<back>/back)?(?=\.(?:{'|'.join(Link.model_fields)})\b)")
"""A link in the place of a mistake."""
