"""[D10]: concurrent multipath transfer over paths that differ in rate, errors and delay."""
