"""What stands of this paper and what does not, as sentences that can be quoted."""

from __future__ import annotations

from manypath.papers.findings import Finding, each

FINDINGS = (
    Finding(
        "With FIFO queues, splitting the buffer that is too small keeps both links full, and splitting both "
        "buffers always does; unordered transfer with NR-SACK and splitting fills unequal links, and for "
        "ordered transfer rescheduling takes over the role of NR-SACK.",
        each(
            "holds",
            ("C-002-5", "C-002-6", "C-002-7", "C-002-8", "C-002-12", "C-002-26", "C-002-27", "C-002-38"),
        ),
    ),
    Finding(
        "With RED queues NR-SACK or rescheduling is enough without splitting, and smart fast retransmission gains "
        "less than 10 % at long delays; without splitting the rate in figure 4 falls to 20 Mbit/s only if the peer's "
        "receive window wraps around as in INET; and rescheduling with splitting is slower over long paths than "
        "rescheduling alone.",
        each("contradicted", ("C-002-3", "C-002-4", "C-002-10", "C-002-19", "C-002-24", "C-002-36", "C-002-37")),
    ),
)
