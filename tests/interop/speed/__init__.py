"""Benchmark of our SCTP over real sockets and of usrsctp, alternating on one machine: `make bench-net`."""
