/*! mp_olia: opportunistic linked increases ([K12]). Windows move to the subflows that deliver most between losses.
 */
#define ALGORITHM mp_olia
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, olia_growth(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	struct totals totals;

	olia_loss(me->slot);
	/* One packet where there are several subflows, as the protocol's drafts have it. */
	totals = totals_of(me->connection);
	return subflow_cut(me, half(me->tcp->snd_cwnd), totals.count > NUMBER_ONE ? 1 : 2);
}

REGISTER(.set_state = (void *)state, .pkts_acked = (void *)acked);
