"""The speed of our SCTP over real sockets beside usrsctp's, in turn on one machine: `make bench-net`."""
