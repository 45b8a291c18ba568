/*! mp_lia_eunice: linked increases whose best subflow is approximated ([G12] section 3).
 *
 * The contribution of a subflow is its state at its last acknowledgement or timeout. Two subflows on two processors may
 * update the maximum at once; then one of the two updates is lost until the next acknowledgement. In
 * [G12] one lock served the whole connection.
 */
#define ALGORITHM mp_lia_eunice
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	eunice_measure(me->connection, me->slot, me->tcp->snd_cwnd, me->tcp->srtt_us);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, eunice_growth(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	return subflow_lose(me, half(me->tcp->snd_cwnd), 1);
}

SEC("struct_ops")
void BPF_PROG(corrected, struct sock *sk, __u8 new_state)
{
	struct subflow me;

	if (subflow_timed_out(&me, sk, new_state))
		eunice_measure(me.connection, me.slot, 1, me.tcp->srtt_us);
}

REGISTER(.set_state = (void *)corrected);
