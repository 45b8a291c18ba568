"""[H09]: Bidimensional-Probe Multipath Congestion Control for Shared Bottleneck Fairness (2009)."""
