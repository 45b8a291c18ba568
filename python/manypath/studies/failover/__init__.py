"""The delay of a transfer by a path failure."""
