/*! The formulas of the published algorithms in integers, as in crates/cc/src/algorithms.
 *
 * Windows w are in packets, round-trip times r in any one unit; every formula is a ratio, in which units cancel. Growth
 * is in packets per acknowledged window, as in crates/cc. All results err by less than 2^-24 of their value, for 1 to
 * 16 subflows with windows of 1 to 2^20 packets and round-trip times of 10 us to 60 s: each operation errs by less than
 * 2^-30, a sum of 16 rates by 16 times as much, its square by 32 times, and no formula has 32 operations more. Nothing
 * overflows, whatever the arguments. The host compiles this file for its tests, and the kernel runs it.
 */
#pragma once

#include "connection.h"

/* What one acknowledged window adds to a window, and what it takes away, in packets. */
struct growth {
	number more;
	number less;
};

/* Sums over the subflows that have a round-trip time. */
struct totals {
	/* Sum and maximum of w/r, maximum of w/r^2. */
	number rate;
	number largest_rate;
	number best;
	/* Sums of w and of thresholds, whether there is a round-trip time or not. */
	__u64 window;
	__u64 threshold;
	/* Number of subflows. Not an integer, because the verifier would check every value of an integer. */
	number count;
};

static __always_inline struct totals totals_of(const struct connection *connection)
{
	struct totals totals = {};

	for (__u32 i = 0; i < MAX_SUBFLOWS && i < connection->count; i++) {
		const struct slot *slot = &connection->slots[i];

		if (!slot->owner)
			continue;
		totals.count = number_add(totals.count, NUMBER_ONE);
		totals.window += slot->window;
		totals.threshold += slot->threshold;
		totals.rate = number_add(totals.rate, slot->rate);
		totals.largest_rate = number_max(totals.largest_rate, slot->rate);
		totals.best = number_max(totals.best, slot->quality);
	}
	return totals;
}

/* What a slot contributes with a window of `window` packets and a round-trip time of `srtt`. */
static __always_inline void slot_measure(struct slot *slot, __u32 window, __u32 srtt)
{
	number r = number_of(srtt);

	slot->window = window;
	slot->srtt = srtt;
	slot->rate = number_divide(number_of(window), r);
	slot->quality = number_divide(slot->rate, r);
}

/* The share of one subflow, used while no rate is known: 1/n. */
static __always_inline number equal_share(const struct totals *totals)
{
	return number_divide(NUMBER_ONE, number_max(totals->count, NUMBER_ONE));
}

/* The share of `own` in `total`: at most one, and 1/n if the total is zero. */
static __always_inline number share_of(number own, number total, const struct totals *totals)
{
	return total ? number_min(number_divide(own, total), NUMBER_ONE) : equal_share(totals);
}

static __always_inline struct growth grows(number more)
{
	struct growth growth = { .more = more };

	return growth;
}

/* Standard TCP: a window loses a half. */
static __always_inline number half(__u64 window)
{
	return number_scale(number_of(window), -1);
}

/* RFC 6356: min(w * best / (sum w/r)^2, 1). */
static __always_inline struct growth linked_growth(number window, number best, number total)
{
	number square = number_multiply(total, total);

	return grows(number_min(number_divide(number_multiply(window, best), square), NUMBER_ONE));
}

static __always_inline struct growth lia_growth(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);

	if (!mine->rate)
		return grows(equal_share(&totals));
	return linked_growth(number_of(mine->window), totals.best, totals.rate);
}

/* [G12] section 3: the maximum as each acknowledgement corrects it. */
static __always_inline void eunice_measure(struct connection *connection, struct slot *mine, __u32 window, __u32 srtt)
{
	number old = mine->quality;

	slot_measure(mine, window, srtt);
	if (mine->quality > connection->best || old == connection->best)
		connection->best = mine->quality;
}

static __always_inline struct growth eunice_growth(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);

	if (!mine->rate)
		return grows(equal_share(&totals));
	return linked_growth(number_of(mine->window), connection->best, totals.rate);
}

/* l/r^2 of [K12]: l is what a subflow delivered between its last two losses or since the last, whichever is more. */
static __always_inline number olia_quality(const struct slot *slot)
{
	__u32 most = slot->since_loss > slot->between_losses ? slot->since_loss : slot->between_losses;
	number r = number_of(slot->srtt);

	return number_divide(number_divide(number_of(most), r), r);
}

/* [K12]: (x / sum x)^2 with x = w/r, and a part that moves windows from the widest subflows to the best. */
static __always_inline struct growth olia_growth(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);
	__u32 widest = 0;
	number best = 0, measured = 0, widest_count = 0, collected = 0;
	number share = number_divide(mine->rate, totals.rate);
	struct growth growth = grows(number_min(number_multiply(share, share), NUMBER_ONE));

	if (!mine->rate)
		return grows(equal_share(&totals));
	for (__u32 i = 0; i < MAX_SUBFLOWS && i < connection->count; i++) {
		const struct slot *slot = &connection->slots[i];

		if (!slot->owner || !slot->rate)
			continue;
		measured = number_add(measured, NUMBER_ONE);
		best = number_max(best, olia_quality(slot));
		if (slot->window > widest)
			widest = slot->window;
	}
	for (__u32 i = 0; i < MAX_SUBFLOWS && i < connection->count; i++) {
		const struct slot *slot = &connection->slots[i];

		if (!slot->owner || !slot->rate)
			continue;
		if (slot->window == widest)
			widest_count = number_add(widest_count, NUMBER_ONE);
		else if (olia_quality(slot) >= best)
			collected = number_add(collected, NUMBER_ONE);
	}
	if (!collected)
		return growth;
	if (mine->window >= widest)
		growth.less = number_divide(NUMBER_ONE, number_multiply(measured, widest_count));
	else if (olia_quality(mine) >= best)
		growth.more = number_add(growth.more, number_divide(NUMBER_ONE, number_multiply(measured, collected)));
	return growth;
}

/* Records a loss for [K12]; consecutive losses without a delivery count once. */
static __always_inline void olia_loss(struct slot *mine)
{
	if (mine->since_loss) {
		mine->between_losses = mine->since_loss;
		mine->since_loss = 0;
	}
}

/* [P16]: (x + max x)(4x + max x) / (10 (sum x)^2). */
static __always_inline struct growth balia_growth(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);
	number own = mine->rate, largest = totals.largest_rate;
	number square = number_multiply(number_of(10), number_multiply(totals.rate, totals.rate));
	number product = number_multiply(number_add(own, largest), number_add(number_scale(own, 2), largest));

	if (!own)
		return grows(equal_share(&totals));
	return grows(number_min(number_divide(product, square), NUMBER_ONE));
}

/* [P16]: w/2 * min(max x / x, 3/2). */
static __always_inline number balia_cut(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);
	number three_halves = number_scale(number_of(3), -1);

	if (!mine->rate || totals.largest_rate <= mine->rate)
		return half(mine->window);
	return number_multiply(half(mine->window),
			       number_min(number_divide(totals.largest_rate, mine->rate), three_halves));
}

/* [K05]: the subflow's part of all windows. */
static __always_inline struct growth coupled_growth(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);

	return grows(share_of(number_of(mine->window), number_of(totals.window), &totals));
}

/* [K05], CMT/RPv1 of [D11]: half of all windows. */
static __always_inline number coupled_cut(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);

	return half(totals.window > mine->window ? totals.window : mine->window);
}

/* CMT/RPv1 of [D11] III-B.1: the subflow's part of all thresholds, of its growth and of its floor. */
static __always_inline number rpv1_share(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);

	return share_of(number_of(mine->threshold), number_of(totals.threshold), &totals);
}

/* CMT/RPv2 of [D11] III-B.2: the subflow's part of the rate. */
static __always_inline number rpv2_share(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);

	return mine->rate ? share_of(mine->rate, totals.rate, &totals) : equal_share(&totals);
}

/* CMT/RPv2: what halves the rate of the whole connection; may be more than the window. */
static __always_inline number rpv2_cut(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);
	number factor = mine->rate ? number_divide(totals.rate, mine->rate) : totals.count;

	return number_multiply(half(mine->window), number_max(factor, NUMBER_ONE));
}

/* [H09] section 3.1: D^2 packets for a subflow with a weight of D TCPs; `weight` is D in 2^-24. */
static __always_inline struct growth weighted_growth(__u32 weight)
{
	number d = number_scale(number_of(weight), -WEIGHT_BITS);

	return grows(number_multiply(d, d));
}

/* [H09] section 3.1: the weight that user space has set, or an equal part of one TCP. */
static __always_inline struct growth bmc_growth(const struct connection *connection, const struct slot *mine)
{
	struct totals totals = totals_of(connection);
	number share = equal_share(&totals);

	return mine->weight ? weighted_growth(mine->weight) : grows(number_multiply(share, share));
}

/* The window of `window` packets after a cut of `cut`, at least `floor` packets. */
static __always_inline __u32 window_after(__u32 window, number cut, __u32 floor)
{
	/* A fraction of a packet is rounded up, unless it is only a rounding error. */
	__u64 packets = (number_fixed(cut, 16) + 0xffff - 0x100) >> 16;

	return packets >= window || window - packets < floor ? floor : window - (__u32)packets;
}

#define FRACTION_BITS 48

/* The window after `acked` packets were acknowledged; `fraction` has the fraction of a packet. */
static __always_inline __u32 window_grown(__u32 window, __s64 *fraction, struct growth growth, __u32 acked)
{
	number part = number_divide(number_of(acked < window ? acked : window), number_of(window));
	__s64 sum = *fraction + (__s64)number_fixed(number_multiply(growth.more, part), FRACTION_BITS) -
		    (__s64)number_fixed(number_multiply(growth.less, part), FRACTION_BITS);
	__u32 whole = (__u64)(sum < 0 ? -sum : sum) >> FRACTION_BITS;

	if (sum < 0) {
		*fraction = sum + ((__s64)whole << FRACTION_BITS);
		return window > whole ? window - whole : 1;
	}
	*fraction = sum - ((__s64)whole << FRACTION_BITS);
	return window + whole;
}
