/*! mp_balia: balanced linked adaptation ([P16]). Growth and cuts follow the ratio of the rates. */
#define ALGORITHM mp_balia
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
		subflow_grow(&me, balia_growth(me.connection, me.slot), acked);
}

SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	subflow_measure(&me);
	return subflow_cut(&me, balia_cut(me.connection, me.slot), 1);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_balia = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.set_state = (void *)state,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_balia",
};
