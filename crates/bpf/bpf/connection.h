/*! The shared state of a connection's subflows: one slot per subflow, which only its owner writes. */
#pragma once

#include "number.h"

/* Largest number of coupled subflows; further ones grow as Reno. Linux allows 8 additional ones by default. */
#define MAX_SUBFLOWS 16

/* Scale of weights: one TCP is 2^24. */
#define WEIGHT_BITS 24

/* The state of one subflow: two cache lines. */
struct slot {
	/* The address of the socket as a number; 0 while the slot is free. */
	__u64 owner;
	/* w/r and w/r^2 with r in units of srtt; 0 before the first round-trip time. */
	number rate;
	number quality;
	/* w: the window that counts in sums, in packets; in recovery its reduced value. */
	__u32 window;
	/* Smoothed round-trip time in eighths of a microsecond, as the kernel keeps it; 0 before the first. */
	__u32 srtt;
	/* Slow-start threshold, packets. */
	__u32 threshold;
	/* Weight of the subflow in standard TCPs, in 2^-24; 0: an equal part. Written by user space. */
	__u32 weight;
	/* Packets acknowledged since the last loss, and between the two losses before. */
	__u32 since_loss;
	__u32 between_losses;
	/* All acknowledged packets, and those acknowledged while the window was not fully used. */
	__u64 delivered;
	__u64 limited;
	/* Sum of the RTT samples in microseconds, and their number. */
	__u64 rtt_sum;
	__u32 rtt_samples;
	/* Cuts of the window, and timeouts among them. */
	__u32 losses;
	__u32 timeouts;
	/* Window at the last cut, packets. */
	__u32 lost_at;
	/* Ports in host order, addresses in network order (IPv4: the first four bytes). */
	__u16 local_port;
	__u16 remote_port;
	__u16 family;
	/* Bytes of a full segment when the slot was taken. */
	__u16 segment;
	__u8 local[16];
	__u8 remote[16];
};

_Static_assert(sizeof(struct slot) == 128, "user space reads slots of 128 bytes");

/* All subflows of one connection: the value of the map `connections`, whose key is the connection's address. */
struct connection {
	/* The connection's token, as `ss -M` shows it. */
	__u32 token;
	/* All slots in use have smaller indexes. */
	__u32 count;
	/* M of lia-eunice: the largest known w/r^2. */
	number best;
	struct slot slots[MAX_SUBFLOWS];
};
