"""Every control of the page changes a run, and its value in a browser reaches the run (`make test-long`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Browser, linked
from states import expected, short

from manypath.errors import UserError
from manypath.explore import presets
from manypath.explore.controls import Control, changed, controls
from manypath.explore.state import State


def with_settings(state: State, *settings: tuple[str, str | bool]) -> State:
    """Return a state after moves of some controls."""
    for place, value in settings:
        state = changed(state, place, value)
    return state


def poor(state: State) -> State:
    """Return a state with losses, unequal delays and small buffers, in which mechanisms have something to do."""
    return with_settings(
        state,
        ("measure", "19 s"),
        ("links\tsouth\tloss", "bernoulli"),
        ("links\tsouth\tloss.p", "2 %"),
        ("links\tnorth\tdelay", "100 ms"),
        ("links\tnorth\tloss", "gilbert-elliott"),
        ("flows\tmultipath\treceive_buffer", "60 kB"),
        ("flows\tmultipath\tsend_buffer", "100 kB"),
    )


STATES = {
    "the first one": short,
    "losses and small buffers": lambda: poor(short()),
    "Multipath TCP": lambda: poor(changed(short(), "transport\tmultipath", "mptcp")),
    "Multipath TCP without SACK": lambda: with_settings(
        short(),
        ("transport\tmultipath", "mptcp"),
        ("links\tsouth\tloss", "bernoulli"),
        ("flows\tmultipath\tsack", False),
    ),
    "DSL with LTE": lambda: with_settings(
        presets.preset(presets.OWN, "DSL with LTE"), ("warmup", "1 s"), ("measure", "9 s")
    ),
    "a queue of each kind": lambda: with_settings(
        short(), ("links\tsouth\tqueue", "fq-codel"), ("links\tnorth\tqueue", "pie"), ("measure", "9 s")
    ),
    "bit errors and CoDel": lambda: with_settings(
        short(), ("links\tsouth\tqueue", "codel"), ("links\tnorth\tloss", "bit-error"), ("measure", "9 s")
    ),
    "a transfer and pauses": lambda: with_settings(
        short(),
        ("flows\tmultipath\tapp", "transfer"),
        ("flows\tmultipath\tapp.size", "1 MB"),
        ("flows\trival\tapp", "on-off"),
    ),
    "constant rate": lambda: with_settings(
        short(),
        ("flows\tmultipath\tapp", "cbr"),
        ("flows\tmultipath\tapp.message", "100 B"),
        ("flows\tmultipath\tapp.rate", "1 Mbit/s"),
    ),
    "ordered messages": lambda: changed(poor(short()), "flows\tmultipath\tapp.ordered", True),
    "heavy losses": lambda: with_settings(
        poor(short()),
        ("links\tsouth\tloss.p", "10 %"),
        ("links\tnorth\tloss", "bernoulli"),
        ("links\tnorth\tloss.p", "10 %"),
        ("flows\tmultipath\treceive_buffer", "20 kB"),
        # Path blocking needs a window that falls below one packet.
        ("flows\tmultipath\trtt_sample", "same-path"),
    ),
    "a path that fails": lambda: with_settings(
        poor(short()),
        ("links\tnorth\tloss", "bernoulli"),
        ("links\tnorth\tloss.p", "95 %"),
        ("flows\tmultipath\theartbeat_interval", "1 s"),
        ("measure", "119 s"),
    ),
    "both paths fail": lambda: with_settings(
        poor(short()),
        ("links\tsouth\tloss.p", "60 %"),
        ("links\tnorth\tloss", "bernoulli"),
        ("links\tnorth\tloss.p", "60 %"),
        ("measure", "190 s"),
    ),
}
"""States whose controls are moved."""


def values(control: Control) -> Iterator[str | bool]:
    """Yield values that are not that of the control."""
    if control.kind == "switch":
        yield not control.value
        return
    text = str(control.value)
    yield from (each for each in (*control.choices, *control.steps) if each != text)
    amount, _, unit = text.partition(" ")
    for factor in (2.0, 0.5, 10.0, 0.1):
        try:
            number = float(amount) * factor
        except ValueError:
            break
        yield f"{number:.12g} {unit}".strip()
    yield from FURTHER.get(text, ())
    yield "0.5 s"


def moved(state: State, digest: str, control: Control) -> tuple[str | bool, State] | None:
    """Return the first value that changes the digest of the run, with the state that has it; None if no value does."""
    for value in values(control):
        try:
            new = changed(state, control.place, value)
        except UserError:
            continue
        if new.scenario != state.scenario and expected(new) != digest:
            return value, new
        if new.seed != state.seed and expected(new) != digest:
            return value, new
    return None


def field(control: Control) -> str:
    """Return the setting of a control without the name of its link or flow."""
    part, _, rest = control.place.partition("\t")
    return f"{part} {rest.rpartition(chr(9))[2] if part in ('links', 'flows') else ''}".strip()


@pytest.fixture(scope="module")
def moves() -> dict[str, list[tuple[Control, str | bool, State]]]:
    """The moves of each state that change its run; a control is moved in the first of these states only."""
    found: dict[str, list[tuple[Control, str | bool, State]]] = {}
    places: set[str] = set()
    for name, make in STATES.items():
        state = make()
        digest = expected(state)
        pairs = ((each, moved(state, digest, each)) for each in controls(state) if each.place not in places)
        found[name] = [(control, *move) for control, move in pairs if move is not None]
        places.update(control.place for control, *_ in found[name])
    return found


@pytest.mark.long
def test_every_control_changes_the_run_of_a_state():
    every: set[str] = set()
    moving: set[str] = set()
    for make in STATES.values():
        state = make()
        fields = {control.place: field(control) for control in controls(state)}
        every.update(fields.values())
        if moving.issuperset(fields.values()):
            continue
        digest = expected(state)
        for control in controls(state):
            if fields[control.place] not in moving and moved(state, digest, control) is not None:
                moving.add(fields[control.place])
    assert every == moving


@pytest.mark.long
@pytest.mark.parametrize("name", STATES)
def test_every_control_passes_its_value_to_the_run(
    browser: Browser, address: str, name: str, moves: dict[str, list[tuple[Control, str | bool, State]]]
):
    first = STATES[name]()
    opened(browser, linked(address, first))
    for control, value, state in moves[name]:
        label = f"{control.group}, {control.label}"
        match control.kind:
            case "switch":
                browser.switch(label)
            case "choice":
                browser.choose(label, str(value))
            case _:
                browser.write(label, str(value))
        browser.shows(state)
        back = first
        if control.kind == "amount":
            browser.write(label, str(control.value))
            back = changed(state, control.place, str(control.value))
            browser.shows(back)
        # A rival that is added again has the settings of the multipath flow, so that this state can be another one.
        if control.kind != "amount" or back != first:
            opened(browser, linked(address, first))


def opened(browser: Browser, address: str) -> None:
    """Open a page, and all groups of its settings."""
    browser.open(address)
    closed = "return document.querySelector('.x-side .q-expansion-item--collapsed .q-item')"
    while browser.js(closed) is not None:
        count = len(browser.driver.find_elements("css selector", ".q-expansion-item--collapsed"))
        browser.press(
            lambda: browser.js(closed), lambda count=count: browser.count(".q-expansion-item--collapsed") < count
        )
    browser.until(
        lambda: browser.js("""return [...document.querySelectorAll('.x-side .q-expansion-item--expanded')]
            .every(each => each.querySelector('.x-control'))""")
    )


FURTHER = {
    "": ("2", "100 kB"),
    "0 s": ("0.5 s",),
    "0": ("1",),
    "0 %": ("1 %",),
    "0 kB": ("1 kB",),
    "1024": ("1",),
    "1514 B": ("100 B",),
}
"""Values of controls whose own value says little."""
