/*! mp_mine: a congestion control of one's own, to begin from. Each of n subflows is worth an n-th of a TCP.
 *
 * ALGORITHM is its name in the kernel: mp_ and at most ten letters. coupled.h finds the connection and its subflows,
 * formulas.h has the formulas of the published algorithms, number.h the arithmetic.
 */
#define ALGORITHM mp_mine
#include "coupled.h"

/* What one acknowledged window adds, in packets: a packet for Reno, the square of its weight for a part of one. */
static __always_inline struct growth growth_of(const struct subflow *me)
{
	struct totals totals = totals_of(me->connection);
	number share = equal_share(&totals);

	return grows(number_multiply(share, share));
}

/* Called with every acknowledgement that may let the window grow. */
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
		subflow_grow(&me, growth_of(&me), acked);
}

/* Called once per loss: gives the threshold, here half of the window and at least one packet. */
SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	return subflow_cut(&me, half(me.tcp->snd_cwnd), 1);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_mine = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.set_state = (void *)state,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_mine",
};
