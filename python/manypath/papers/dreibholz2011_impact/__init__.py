"""On the Impact of Congestion Control for Concurrent Multipath Transfer on the Transport Layer (ConTEL 2011)."""
