//! CMT-SCTP as a state machine without a clock or a socket.
