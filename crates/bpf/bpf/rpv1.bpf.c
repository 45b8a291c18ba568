/*! mp_rpv1: CMT/RPv1 ([D11] III-B.1). Growth is shared by threshold, and a loss halves the window of the connection. */
#define ALGORITHM mp_rpv1
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	if (is_limited_by_window(me->tcp))
		subflow_grow_by_share(me, rpv1_share(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	__u32 floor;

	subflow_measure(me);
	/* A subflow's part of the two packets of a TCP. */
	floor = number_fixed(rpv1_share(me->connection, me->slot), 16) > 1 << 15 ? 2 : 1;
	return subflow_cut(me, coupled_cut(me->connection, me->slot), floor);
}

REGISTER(.set_state = (void *)state);
