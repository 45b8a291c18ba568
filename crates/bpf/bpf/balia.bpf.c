/*! mp_balia: balanced linked adaptation ([P16]). Growth and cuts follow the ratio of the rates. */
#define ALGORITHM mp_balia
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, balia_growth(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	subflow_measure(me);
	return subflow_cut(me, balia_cut(me->connection, me->slot), 1);
}

REGISTER(.set_state = (void *)state);
