"""Networks: links by name, and the paths that lead across them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from manypath.arguments import of_kind, whole
from manypath.errors import UserError, remedy
from manypath.scenario.links import Link
from manypath.scenario.losses import NoLoss
from manypath.scenario.model import Model
from manypath.scenario.queues import DropTail

if TYPE_CHECKING:
    from manypath.figures import Picture


class Path(Model):
    """The links that a packet crosses, by name, there and back."""

    forward: tuple[str, ...] = Field(min_length=1)
    """Links from sender to receiver, in the order they are crossed."""
    reverse: tuple[str, ...] = Field(min_length=1)
    """Links from receiver to sender."""


class Network(Model):
    """Links by name, and the paths that lead across them."""

    links: dict[str, Link] = Field(min_length=1)
    """Core links; each direction of a wire is a link of its own."""
    paths: dict[str, Path] = Field(min_length=1)
    """Ways from senders to receivers."""
    access: Link | None = Link(rate="1 Gbit/s", delay="0 ms", queue=DropTail(packets=10_000))
    """The wire between a host and the core: every host has one for each path and direction. None: no such wire."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """What an editor is told: the short forms of a file, too."""
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
        """A copy in which links that only ways back cross lose nothing: packets may be lost, acknowledgements not."""
        there = {link for path in self.paths.values() for link in path.forward}
        back = {link for path in self.paths.values() for link in path.reverse} - there
        links = {name: link.but(loss=NoLoss()) if name in back else link for name, link in self.links.items()}
        return self.but(links=links)

    def draw(self) -> Picture:
        """Draw the network: links with what they do to packets, and the paths across them; see `figures.topology`."""
        from manypath.figures.topology import topology

        return topology(self)

    def _repr_svg_(self) -> str:
        """Show the drawing in a notebook."""
        return self.draw()._repr_svg_()

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, fields: Any) -> Any:
        """Read the short forms of a file too: ``{"disjoint": {...}}``, ``{"bottleneck": {...}}``."""
        if isinstance(fields, Mapping):
            for name, form in SHORT_FORMS.items():
                if name in fields:
                    network = form.model_validate({name: fields[name]}).network()
                    rest = {key: value for key, value in fields.items() if key != name}
                    own = {field: getattr(network, field) for field in network.model_fields_set}
                    return {**own, **rest}
        return fields

    @model_validator(mode="after")
    def _links_exist(self) -> Self:
        for name, path in self.paths.items():
            for direction, links in (("forward", path.forward), ("reverse", path.reverse)):
                for link in links:
                    if link not in self.links:
                        raise ValueError(
                            f'paths.{name}.{direction}: "{link}" is no link of this network: {remedy(link, self.links)}'
                        )
        return self


def disjoint(**links: Link) -> Network:
    """A network of paths that share nothing: one path for each link, of the same name.

    The way back is a link of its own with the same properties, named ``NAME/back``.
    """
    if not links:
        raise UserError("disjoint: has no links, so zero paths: give one or more, such as south=Link(...)")
    for name, link in links.items():
        of_kind(f"disjoint.{name}", link, Link, LINK)
    return Network(
        links={each: link for name, link in links.items() for each in (name, f"{name}/back")},
        paths={name: Path(forward=(name,), reverse=(f"{name}/back",)) for name in links},
    )


def bottleneck(link: Link, paths: int) -> Network:
    """A network whose paths ``path1`` to ``pathN`` all cross one link, named ``bottleneck``.

    Each path has access links of its own, so that its addresses differ from those of the others.
    """
    of_kind("bottleneck.link", link, Link, LINK)
    paths = whole(
        "bottleneck.paths", paths, "number of paths", least=1, below=MOST_PATHS + 1, right=f"1 to {MOST_PATHS}"
    )
    there, back = "bottleneck", "bottleneck/back"
    return Network(
        links={there: link, back: link},
        paths={f"path{number}": Path(forward=(there,), reverse=(back,)) for number in range(1, paths + 1)},
    )


def dumbbell(link: Link, senders: Sequence[Link], receivers: Sequence[Link]) -> Network:
    """A network whose paths ``path1`` to ``pathN`` cross a link of their own, the ``bottleneck``, and one more.

    Path n begins on the n-th of `senders`, ``sender<n>``, and ends on the n-th of `receivers`, ``receiver<n>``. These
    stand for the access links, of which there are no others. The way back has links of its own with the same
    properties, named ``NAME/back``.
    """
    of_kind("dumbbell.link", link, Link, LINK)
    for name, side in (("senders", senders), ("receivers", receivers)):
        for each in of_kind(f"dumbbell.{name}", side, Sequence, f"a list of links, each {LINK}"):
            of_kind(f"dumbbell.{name}", each, Link, LINK)
    if not senders or len(senders) != len(receivers):
        raise UserError(
            f"dumbbell: {len(senders)} senders and {len(receivers)} receivers are no paths: give one of each for a path"
        )
    links, paths = {"bottleneck": link, "bottleneck/back": link}, {}
    for number, (sender, receiver) in enumerate(zip(senders, receivers, strict=True), 1):
        forward = (f"sender{number}", "bottleneck", f"receiver{number}")
        reverse = tuple(f"{name}/back" for name in reversed(forward))
        links |= {forward[0]: sender, reverse[-1]: sender, forward[-1]: receiver, reverse[0]: receiver}
        paths[f"path{number}"] = Path(forward=forward, reverse=reverse)
    return Network(links=links, paths=paths, access=None)


LINK = 'Link(rate="10 Mbit/s")'
"""What would be right where something is no link."""

MOST_PATHS = 65_535
"""Paths that a network is made with at most."""


class _Disjoint(Model):
    """`disjoint` as a file writes it: one table for each link."""

    disjoint: dict[str, Link] = Field(min_length=1)

    def network(self) -> Network:
        return disjoint(**self.disjoint)


class _Shared(Model):
    link: Link
    paths: int = Field(ge=1)


class _Bottleneck(Model):
    """`bottleneck` as a file writes it: the link, and how many paths cross it."""

    bottleneck: _Shared

    def network(self) -> Network:
        return bottleneck(self.bottleneck.link, self.bottleneck.paths)


class _Bell(Model):
    link: Link
    senders: tuple[Link, ...] = Field(min_length=1)
    receivers: tuple[Link, ...] = Field(min_length=1)


class _Dumbbell(Model):
    """`dumbbell` as a file writes it: the link, and a link for each path on either side of it."""

    dumbbell: _Bell

    def network(self) -> Network:
        return dumbbell(self.dumbbell.link, self.dumbbell.senders, self.dumbbell.receivers)


SHORT_FORMS: dict[str, type[_Disjoint | _Bottleneck | _Dumbbell]] = {
    "disjoint": _Disjoint,
    "bottleneck": _Bottleneck,
    "dumbbell": _Dumbbell,
}
"""What a file may say instead of links and paths."""
