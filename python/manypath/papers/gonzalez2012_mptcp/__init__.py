"""Implementation and Evaluation of Coupled Congestion Control for Multipath TCP (2012)."""
