//! Congestion control for one path and for many, as formulas.
