/*! mp_lia_eunice: linked increases whose best subflow is approximated ([G12] section 3).
 *
 * What a subflow contributes is what it was at its last acknowledgement; a timeout corrects it, too. Two subflows on two
 * processors may correct the maximum at once: one of the two corrections is lost until its next acknowledgement. In
 * [G12] one lock served the whole connection.
 */
#define ALGORITHM mp_lia_eunice
#include "coupled.h"

SEC("struct_ops")
void BPF_PROG(avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct subflow me;

	if (!subflow_find(&me, sk)) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	eunice_measure(me.connection, me.slot, me.tcp->snd_cwnd, me.tcp->srtt_us);
	if (!is_limited_by_window(me.tcp))
		return;
	if (in_slow_start(me.tcp))
		acked = tcp_slow_start(me.tcp, acked);
	if (acked)
		subflow_grow(&me, eunice_growth(me.connection, me.slot), acked);
}

SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	if (!subflow_find(&me, sk))
		return tcp_reno_ssthresh(sk);
	return subflow_lose(&me, half(me.tcp->snd_cwnd), 1);
}

SEC("struct_ops")
void BPF_PROG(corrected, struct sock *sk, __u8 new_state)
{
	struct subflow me;

	if (new_state != TCP_CA_Loss || !subflow_find(&me, sk))
		return;
	me.slot->timeouts += 1;
	eunice_measure(me.connection, me.slot, 1, me.tcp->srtt_us);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops mp_lia_eunice = {
	.init = (void *)begin,
	.release = (void *)end,
	.ssthresh = (void *)cut,
	.cong_avoid = (void *)avoid,
	.set_state = (void *)corrected,
	.undo_cwnd = (void *)undo,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "mp_lia_eunice",
};
