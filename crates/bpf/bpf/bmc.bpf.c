/*! mp_bmc: bidimensional probing ([H09] section 3). This is its aggressiveness manager: subflows are weighted AIMDs.
 *
 * The proportion manager is in user space: it reads what the slots count and writes their weights. A subflow that it has
 * not weighed yet is worth its equal part of one TCP.
 */
#define ALGORITHM mp_bmc
#include "coupled.h"

SEC("struct_ops")
void BPF_PROG(avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct subflow me;

	if (!subflow_find(&me, sk)) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	subflow_measure(&me);
	if (!is_limited_by_window(me.tcp))
		return;
	if (in_slow_start(me.tcp))
		acked = tcp_slow_start(me.tcp, acked);
	if (acked)
		subflow_grow(&me, bmc_growth(me.connection, me.slot), acked);
}

SEC("struct_ops")
void BPF_PROG(acked, struct sock *sk, const struct ack_sample *sample)
{
	struct subflow me;

	if (subflow_find(&me, sk))
		subflow_count(&me, sample);
}

SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	return subflow_cut(&me, half(me.tcp->snd_cwnd), 1);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_bmc = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.pkts_acked = (void *)acked,
	.set_state = (void *)state,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_bmc",
};

/* What the proportion manager wants: the weight of a slot, in 2^-24. */
struct {
	__u64 connection;
	__u32 slot;
	__u32 weight;
} wish;

/* In the kernel, because user space could write only whole entries, over what the subflows count meanwhile. */
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
