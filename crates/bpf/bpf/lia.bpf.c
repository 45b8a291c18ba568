/*! mp_lia: linked increases (RFC 6356). The growth of all subflows is linked, each halves by itself. */
#define ALGORITHM mp_lia
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, lia_growth(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	return subflow_cut(me, half(me->tcp->snd_cwnd), 2);
}

REGISTER(.set_state = (void *)state);
