"""Errors of the engine have the form of all other errors, with sizes in readable units."""

from __future__ import annotations

import pytest

import manypath as mp
from manypath.quantity import SIZE
from manypath.refusal import DEFAULTS, told


@pytest.mark.parametrize(
    ("message", "in_words"),
    [
        ("`flows.a.paths` is 0 paths, expected 1 to 16", "flows.a.paths: 0 paths cannot be used: give 1 to 16"),
        ("`flows.my own.paths` is 9, expected 1", "flows.my own.paths: 9 cannot be used: give 1"),
        ('bmc:weight is "-1", expected 0 or more', 'bmc:weight: "-1" cannot be used: give 0 or more'),
        ("`mtu` is 100 bytes, expected 576 to 65535 bytes", "mtu: 100 B cannot be used: give 576 B to 65535 B"),
        ("`a` is 2000000 bytes, expected at least 3000 bytes", "a: 2 MB cannot be used: give at least 3 kB"),
        (
            "`flows.a.app.message.max` is 1452 bytes, expected at most `flows.a.send_buffer`, which is 1 bytes",
            "flows.a.send_buffer: 1 B cannot be used: give at least flows.a.app.message.max, which is 1452 B",
        ),
        (
            "`b.max` is 1452 bytes, expected at most `flows.a.send_buffer`, which is 1000 bytes",
            "b.max: 1452 B cannot be used: give at most flows.a.send_buffer, which is 1 kB",
        ),
        ("`flows.a`: missing field `paths`", "flows.a: missing field `paths`"),
        ('capture: "x" cannot be written', 'capture: "x" cannot be written'),
    ],
)
def test_errors_of_the_engine_get_the_form_of_all_messages(message: str, in_words: str):
    assert told(message) == in_words


def test_the_known_defaults_are_those_of_the_models():
    largest = {model(paths=["a"]).app.message.max for model in (mp.Sctp, mp.Tcp, mp.Mptcp)}
    assert {SIZE.parse(value.replace("bytes", "B")) for value in DEFAULTS.values()} == largest


def test_a_run_a_campaign_and_a_file_report_the_same_error(tmp_path):
    flow = mp.Sctp(paths=["a"], send_buffer="1 kB")
    scenario = mp.Scenario(network=mp.disjoint(a=mp.Link(rate="1 Mbit/s")), flows={"f": flow})
    (tmp_path / "mine.json").write_text(scenario.document())
    right = "flows.f.send_buffer: 1 kB cannot be used: give at least flows.f.app.message.max, which is 1452 B"
    for call in (
        lambda: mp.run(scenario),
        lambda: mp.Campaign(scenario, replications=1).run(None, progress=False),
        lambda: mp.Scenario.from_file(tmp_path / "mine.json"),
    ):
        with pytest.raises(mp.UserError) as refused:
            call()
        assert right in str(refused.value)
