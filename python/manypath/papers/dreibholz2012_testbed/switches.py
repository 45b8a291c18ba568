"""Changes of one setting: they find a cause, measure sensitivity, or prove that a claim detects a mistake."""

from __future__ import annotations

from typing import Any

from manypath.papers.dreibholz import MPTCP, RPV2
from manypath.papers.dreibholz2012_testbed.scenarios import RIVAL_ACKNOWLEDGED
from manypath.papers.settings import FORMS, SETTINGS
from manypath.papers.shared_mutations import mutation
from manypath.papers.switch import (
    Change,
    Mutation,
    Switch,
    by_name,
    every_flow,
    links_with,
    multipath_flows,
    queues_of,
    replace_control,
    without_access_delay,
)
from manypath.scenario import DropTail, Red, Saturated, Scenario


def _core_delay(delay: str) -> Change:
    return links_with(lambda link: link.but(delay=delay))


def _red(**settings: Any) -> Change:
    """Change every RED queue."""
    return links_with(lambda link: link.but(queue=link.queue.but(**settings)) if isinstance(link.queue, Red) else link)


def _queues_and_messages_of_2011(scenario: Scenario) -> Scenario:
    return queues_of(100)(every_flow(app=Saturated())(scenario))


def _fifo_in_the_north(scenario: Scenario) -> Scenario:
    links = {
        name: link.but(queue=DropTail(packets=100)) if name.startswith("north") else link
        for name, link in scenario.network.links.items()
    }
    return scenario.but(network=scenario.network.but(links=links))


RIVAL = Switch("rival-sack-every-1", "a SACK for every packet of the single-path flow", RIVAL_ACKNOWLEDGED)

BLOCKING = Switch("blocking", "RP path blocking", multipath_flows(path_blocking="rto"))

CAUSES = (
    RIVAL,
    BLOCKING,
    Switch(
        "blocking, rival-sack-every-1",
        "both RP path blocking and a SACK for every packet of the single-path flow",
        lambda scenario: RIVAL.change(BLOCKING.change(scenario)),
    ),
    Switch("north-fifo", "a FIFO queue of 100 packets in the north", _fifo_in_the_north),
    Switch("rpv2-for-mptcp", "CMT/RPv2 in place of MPTCP-like", replace_control(MPTCP, RPV2)),
)
"""Suspected causes of this paper's contradicted claims."""

RECOVERY = Switch("recovery-shared", "one fast recovery for all paths", every_flow(path_fast_recovery=False))

ENVIRONMENT = (
    Switch("mixed-messages", "messages of 500 to 1452 bytes, as in [D11]", every_flow(app=Saturated())),
    Switch(
        "fifo, mixed-messages",
        "both FIFO queues of 100 packets and messages of 500 to 1452 bytes, as in [D11]",
        _queues_and_messages_of_2011,
    ),
    Switch("red-90", "at most 90 packets in a RED queue", _red(packets=90)),
    Switch("red-idle", "RED's average decays by 150 packets/s", _red(packet_rate=150.0)),
    Switch("red-weight", "RED's average with a quarter of the weight", _red(weight=0.0005)),
    Switch("delay-1ms", "a core delay of 1 ms, as in [D11]", _core_delay("1 ms")),
    Switch("delay-12ms", "a core delay of 12 ms, for round-trip times of 25 ms", _core_delay("12 ms")),
    Switch("no-access-delay", "no delay on the access links", without_access_delay),
)
"""Parts of the setup, one changed at a time: as in [D11], or another possible setting."""

OPEN = (*SETTINGS, RECOVERY, *ENVIRONMENT)
"""Settings that the paper leaves open, one changed at a time."""

SWITCHES = by_name((*FORMS, *CAUSES, *OPEN))
"""All switches that may be a cause, by name."""

MUTATIONS = (
    mutation("rpv1-is-plain", "C-004-4", "C-004-5", "C-004-9", "C-004-10"),
    mutation(
        "rpv2-is-plain", "C-004-4", "C-004-5", "C-004-9", "C-004-11", "C-004-12", "C-004-14", "C-004-16", "C-004-17"
    ),
    mutation("mptcp-is-plain", "C-004-4", "C-004-5", "C-004-9", "C-004-11", "C-004-13", "C-004-14", "C-004-17"),
    mutation("mptcp-is-rpv2", "C-004-13", "C-004-16"),
    mutation("rpv1-is-rpv2", "C-004-9", "C-004-10"),
    mutation("rpv2-is-rpv1", "C-004-9", "C-004-11", "C-004-14"),
    Mutation(
        "rpv2-is-mptcp",
        "MPTCP-like in place of CMT/RPv2",
        replace_control(RPV2, MPTCP),
        flips=("C-004-12", "C-004-16"),
    ),
    mutation("plain-is-rpv2", "C-004-1", "C-004-2", "C-004-8", "C-004-9", "C-004-11"),
    mutation("single-joins", "C-004-1", "C-004-2", "C-004-8"),
    Mutation("blocking-off", "no path blocking", every_flow(path_blocking="none"), flips=("C-004-7",)),
    mutation("sfr-off", "C-004-8", "C-004-9", "C-004-11", "C-004-14"),
    mutation("dac-off"),
    mutation("cuc-none", "C-004-8", "C-004-9", "C-004-11", "C-004-14"),
    mutation("recovery-shared", "C-004-1", "C-004-2"),
    mutation("small-buffers", "C-004-1", "C-004-2", "C-004-8"),
)
"""Wrong implementations, and the claims that must detect them; none detects `dac-off`."""
