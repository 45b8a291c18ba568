/*! mp_coupled: fully coupled ([K05]). The connection grows and backs off as one TCP; one subflow may take it all. */
#define ALGORITHM mp_coupled
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, coupled_growth(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	subflow_measure(me);
	return subflow_cut(me, coupled_cut(me->connection, me->slot), 1);
}

REGISTER(.set_state = (void *)state);
