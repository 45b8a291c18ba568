/*! mp_weighted: weighted AIMD ([H09] section 3.1). Each subflow is independent, with a weight from user space. */
#define ALGORITHM mp_weighted
#include "algorithm.h"

/* D, in 2^-24. */
__u32 weight = 1 << WEIGHT_BITS;

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, weighted_growth(me->slot->weight ? me->slot->weight : weight), acked);
}

static __u32 decrease(struct subflow *me)
{
	return subflow_cut(me, half(me->tcp->snd_cwnd), 1);
}

REGISTER(.set_state = (void *)state);
