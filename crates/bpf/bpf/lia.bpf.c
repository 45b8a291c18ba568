/*! mp_lia: linked increases (RFC 6356). The growth of all subflows is linked, each halves by itself. */
#define ALGORITHM mp_lia
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
		subflow_grow(&me, lia_growth(me.connection, me.slot), acked);
}

SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	return subflow_cut(&me, half(me.tcp->snd_cwnd), 2);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_lia = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.set_state = (void *)state,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_lia",
};
