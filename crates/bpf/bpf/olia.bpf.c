/*! mp_olia: opportunistic linked increases ([K12]). Windows move to the subflows that deliver most between losses.
 */
#define ALGORITHM mp_olia
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
		subflow_grow(&me, olia_growth(me.connection, me.slot), acked);
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
	struct totals totals;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	olia_loss(me.slot);
	/* One packet where there are several subflows, as the protocol's drafts have it. */
	totals = totals_of(me.connection);
	return subflow_cut(&me, half(me.tcp->snd_cwnd), totals.count > NUMBER_ONE ? 1 : 2);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_olia = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.pkts_acked = (void *)acked,
	.set_state = (void *)state,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_olia",
};
