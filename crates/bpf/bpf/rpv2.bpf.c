/*! mp_rpv2: CMT/RPv2 ([D11] III-B.2). Growth is shared by rate, and a loss halves the rate of the connection. */
#define ALGORITHM mp_rpv2
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	if (is_limited_by_window(me->tcp))
		subflow_grow_by_share(me, rpv2_share(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	subflow_measure(me);
	return subflow_cut(me, rpv2_cut(me->connection, me->slot), 1);
}

REGISTER(.set_state = (void *)state);
