"""Labels of the explorer's controls, and refusals that name settings by their labels."""

from __future__ import annotations

import re
import threading

import pytest

import manypath as mp
from manypath.errors import UserError
from manypath.explore import fair, presets
from manypath.explore.controls import changed, controls
from manypath.explore.state import State
from short_state import small


def refusal(state: State, place: str, value: str) -> str:
    """Return the message with which a value is refused; empty if it is valid."""
    try:
        changed(state, place, value)
    except UserError as error:
        return str(error)
    return ""


def test_every_step_and_choice_of_every_control_is_valid_or_refused_with_a_remedy():
    state = small()
    for control in controls(state):
        for value in (*control.steps, *control.choices):
            said = refusal(state, control.place, value)
            assert not said or ": " in said, control.place


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("links\tsouth\trate", "2", 'rate: "2" has no unit: write "2 Mbit/s"'),
        ("links\tsouth\trate", "0 Mbit/s", "rate: 0 Mbit/s is too small"),
        ("links\tsouth\tqueue.packets", "0", "queue size: 0 is too small: give more than 0"),
        ("links\tsouth\tqueue.packets", "many", "queue size: many is no whole number: write one"),
        (
            "links\tsouth\tqueue.packets",
            "9" * 20,
            "queue size: 99999999999999999999 is too large: give 4294967295 or less",
        ),
        ("links\tsouth\tqueue.packets", "٣", "queue size: ٣ is no whole number: write one"),
        ("links\tsouth\tqueue.packets", "1_000", "queue size: 1_000 is no whole number: write one"),
        (
            "links\tsouth\tqueue.min",
            "90",
            "queue min threshold: queue max threshold 50 is not above queue min threshold 90: give a larger queue max",
        ),
        ("links\tsouth\tqueue", "lifo", "queue: lifo is unknown: choose one of drop-tail"),
        ("flows\tmultipath\tsend_buffer", "", 'send buffer: "" is no size'),
        ("flows\tmultipath\tcc", "lai", 'cc: there is no congestion control "lai": did you mean "lia"?'),
        ("rivals", "9", "rivals: 9 is no whole number from 0 to 8"),
        ("flows\tmultipath\tapp", "video", "application: video is unknown: choose one of saturated"),
        ("flows\tmultipath\tapp.message", "9 B to 1 B", "message size: "),
        ("flows\tmultipath\tapp.message", "0 B", "message size: 0 B is too small: give more than 0 B"),
        (
            "flows\tmultipath\tapp.message",
            "9e18 B",
            "message size: 9000000000 GB is too large: give 67108864 B or less",
        ),
        ("flows\tmultipath\tprofile", "a\nb", 'accounting profile: "a\\nb" is no accounting profile: known: rfc9260'),
        ("flows\tmultipath\tstart", "soon", "start time: "),
        ("flows\tmultipath\trto.min", "99 s", "RTO min: RTO initial 3 s is below RTO min 99 s"),
        ("flows\tmultipath\treceive_buffer", "9000 GB", "receive buffer: 9000 GB cannot be used"),
        ("flows\trival\tpath", "east", 'path: "east" is no path of the network: known: south, north'),
        ("links\tsouth\tevents", "x", 'events: "x" is no list'),
        ("links\tsouth\tqueue.limit", "1", 'control: "links'),
        ("seed", "-1", "seed: -1 is no whole number"),
        ("seed", "9" * 5000, "seed: 999"),
        ("seed", str(2**64), "seed: 18446744073709551616 is no whole number from 0 to 18446744073709551615"),
        ("measure", "0 s", "measure: 0 s is too short"),
        ("nothing\there\tat\tall", "1", 'control: "nothing'),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(place: str, value: str, said: str):
    with pytest.raises(UserError) as refused:
        changed(small(), place, value)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_link_that_goes_down_says_so():
    state = presets.preset(presets.OWN, "A path that fails")
    found = {control.place: control for control in controls(state)}
    rate = found["links\tnorth\trate"]
    assert rate.label == "rate while up"
    assert rate.explanation.endswith("Events change the state of the link: down at 12 s, up at 24 s.")
    assert found["links\tsouth\trate"].label == "rate"


def test_a_recorded_link_that_goes_down_says_so_at_its_first_control():
    link = mp.Link(trace=[1, 2, 3], delay="5 ms", events=[{"at": f"{n} ms", "change": "down"} for n in range(1, 6)])
    network = mp.Network(links={"radio": link}, paths={"p": mp.Path(forward=("radio",))})
    state = small(network=network, flows={"single": mp.Sctp.standard("p")})
    delay = next(control for control in controls(state) if control.place == "links\tradio\tdelay")
    assert delay.label == "delay"
    assert delay.explanation.endswith("down at 4 ms, and 1 more time.")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (
            "flows\tm: u.l\tsend_buffer",
            "90 B",
            "send buffer: 90 B does not fit message size: 1452 B cannot be used: give at most send buffer, which is "
            "90 B",
        ),
        (
            "flows\tm: u.l\tapp.message",
            "5 MB",
            "message size: 5 MB cannot be used: give at most send buffer, which is 1 MB",
        ),
        # Equal rivals change together, and the engine names the first in its own order.
        (
            "flows\tz\treceive_buffer",
            "90 B",
            "receive buffer: 90 B cannot be used: give at least message size, which is 1452 B",
        ),
        ("links\tx: y.z\tqueue.packets", "0", "queue size: 0 is too small: give more than 0"),
        ("links\tx: y.z\tqueue.packets", " ", "queue size: an empty text is no limit: write one, such as 100"),
        ("flows\tz\tpath", "zz", 'path: "zz" is no path of the network: known: p: q, r.s'),
        (
            "measure",
            "1 s",
            "measure: 1 s does not fit events of link x: y.z: 3 s is after the end of the run at 2 s: give an earlier "
            "time, or a longer measure",
        ),
        (
            "warmup",
            "1e9 s",
            "warmup: 1e9 s does not fit measure: 5 s cannot be used: give a run of 10 years at most, warm-up included",
        ),
    ],
)
def test_a_refusal_has_the_labels_of_all_settings_that_it_names(place: str, value: str, said: str):
    link = mp.Link(rate="10 Mbit/s", delay="20 ms")
    failing = link.but(events=[{"at": "3 s", "change": "down"}])
    network = mp.Network(
        links={"b-a": link, "a-b": link, "x: y.z": failing, "x: y.z/back": failing},
        paths={
            "p: q": mp.Path(forward=("b-a",), reverse=("a-b",)),
            "r.s": mp.Path(forward=("x: y.z",), reverse=("x: y.z/back",)),
        },
    )
    app = {"kind": "saturated", "message": "1452 B"}
    rival = mp.Sctp.standard("p: q", app=app)
    flows = {"m: u.l": mp.Sctp(paths=["p: q", "r.s"], app=app), "z": rival, "a": rival}
    state = State(mp.Scenario(network=network, flows=flows, warmup="1 s", measure="5 s"))
    assert refusal(state, place, value) == said


def test_windows_of_connections_are_refused_with_their_labels():
    state = changed(changed(small(), "transport\tmultipath", "mptcp"), "flows\tmultipath\tsmallest_window", "8")
    assert refusal(state, "flows\tmultipath\tinitial_window", "4") == (
        "initial window: 4 does not fit smallest window: 8 segments is more than initial window, 4: give 4 or less, "
        "or a larger initial window"
    )


WRONG = (
    "",
    "0",
    "-1",
    "1e400",
    "9" * 20,
    "nan",
    "inf",
    "abc",
    "-5 ms",
    "1e30 s",
    "9e18 B",
    "x" * 300,
    "٣ Mbit/s",
    "1 B",
)
"""Texts that most settings refuse."""


# The gate gives each setting every third text, and each text to every third setting.
@pytest.mark.parametrize(
    ("transport", "every"),
    [
        ("sctp", 3),
        pytest.param("sctp", 1, marks=pytest.mark.long),
        pytest.param("mptcp", 1, marks=pytest.mark.long),
    ],
)
def test_no_refusal_has_a_name_that_is_not_on_the_page(transport: str, every: int):
    state = changed(small(), "transport\tmultipath", transport)
    for place, value in (("links\tnorth\tloss", "bit-error"), ("links\tnorth\tqueue", "pie")):
        state = changed(state, place, value)
    for place in [control.place for control in controls(state) if control.label == "application"]:
        state = changed(state, place, "on-off")
    amounts = [control for control in controls(state) if control.kind == "amount"]
    assert amounts
    for number, control in enumerate(amounts):
        said = [refusal(state, control.place, value) for value in WRONG[number % every :: every]]
        for message in filter(None, said):
            assert message.startswith(f"{control.label}: "), message
            assert not re.search(r"[a-z]_[a-z]|flows\.|network\.|\b(invalid|integer|expected)\b", message), message


def test_labels_write_abbreviations_in_capitals_and_differ_within_their_group():
    for transport in ("sctp", "mptcp"):
        found = controls(changed(small(), "transport\tmultipath", transport))
        assert len({(control.group, control.label) for control in found}) == len(found)
        words = {word for control in found for word in control.label.split()}
        assert not words & {"abc", "ack", "cuc", "dac", "mss", "mtu", "nr", "p", "rtx", "sack", "sfr", "t3", "udp"}


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("flows\trival\tapp.message", "1000 B", "message size of flow rival: 1000 B: theory describes packets that"),
        ("flows\tmultipath\tapp.message", "500 B to 1 kB", "message size of flow multipath: 500 to 1000 B: theory"),
        ("flows\tmultipath\tapp", "cbr", "application of flow multipath: is cbr: theory describes saturated flows"),
        ("flows\tmultipath\tcc", "cubic", "cc of flow multipath: the fluid model has no formulas of cubic"),
        ("links\tsouth\tloss", "gilbert-elliott", "loss of link south: is gilbert-elliott: theory describes"),
    ],
)
def test_a_missing_fluid_equilibrium_has_a_reason_with_the_label_of_the_setting(place: str, value: str, said: str):
    state = changed(small(), place, value)
    assert fair.fair(state, threading.Event()).fluid_remark.startswith(said)
