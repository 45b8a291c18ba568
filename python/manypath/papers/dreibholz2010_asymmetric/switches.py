"""Changes of one setting: they find a cause, measure sensitivity, or prove that a claim detects a mistake."""

from __future__ import annotations

from manypath.papers.dreibholz2010_asymmetric.names import BOTH, NONE, OFF, PLAIN, RP, SENDER, THRESHOLD
from manypath.papers.settings import SETTINGS
from manypath.papers.shared_mutations import mutation
from manypath.papers.switch import (
    Change,
    Mutation,
    Switch,
    by_name,
    every_flow,
    links_with,
    replace_control,
    without_access_delay,
)
from manypath.scenario import BitError, DropTail, NoLoss, Red, Rto, Saturated, Scenario, Sizes


def _messages(low: str, high: str) -> Change:
    """Send messages of these sizes, with the same order of delivery."""

    def change(scenario: Scenario) -> Scenario:
        flows = {
            name: flow.but(app=Saturated(message=Sizes(min=low, max=high), ordered=flow.app.ordered))
            for name, flow in scenario.flows.items()
        }
        return scenario.but(flows=flows)

    return change


def _red_replaced(queue: DropTail | Red) -> Change:
    """Replace RED by another queue on every core link."""
    return links_with(lambda link: link.but(queue=queue) if isinstance(link.queue, Red) else link)


def _where(change: Change, **settings: object) -> Change:
    """Change the scenario only if one of its flows has these settings."""

    def guarded(scenario: Scenario) -> Scenario:
        flows = scenario.flows.values()
        has = any(all(getattr(flow, name) == value for name, value in settings.items()) for flow in flows)
        return change(scenario) if has else scenario

    return guarded


def _is(field: str, old: object, new: object) -> Change:
    """Set a field of every flow if one of them has the old value."""
    return _where(every_flow(**{field: new}), **{field: old})


def _clean_way_back(scenario: Scenario) -> Scenario:
    return scenario.but(network=scenario.network.with_clean_way_back())


def _spared_headers(scenario: Scenario) -> Scenario:
    """Exempt the headers of IP, SCTP and the first chunk from bit errors: every damaged packet can be reported."""
    return links_with(
        lambda link: link.but(loss=link.loss.but(spared=f"{HEADERS} B")) if isinstance(link.loss, BitError) else link
    )(scenario)


HEADERS = 20 + 12 + 16

FIFO = _red_replaced(DropTail(packets=100))
"""Replace RED by a queue of figure 4."""

WRAPPING = every_flow(window_overrun="wraps")
"""Let the peer's receive window wrap around, as an unsigned number does."""

RULES = (
    Switch("split-outstanding", "splitting counts outstanding bytes", _is("split_by", "buffered", "outstanding")),
    Switch("renegable", "only data offered to the application are NR-SACKed", _is("never_renege", True, False)),
    Switch("promised", "all data that arrived are NR-SACKed", _is("never_renege", False, True)),
    Switch("nr-sack-off", "no NR-SACK", _is("nr_sack", True, False)),
    Switch("rescheduling-inet", "rescheduling as in INET", _is("rescheduling", THRESHOLD, "inet")),
)
"""Other readings of the paper's mechanisms."""

OPEN = (
    *RULES,
    *SETTINGS,
    Switch("window-overrun", "new data may exceed the peer's window by a packet", every_flow(window_overrun="packet")),
    Switch("window-wraps", "the peer's receive window wraps around, as in INET", WRAPPING),
    Switch(
        "window-wraps, sack-every-1",
        "both a receive window that wraps around, as in INET, and a SACK for every packet",
        lambda scenario: every_flow(sack_every=1)(WRAPPING(scenario)),
    ),
    Switch("no-access-delay", "no delay on the access links", without_access_delay),
    Switch("clean-way-back", "no bit errors in the reverse direction, so that every report arrives", _clean_way_back),
    Switch("spared-headers", "no bit errors in headers, so that every damaged packet can be reported", _spared_headers),
    Switch(
        "clean-way-back, spared-headers",
        "no bit errors in the reverse direction or in headers",
        lambda scenario: _clean_way_back(_spared_headers(scenario)),
    ),
    Switch(
        "sack-smallest",
        "SACK on the path with the smallest round-trip time, as the authors configured it",
        every_flow(sack_path="smallest-srtt"),
    ),
    Switch("mixed-messages", "messages of 500 to 1452 bytes", _messages("500 B", "1452 B")),
)
"""Settings that the paper leaves open, one changed at a time."""

QUEUES = (
    Switch(
        "red-2012",
        "RED from 30 to 90 packets with 10 %, as the authors set it in 2012",
        _red_replaced(Red(weight=0.002, min=30, max=90, max_p=0.1, packets=100)),
    ),
    Switch("fifo-100", "drop-tail queues of 100 packets", FIFO),
    Switch("fifo-1000", "drop-tail queues of 1000 packets", _red_replaced(DropTail(packets=1000))),
    Switch(
        "fifo-100, window-wraps",
        "both drop-tail queues of 100 packets and a receive window that wraps around, as in INET",
        lambda scenario: FIFO(WRAPPING(scenario)),
    ),
)
"""Other queues than the paper's RED."""

TIMERS = (
    Switch(
        "rto-2s",
        "a minimum retransmission timeout of 2 s, twice the paper's",
        every_flow(rto=Rto(initial="3 s", min="2 s", max="60 s")),
    ),
)
"""Other timers than the paper's, to measure the cost of timeouts."""


def _paper_window_and_sacks(scenario: Scenario) -> Scenario:
    """Use the paper's measurement window at long delays, and send SACKs on all paths in turn there."""
    is_long = any(link.delay >= LONG for link in scenario.network.links.values())
    return every_flow(sack_path="round-robin")(scenario.but(warmup="19 s", measure="60 s")) if is_long else scenario


LONG = 50_000_000
"""Delay from which chunks moved by a timeout may still be in flight on their old path, nanoseconds."""

RARE = (
    Switch(
        "window-60, sack-round-robin",
        "both the paper's measurement window of 60 s and SACKs on all paths in turn, at long delays",
        _paper_window_and_sacks,
    ),
)
"""Changes with which events occur that are too rare for a measurement of 20 s."""

MUTATIONS = (
    Mutation(
        "no-splitting",
        "buffers are never split",
        every_flow(buffer_split=NONE),
        flips=("C-002-6", "C-002-7", "C-002-8", "C-002-10", "C-002-22", "C-002-24"),
    ),
    Mutation(
        "sender-only",
        "only the send buffer is split where both should be",
        _is("buffer_split", BOTH, SENDER),
        flips=("C-002-22", "C-002-23"),
    ),
    Mutation(
        "always-split",
        "buffers are always split",
        every_flow(buffer_split=BOTH),
        flips=("C-002-4", "C-002-6", "C-002-7", "C-002-21", "C-002-32", "C-002-24"),
    ),
    Mutation(
        "no-nr-sack",
        "NR-SACK is never used",
        every_flow(nr_sack=False),
        flips=("C-002-5", "C-002-10", "C-002-12", "C-002-14", "C-002-16", "C-002-24"),
    ),
    Mutation(
        "always-nr-sack",
        "NR-SACK is always used",
        every_flow(nr_sack=True, never_renege=True),
        flips=("C-002-9", "C-002-10", "C-002-13", "C-002-14", "C-002-24"),
    ),
    Mutation(
        "no-reports",
        "damaged packets are never reported",
        every_flow(packet_drop_reports=False),
        flips=("C-002-16", "C-002-17", "C-002-24", "C-002-28", "C-002-43"),
    ),
    Mutation(
        "no-errors",
        "there are no bit errors",
        links_with(lambda link: link.but(loss=NoLoss())),
        flips=("C-002-13", "C-002-14", "C-002-16", "C-002-28", "C-002-43"),
    ),
    Mutation(
        "never-smart",
        "fast retransmission is never smart",
        every_flow(smart_fast_rtx=False),
        flips=("C-002-18", "C-002-19", "C-002-29", "C-002-34"),
    ),
    Mutation(
        "no-rescheduling",
        "chunks are never rescheduled",
        every_flow(rescheduling=OFF),
        flips=("C-002-26", "C-002-27", "C-002-30", "C-002-36", "C-002-38", "C-002-44"),
    ),
    Mutation(
        "rp-is-plain",
        "CMT/RP without its coupling",
        replace_control(RP, PLAIN),
        flips=("C-002-21", "C-002-35", "C-002-41"),
    ),
    Mutation("plain-is-rp", "CMT/RP in place of plain CMT", replace_control(PLAIN, RP), flips=("C-002-21", "C-002-35")),
    mutation("sfr-off", "C-002-5", "C-002-8", "C-002-12"),
    mutation("cuc-none", "C-002-5", "C-002-8", "C-002-12"),
    Mutation(
        "paths-equal",
        "every path has the rate and the delay of the first",
        links_with(lambda link: link.but(rate="100 Mbit/s", delay="1 ms", events=())),
        flips=("C-002-4", "C-002-9", "C-002-12", "C-002-33"),
    ),
)
"""Wrong implementations, and the claims that must detect them."""

SWITCHES = by_name((*OPEN, *QUEUES, *TIMERS, *RARE))
"""All switches that may be a cause, by name."""
