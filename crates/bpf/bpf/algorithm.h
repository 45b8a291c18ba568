/*! From the two rules of an algorithm to what sockets can choose: the programs that all have in common, and their table.
 *
 * The file that includes this one defines ALGORITHM before, the name of the algorithm in the kernel, of at most 13
 * letters, then the functions `increase` and `decrease`, and ends with REGISTER.
 */
#pragma once

#include "coupled.h"

/* `acked` packets of a subflow were acknowledged: measures it and lets its window grow. */
static __always_inline void increase(struct subflow *me, __u32 acked);

/* A subflow lost packets: gives its new threshold, in packets. */
static __always_inline __u32 decrease(struct subflow *me);

/* With every acknowledgement that may let the window grow. */
SEC("struct_ops")
void BPF_PROG(avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct subflow me;

	if (subflow_find(&me, sk))
		increase(&me, acked);
	else
		tcp_reno_cong_avoid(sk, ack, acked);
}

/* Once per loss. */
SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	return subflow_find(&me, sk) ? decrease(&me) : tcp_reno_ssthresh(sk);
}

/* When a socket gets the algorithm. */
SEC("struct_ops")
void BPF_PROG(begin, struct sock *sk)
{
	struct memory *memory = memory_of(sk);

	/* Whoever was in charge of the socket before may have left something. */
	memory->connection = 0;
	memory->fraction = 0;
	memory->slot = 0;
	memory->base = 0;
	memory->sum = 0;
	memory->samples = 0;
	memory->left = 0;
	memory->queued = 0;
	memory->queue_delay = 0;
}

/* When a socket closes, or gets another one. */
SEC("struct_ops")
void BPF_PROG(end, struct sock *sk)
{
	subflow_forget(sk);
}

/* When a loss was none: the window before it. */
SEC("struct_ops")
__u32 BPF_PROG(undo, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

/* From here on: programs that most algorithms take as they are. */

/* A timeout leaves one packet, whatever the threshold says. */
SEC("?struct_ops")
void BPF_PROG(state, struct sock *sk, __u8 new_state)
{
	struct subflow me;

	if (subflow_timed_out(&me, sk, new_state))
		slot_measure(me.slot, 1, me.tcp->srtt_us);
}

/* What an acknowledgement delivered, for those who count it. */
SEC("?struct_ops")
void BPF_PROG(acked, struct sock *sk, const struct ack_sample *sample)
{
	struct subflow me;

	if (subflow_find(&me, sk))
		subflow_count(&me, sample);
}

#define STRING_(text) #text
#define STRING(text) STRING_(text)

/* Registers ALGORITHM with the programs of all and with those that are named: `.set_state`, perhaps `.pkts_acked`. */
#define REGISTER(...)                                  \
	SEC(".struct_ops.link")                        \
	struct tcp_congestion_ops ALGORITHM = {        \
		.init = (void *)begin,                 \
		.release = (void *)end,                \
		.ssthresh = (void *)cut,               \
		.cong_avoid = (void *)avoid,           \
		.undo_cwnd = (void *)undo,             \
		.flags = TCP_CONG_NON_RESTRICTED,      \
		.name = STRING(ALGORITHM),             \
		__VA_ARGS__                            \
	}
