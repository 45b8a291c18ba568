/*! mp_rpv1: CMT/RPv1 ([D11] III-B.1). Growth is shared by threshold, and a loss halves the window of the connection. */
#define ALGORITHM mp_rpv1
#include "coupled.h"

SEC("struct_ops")
void BPF_PROG(avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct subflow me;
	number share;

	if (!subflow_find(&me, sk)) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	subflow_measure(&me);
	if (!is_limited_by_window(me.tcp))
		return;
	share = rpv1_share(me.connection, me.slot);
	if (in_slow_start(me.tcp))
		subflow_slow_start(&me, share, acked);
	else
		subflow_grow(&me, grows(share), acked);
}

SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;
	__u32 floor;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	subflow_measure(&me);
	/* A subflow's part of the two packets of a TCP. */
	floor = number_fixed(rpv1_share(me.connection, me.slot), 16) > 1 << 15 ? 2 : 1;
	return subflow_cut(&me, coupled_cut(me.connection, me.slot), floor);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_rpv1 = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.set_state = (void *)state,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_rpv1",
};
