/*! A round of weighted Vegas ([C12]) in whole packets and microseconds: as in crates/cc/src/algorithms/wvegas.rs. */
#pragma once

#include "formulas.h"

/* Queued packets on all subflows together, the minimum on one, and the number that ends slow start. */
#define VEGAS_TOTAL 10
#define VEGAS_LEAST 2
#define VEGAS_GAMMA 1

/* Smallest number of samples in a valid round, and the smallest window in packets. */
#define VEGAS_SAMPLES 3
#define VEGAS_WINDOW 2

/* The state at the begin and at the end of a round. */
struct vegas {
	/* Window and threshold, packets. */
	__u32 window;
	__u32 threshold;
	/* Shortest round-trip time ever, and mean of this round, microseconds; the mean is not less. */
	__u32 base;
	__u32 rtt;
	/* Target number of queued packets. */
	__u32 queued;
	/* Shortest queueing delay since the last drain, microseconds; 0 if there was none. */
	__u32 queue_delay;
};

/* `window * time / whole`, truncated. */
static __always_inline __u32 vegas_part(__u32 window, __u64 time, __u64 whole)
{
	return whole ? window * time / whole : 0;
}

/* Number of the window's packets that are queued. */
static __always_inline __u32 vegas_waiting(const struct vegas *round)
{
	return vegas_part(round->window, round->rtt - round->base, round->rtt);
}

static __always_inline void vegas_end(struct vegas *round)
{
	__u32 kept;

	if (round->window < VEGAS_WINDOW)
		round->window = VEGAS_WINDOW;
	kept = round->window / 2 + round->window / 4;
	if (round->threshold < kept)
		round->threshold = kept;
}

static __always_inline void vegas_lower_threshold(struct vegas *round)
{
	__u32 below = round->window ? round->window - 1 : 0;

	if (round->threshold > below)
		round->threshold = below;
}

/* A round of slow start, which ends if more than one packet is queued. */
static __always_inline void vegas_slow_start(struct vegas *round)
{
	__u32 target = vegas_part(round->window, round->base, round->rtt) + 1;

	if (vegas_waiting(round) <= VEGAS_GAMMA)
		return;
	if (round->window > target)
		round->window = target;
	vegas_lower_threshold(round);
	vegas_end(round);
}

/* A round of congestion avoidance; the window may grow if it was used. */
static __always_inline void vegas_avoid(struct vegas *round, bool was_used)
{
	__u32 waiting = vegas_waiting(round), delay = round->rtt - round->base;

	if (waiting > round->queued) {
		round->window -= round->window ? 1 : 0;
		vegas_lower_threshold(round);
	} else if (waiting < round->queued && was_used) {
		round->window += 1;
	}
	if (delay) {
		if (!round->queue_delay || delay < round->queue_delay)
			round->queue_delay = delay;
		if (delay / 2 >= round->queue_delay) {
			round->window = vegas_part(round->window, round->base, 2 * (__u64)round->rtt);
			round->queue_delay = 0;
		}
	}
	vegas_end(round);
}

/* The share of the ten packets, by rate, of a subflow that is above its target. */
static __always_inline __u32 vegas_share(const struct connection *connection, struct slot *mine,
					 const struct vegas *round)
{
	struct totals totals;
	number share;
	__u64 packets;

	mine->rate = number_divide(number_of(round->window), number_of(round->rtt));
	totals = totals_of(connection);
	share = number_multiply(share_of(mine->rate, totals.rate, &totals), number_of(VEGAS_TOTAL));
	/* Truncated, unless only a rounding error is missing to the next packet. */
	packets = (number_fixed(share, 16) + 0x40) >> 16;
	return packets > VEGAS_LEAST ? packets : VEGAS_LEAST;
}
