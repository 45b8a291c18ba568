"""Measures programs with SCTP sockets beside `manypath net perf` and TCP of the kernel: `make bench-programs`."""
