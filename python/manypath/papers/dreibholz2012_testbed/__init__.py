"""Simulation and Experimental Evaluation of Multipath Congestion Control Strategies (2012)."""
