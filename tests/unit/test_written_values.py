"""Messages about input show values in the form of the file, with visible characters, and name the meant key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from datetime import date, time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manypath as mp
from manypath.campaign.sweep import Sweep
from manypath.emulation import Emulation
from manypath.errors import LINE, UserError, in_file_form, quoted, visible
from manypath.expect import Description, expectation
from manypath.scenario.model import Model
from manypath.scenario.right_forms import KINDS
from manypath.scenario.synonyms import SYNONYMS, hints_for

SCENARIO: dict[str, Any] = {
    "warmup": "1 s",
    "measure": "1 s",
    "network": {"disjoint": {"a": {"rate": "5 Mbit/s"}, "b": {"rate": "5 Mbit/s"}}},
    "flows": {"f": {"paths": ["a", "b"]}},
}
SWEEP: dict[str, Any] = {"scenario": SCENARIO, "replications": 1, "factors": {"flows.f.cc": ["lia"]}}
EXPECT: dict[str, Any] = {
    "paths": {name: {"rate": "1 Mbit/s", "rtt": "1 ms"} for name in "ab"},
    "shared": {"s": {"rate": "1 Mbit/s", "paths": ["a", "b"]}},
}
EMULATION: dict[str, Any] = {"network": SCENARIO["network"], "pairs": {"p": {"paths": ["a"], "sysctl": {"x": "1"}}}}
FILES: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "scenario": (SCENARIO, mp.Scenario.from_file),
    "sweep": (SWEEP, lambda file: Sweep.from_file(file).campaign().scenarios),
    "expect": (EXPECT, Description.from_file),
    "emulation": (EMULATION, Emulation.from_file),
}
"""One valid content of each kind of file, and its reader."""


def said_of(kind: str, tmp_path: Path, place: str, value: Any, *, name: str | None = None) -> str:
    """Return the message about a file with a value at a place; with a `name`, that name instead of the last step."""
    content, read = FILES[kind]
    fields = json.loads(json.dumps(content))
    *parents, last = place.split("/")
    here = fields
    for step in parents:
        here = here.setdefault(step, {})
    if name is not None:
        value = here.pop(last)
    here[last if name is None else name] = value
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(fields))
    with pytest.raises(mp.UserError) as error:
        read(file)
    return str(error.value)


def refused(text: str, tmp_path: Path) -> str:
    """Return the message about a scenario in TOML."""
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(mp.UserError) as error:
        mp.Scenario.from_file(file)
    return str(error.value)


PLACES = {
    "a rate": ("scenario", "network/disjoint/a/rate", 'is no rate: write "10 Mbit/s"'),
    "a time": ("scenario", "network/disjoint/a/delay", 'is no time: write "20 ms"'),
    "a size": ("scenario", "flows/f/mtu", 'is no size: write "500 kB"'),
    "a range": ("scenario", "flows/f/app", "is no table with a kind: write"),
    "a probability": ("expect", "paths/a/loss", "is no probability: write a number from 0 to 1"),
    "a rate of a path": ("expect", "paths/a/rate", 'is no rate: write "10 Mbit/s"'),
    "a size of an emulation": ("emulation", "mtu", 'is no size: write "500 kB"'),
    "a setting of the kernel": ("emulation", "pairs/p/sysctl/x", "is no text: write a text, in quotation marks"),
    "a name of a metric": ("sweep", "metrics", "is no list: give a list"),
    "a scenario of a sweep": ("sweep", "scenario/warmup", 'is no time: write "20 ms"'),
}
"""Fields of files, and what is right there."""


@pytest.mark.parametrize("case", PLACES)
def test_a_truth_and_null_have_the_form_of_the_file(case: str, tmp_path: Path):
    kind, place, right = PLACES[case]
    for value, shown in ((True, "true"), (None, "null")):
        said = said_of(kind, tmp_path, place, value)
        assert f": {shown} {right}" in said
        assert "True" not in said
        assert "None" not in said


def test_a_number_that_is_true_is_shown_in_the_form_of_the_file(tmp_path: Path):
    assert "flows.f.streams: true is no number: write a whole number" in said_of(
        "scenario", tmp_path, "flows/f/streams", value=True
    )
    for kind in ("sweep", "emulation"):
        assert "seed: false is no number: write a whole number" in said_of(kind, tmp_path, "seed", value=False)


def test_a_factor_that_is_true_is_shown_in_the_form_of_the_file(tmp_path: Path, called):
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps({**SWEEP, "factors": {"flows.f.cc": [True]}}))
    line = called("sweep", str(file), code=2).err
    assert "flows.f.cc: true is no text" in line
    assert "(in the scenario with flows.f.cc = true)" in line


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2020-01-02", "2020-01-02"),
        ("2020-01-02T03:04:05", "2020-01-02T03:04:05"),
        ("03:04:05", "03:04:05"),
        ('["a", true]', '["a", true]'),
        ("{ x = 1, y = [2020-01-02] }", "{ x = 1, y = [2020-01-02] }"),
        ("{}", "{}"),
    ],
)
def test_other_values_of_toml_have_its_form(written: str, shown: str, tmp_path: Path):
    text = f'network.disjoint.a.rate = {written}\nflows.f.paths = ["a"]'
    assert f'network.disjoint.a.rate: {shown} is no rate: write "10 Mbit/s"' in refused(text, tmp_path)


def test_python_shows_values_in_its_own_form():
    for value, shown in ((True, "True"), (None, "None"), (["a"], "['a']"), (date(2020, 1, 2), "datetime.date(2020")):
        with pytest.raises(mp.UserError, match=rf"^rate: {re.escape(shown)}.* is no rate"):
            mp.Link(rate=value)


VALUES = [
    "x" * 5000,
    "1" * 5000,
    "\x1b" * 5000,
    "\U0001f600\u200d" * 500,
    ["abcdefghij"] * 500,
    ["x" * 5000],
    {"key": "x" * 5000},
    {"x" * 5000: 1},
    {str(number): number for number in range(500)},
    [[[[[[[[[[["x"] * 50] * 50]]]]]]]]],
    (1, 2) * 500,
    b"x" * 5000,
    10**400,
    10**10_000,
    np.arange(10_000),
    date(2020, 1, 2),
    time(3, 4),
]


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_a_value_has_one_line_of_visible_characters_with_its_last_mark(number: int):
    value = VALUES[number]
    with in_file_form():
        both = [quoted(value)]
    both.append(quoted(value))
    for shown in both:
        assert shown.isprintable()
        assert len(shown) <= LINE
        for opening, closing in ('""', "''", "[]", "{}", "()"):
            assert shown.startswith(opening) <= shown.endswith(closing)
            if opening != closing:
                assert shown.count(opening) == shown.count(closing)


def test_a_deeply_nested_value_is_shown():
    value: Any = "x"
    for _ in range(100_000):
        value = [value]
    assert quoted(value).startswith("[[[")
    assert len(quoted(value)) <= LINE


HOSTILE = ["\0", "\x1b[2J", "\n", "\r", "\t", "\x7f", "\x9b", "\u2028", "\u202e", "\ud800"]
"""Characters that a terminal obeys, or does not show."""


@pytest.mark.parametrize("letter", HOSTILE, ids=ascii)
def test_no_message_has_a_character_that_a_terminal_obeys(letter: str, tmp_path: Path):
    word = f"5{letter} Mbit/s{letter}x"
    places = [
        ("scenario", "network/disjoint/a/rate", word),
        ("scenario", "network/disjoint/a/queue", {"kind": word}),
        ("scenario", "network/disjoint/a/loss", word),
        ("scenario", "network/disjoint/a/trace", word),
        ("scenario", f"flows/f/{letter}", 1),
        ("scenario", "flows/f/cc", word),
        ("scenario", "flows/f/profile", word),
        ("scenario", "flows/f/paths", [word]),
        ("scenario", "flows/f/rto", [word]),
        ("scenario", f"flows/{letter}", {"paths": [], word: 1}),
        ("scenario", "network", {"topology": {"wires": {word: {"rate": "1 bit/s"}}, "paths": {"p": "a b"}}}),
        ("scenario", "network", {"topology": {"wires": {"a-b": {"rate": "1 bit/s"}}, "paths": {"p": word}}}),
        ("sweep", "factors", {word: [1]}),
        ("sweep", "factors", {f"flows.{letter}": [1]}),
        ("sweep", "runner", {"python": word}),
        ("sweep", "precision", word),
        ("expect", "shared/s/paths", ["a", word]),
        ("expect", "tcp_cc", word),
        ("emulation", "pairs/p/paths", [word]),
        ("emulation", "name", word),
    ]
    for kind, place, value in places:
        said = said_of(kind, tmp_path, place, value)
        assert all(line.isprintable() and ": " in line for line in said.split("\n")), said
        assert all(line.startswith(str(tmp_path)) or kind == "sweep" for line in said.split("\n")), said


def test_every_error_for_users_has_visible_characters():
    said = str(UserError(f"a\nb{''.join(HOSTILE)}"))
    assert said.count("\n") == 2
    assert said.replace("\n", "").isprintable()
    assert visible("s\u00fcd \U0001f600") == "s\u00fcd \U0001f600"


NAMED = [
    ("scenario", "flows/f"),
    ("scenario", "network/disjoint/a"),
    ("sweep", "factors/flows.f.cc"),
    ("expect", "paths/a"),
    ("expect", "shared/s"),
    ("emulation", "pairs/p"),
    ("emulation", "pairs/p/sysctl/x"),
]
"""Tables with names that the user chooses."""


@pytest.mark.parametrize(("kind", "place"), NAMED)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", '"" is no name: give'),
        (" ", '" " is no name: give'),
        ("\u200b", '"\\u200b" is no name: give'),
        ("a\x1b", '"a\\u001b" has the invisible character U+001B: remove it'),
    ],
)
def test_a_name_must_be_visible(kind: str, place: str, name: str, message: str, tmp_path: Path):
    table = place.rpartition("/")[0].replace("/", ".")
    assert f"{table}: {message}" in said_of(kind, tmp_path, place, None, name=name)


LINK = mp.Link(rate="1 Mbit/s")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mp.disjoint(**{"": LINK}), 'disjoint: "" is no name'),
        (lambda: mp.Network(links={"a": LINK}, paths={"": mp.Path(forward=("a",))}), 'paths: "" is no name'),
        (lambda: mp.topology({"a-b": LINK}, {"": "a b"}), 'paths: "" is no name'),
        (lambda: mp.topology({"a b-c": LINK}, {"p": "b c"}), 'topology.wires: "a b-c" is no wire between two nodes'),
        (lambda: mp.topology({" -c": LINK}, {"p": "b c"}), 'topology.wires: " -c" is no wire between two nodes'),
        (lambda: mp.Campaign(lambda **_: mp.Scenario.model_validate(SCENARIO), {" ": [1]}), 'factors: " " is no name'),
        (lambda: mp.Campaign(lambda **_: mp.Scenario.model_validate(SCENARIO), {"\x1b": [1]}), "factors.*U\\+001B"),
    ],
)
def test_a_name_in_python_must_be_visible(make: Callable[[], Any], message: str):
    with pytest.raises(mp.UserError, match=message):
        make()


@pytest.mark.parametrize("transport", ["sctp", "mptcp", "tcp"])
def test_a_congestion_control_has_one_weight_for_each_path(transport: str):
    flow = {"sctp": mp.Sctp, "mptcp": mp.Mptcp, "tcp": mp.Tcp}[transport]
    for paths in ("a",) if transport == "tcp" else ("a", "ab", "abc"):
        for weights in range(1, 5):
            for cc in ("bmc:weights={}", "bmc:gain=0, weights={},interval=1 s"):
                name = cc.format(":".join([".5"] * weights))
                if weights == len(paths):
                    assert flow(paths=[*paths], cc=name).cc == name
                    continue
                with pytest.raises(mp.UserError) as error:
                    flow(paths=[*paths], cc=name)
                assert f'cc: "{name}" has {weights} weight' in str(error.value)
                assert f"the flow has {len(paths)} path" in str(error.value)
                (right,) = re.findall(r"such as weights=(\S+)$", str(error.value))
                assert flow(paths=[*paths], cc=f"bmc:weights={right}")
    assert flow(paths=["a"], cc="bmc:weights=by-rtt,gain=0.1")


def test_weights_of_a_description_fit_its_paths(tmp_path: Path):
    assert 'tcp_cc: "bmc:weights=1:2" has 2 weights' in said_of("expect", tmp_path, "tcp_cc", "bmc:weights=1:2")
    description = Description(paths={name: {"rate": "1 Mbit/s", "rtt": "1 ms"} for name in "ab"})
    with pytest.raises(mp.UserError, match=r"cc: .* has 3 weights, but the flow has 2 paths"):
        expectation.expect(description, ["bmc:weights=1:2:3"], runs=1, store=None)


@pytest.mark.parametrize("kind", ["scenario", "emulation"])
def test_two_kinds_of_a_network_are_named(kind: str, tmp_path: Path):
    link = {"rate": "1 Mbit/s"}
    others = {
        "bottleneck": {"link": link, "paths": 1},
        "dumbbell": {"link": link, "senders": [link], "receivers": [link]},
        "topology": {"wires": {"a-b": link}, "paths": {"p": "a b"}},
        "links": {"c": link},
        "paths": {"c": {"forward": ["a"]}},
    }
    for name, table in others.items():
        said = said_of(kind, tmp_path, f"network/{name}", table)
        assert f"network: disjoint and {name} are given, but a network has one kind: give one of" in said
        assert "\n" not in said


def test_the_short_forms_of_a_network_are_hints(tmp_path: Path):
    said = said_of("scenario", tmp_path, "network", {"disjoin": {}})
    assert 'network.disjoin: unknown key: did you mean "disjoint"?' in said


def models(model: type[Model] = Model) -> set[type[Model]]:
    """Return all models of input files."""
    return {model, *(each for own in model.__subclasses__() for each in models(own))}


def test_every_synonym_is_for_a_key_of_a_model_and_is_no_key_beside_it():
    known = [{*model.model_fields} for model in models()]
    for own, names in SYNONYMS.items():
        fitting = [fields for fields in known if own in fields]
        assert fitting, own
        assert any(not names & fields for fields in fitting), own


@pytest.mark.parametrize(
    ("kind", "place", "meant"),
    [
        ("scenario", "flows/f/protocol", "transport"),
        ("scenario", "flows/f/kind", "transport"),
        ("scenario", "flows/f/Congestion-Control", "cc"),
        ("scenario", "flows/f/application", "app"),
        ("scenario", "network/disjoint/a/bandwidth", "rate"),
        ("scenario", "network/disjoint/a/latency", "delay"),
        ("scenario", "network/disjoint/a/buffer", "queue"),
        ("scenario", "duration", "measure"),
        ("sweep", "runs", "replications"),
        ("expect", "paths/a/delay", "rtt"),
        ("emulation", "network/disjoint/a/bandwidth", "rate"),
    ],
)
def test_a_usual_other_key_has_a_hint(kind: str, place: str, meant: str, tmp_path: Path):
    said = said_of(kind, tmp_path, place, "5 Mbit/s")
    assert f'{place.replace("/", ".")}: unknown key: did you mean "{meant}"?' in said


def test_the_key_that_selects_the_model_is_reported_alone():
    hints = hints_for(["path", "protocol"], mp.Sctp.model_fields, {})
    assert list(hints) == [("protocol", 'did you mean "transport"?')]
    with pytest.raises(mp.UserError, match=r"^path: unknown key"):
        mp.Sctp(paths=["a"], path="a")


def test_the_type_of_a_queue_is_its_kind(tmp_path: Path):
    said = said_of("scenario", tmp_path, "network/disjoint/a/queue", {"type": "red"})
    assert '{ type = "red" } is no table with a kind: write { kind = "red", min = 30, max = 90 }' in said


@pytest.mark.parametrize(
    ("app", "said"),
    [
        ({"kind": "saturated", "message": "0 B"}, "message: 0 B is too small: give more than 0 B"),
        ({"kind": "saturated", "message": ["0 kB", "1 B"]}, "message: 0 B is too small: give more than 0 B"),
        ({"kind": "saturated", "message": {"min": "0 kB", "max": "1 B"}}, "message.min: 0 kB is too small: give more"),
        ({"kind": "saturated", "message": "1 GB"}, "message: 1 GB is too large: give 67108864 B or less"),
        ({"kind": "saturated", "message": "2 MB"}, "message: 2 MB cannot be used: give at most flows.f.send_buffer"),
        ({"kind": "saturated", "message": {"min": "2 MB", "max": "2 MB"}}, "message.max: 2 MB cannot be used"),
        ({"kind": "transfer", "size": "0 B"}, "size: 0 B is too small: give more than 0 B"),
        ({"kind": "transfer", "size": 0}, "size: 0 B is too small: give more than 0 B"),
        ({"kind": "cbr", "rate": "0 kbit/s"}, "rate: 0 kbit/s is too small: give more than 0 kbit/s"),
        ({"kind": "on-off", "rate": "1 Mbit/s", "on": "0 s", "off": "0 s"}, "on: 0 s is too small: give more than 0 s"),
    ],
)
def test_a_field_of_an_application_is_named_as_it_was_written(app: dict[str, Any], said: str, tmp_path: Path):
    (line,) = said_of("scenario", tmp_path, "flows/f/app", app).splitlines()
    assert f"flows.f.app.{said}" in line


FORMS = [(field, form) for field, forms in KINDS.items() for form in forms if form.fields and field != "queue"]


@pytest.mark.parametrize(("field", "form"), FORMS, ids=[form.kind for _, form in FORMS])
def test_a_missing_field_of_a_kind_is_named_with_all_fields_of_the_kind(field: str, form: Any, tmp_path: Path):
    place = "flows/f/app" if field == "app" else f"network/disjoint/a/{field}"
    model = getattr(mp, form.model)
    required = {name for name, each in model.model_fields.items() if each.is_required()}
    assert required <= form.fields.keys()
    if not required:
        return
    lines = said_of("scenario", tmp_path, place, {"kind": form.kind}).splitlines()
    for name, line in zip(sorted(required), sorted(lines), strict=True):
        assert f"{place.replace('/', '.')}.{name}: missing: give it a value, as in {{ kind = " in line
        (right,) = re.findall(r"as in (\{.*\}), in Python", line)
        assert model(**tomllib.loads(f"it = {right}")["it"])
    with pytest.raises(mp.UserError) as error:
        model()
    for line in str(error.value).splitlines():
        name, right = re.findall(r"^(\w+): missing: give it a value, such as (\w+ = .*)$", line)[0]
        assert tomllib.loads(right)[name] == form.fields[name]


@pytest.mark.parametrize(
    ("kind", "place", "value", "message"),
    [
        ("scenario", "network", {}, "network.links: missing: give it a value, as in { disjoint = { a = "),
        ("scenario", "network/disjoint/a", {}, 'a.rate: missing: give it a value, such as rate = "10 Mbit/s"'),
        ("scenario", "flows/f", {}, 'flows.f.paths: missing: give it a value, such as paths = ["a"]'),
        ("expect", "paths/a", {"rate": "1 Mbit/s"}, 'a.rtt: missing: give it a value, such as rtt = "40 ms"'),
    ],
)
def test_a_missing_field_has_an_example(kind: str, place: str, value: Any, message: str, tmp_path: Path):
    assert message in said_of(kind, tmp_path, place, value)


def test_a_number_of_thousands_of_digits_is_too_large(tmp_path: Path):
    for rate in ('"' + "1" * 5000 + ' Mbit/s"', "1" * 400, "0x" + "1" * 5000):
        text = f'network.disjoint.a.rate = {rate}\nflows.f.paths = ["a"]'
        assert 'is too large: write at most "9223372036 Gbit/s"' in refused(text, tmp_path)
    assert "invalid TOML (a number has more than 4300 digits): correct it" in refused(
        "warmup = " + "1" * 5000, tmp_path
    )
