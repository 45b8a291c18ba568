"""Reconstruction of the undocumented settings of a paper: they are varied jointly and fitted to half of its claims."""
