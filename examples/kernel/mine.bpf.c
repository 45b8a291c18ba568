/*! mp_mine: a congestion control of one's own, to begin from. Each of n subflows is worth an n-th of a TCP.
 *
 * ALGORITHM is its name in the kernel: mp_ and at most ten letters. algorithm.h makes programs of the two rules,
 * coupled.h finds the connection and its subflows, formulas.h has the formulas of the published algorithms, number.h the
 * arithmetic.
 */
#define ALGORITHM mp_mine
#include "algorithm.h"

/* What one acknowledged window adds, in packets: a packet for Reno, the square of its weight for a part of one. */
static __always_inline struct growth growth_of(const struct subflow *me)
{
	struct totals totals = totals_of(me->connection);
	number share = equal_share(&totals);

	return grows(number_multiply(share, share));
}

/* Called with every acknowledgement that may let the window grow. */
static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, growth_of(me), acked);
}

/* Called once per loss: gives the threshold, here half of the window and at least one packet. */
static __u32 decrease(struct subflow *me)
{
	return subflow_cut(me, half(me->tcp->snd_cwnd), 1);
}

REGISTER(.set_state = (void *)state);
