/*! mp_bmc: bidimensional probing ([H09] section 3). This is its aggressiveness manager: subflows are weighted AIMDs.
 *
 * The proportion manager is in user space: it reads the counters of the slots and writes their weights. A subflow
 * without a weight has an equal part of one TCP.
 */
#define ALGORITHM mp_bmc
#include "algorithm.h"

static void increase(struct subflow *me, __u32 acked)
{
	subflow_measure(me);
	acked = subflow_slow_start(me, acked);
	if (acked)
		subflow_grow(me, bmc_growth(me->connection, me->slot), acked);
}

static __u32 decrease(struct subflow *me)
{
	return subflow_cut(me, half(me->tcp->snd_cwnd), 1);
}

REGISTER(.set_state = (void *)state, .pkts_acked = (void *)acked);

/* The proportion manager's weight of a slot, in 2^-24. */
struct {
	__u64 connection;
	__u32 slot;
	__u32 weight;
} wish;

/* In the kernel, because user space can only write whole entries and would overwrite counters. */
SEC("syscall")
int weigh(void *context)
{
	__u64 key = wish.connection;
	struct connection *connection = bpf_map_lookup_elem(&connections, &key);

	if (!connection)
		return 1;
	connection->slots[wish.slot % MAX_SUBFLOWS].weight = wish.weight;
	return 0;
}
