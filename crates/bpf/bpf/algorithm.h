/*! The common programs of all algorithms, and the table that registers an algorithm with its two rules.
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

/* Called for every acknowledgement that may let the window grow. */
SEC("struct_ops")
void BPF_PROG(avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct subflow me;

	if (subflow_find(&me, sk))
		increase(&me, acked);
	else
		tcp_reno_cong_avoid(sk, ack, acked);
}

/* Called once per loss. */
SEC("struct_ops")
__u32 BPF_PROG(cut, struct sock *sk)
{
	struct subflow me;

	return subflow_find(&me, sk) ? decrease(&me) : tcp_reno_ssthresh(sk);
}

/* Called when a socket gets the algorithm. */
SEC("struct_ops")
void BPF_PROG(begin, struct sock *sk)
{
	struct memory *memory = memory_of(sk);

	/* The previous algorithm of the socket may have left data. */
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

/* Called when a socket closes, or gets another algorithm. */
SEC("struct_ops")
void BPF_PROG(end, struct sock *sk)
{
	subflow_forget(sk);
}

/* Called after a spurious loss: returns the window before it. */
SEC("struct_ops")
__u32 BPF_PROG(undo, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

/* Programs that most algorithms use unchanged. */

/* A timeout leaves one packet, for any threshold. */
SEC("?struct_ops")
void BPF_PROG(state, struct sock *sk, __u8 new_state)
{
	struct subflow me;

	if (subflow_timed_out(&me, sk, new_state))
		slot_measure(me.slot, 1, me.tcp->srtt_us);
}

/* Counts the packets that an acknowledgement delivered, for algorithms that need this. */
SEC("?struct_ops")
void BPF_PROG(acked, struct sock *sk, const struct ack_sample *sample)
{
	struct subflow me;

	if (subflow_find(&me, sk))
		subflow_count(&me, sample);
}

#define STRING_(text) #text
#define STRING(text) STRING_(text)

/* Registers ALGORITHM with the common programs and the given ones: `.set_state`, optionally `.pkts_acked`. */
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
