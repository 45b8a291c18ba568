/*! The connection of a TCP socket, for all algorithms.
 *
 * Each subflow has a slot in its connection's entry of the map `connections` and writes only this slot. It looks the
 * entry up for every acknowledgement, and creates a missing entry or takes a slot. The order in which sockets are
 * created, joined and closed therefore does not matter, and a slot that is lost by a race is restored by the next
 * acknowledgement. The last subflow removes the entry.
 *
 * A socket that is no subflow, or whose peer does not support Multipath TCP, has no slot and grows as Reno.
 */
#pragma once

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "formulas.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* The map of mp_lia is called mp_lia_c, so that user space finds it even if another process loaded the program. */
#define connections JOIN(ALGORITHM, _c)

/* Largest number of connections in the map; further ones grow as Reno. */
#define MAX_CONNECTIONS 65536

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, MAX_CONNECTIONS);
	__type(key, __u64);
	__type(value, struct connection);
} connections SEC(".maps");

/* Too large for the stack of a BPF program. */
static const struct connection EMPTY;

/* The state of a subflow in its socket: at most the 104 bytes of icsk_ca_priv. */
struct memory {
	/* Key of its connection; 0 while unknown. */
	__u64 connection;
	/* Fraction of a packet by which the window has grown, in 2^-48 packets. */
	__s64 fraction;
	__u32 slot;
	/* For wvegas: minimum and sum of the RTT samples of this round in microseconds, and their number. */
	__u32 base;
	__u64 sum;
	__u32 samples;
	/* Packets to be acknowledged until the round ends; 0 before it begins. */
	__u32 left;
	/* Packets that may wait in queues; shortest queueing delay in microseconds, 0 if there was none. */
	__u32 queued;
	__u32 queue_delay;
};

/* A socket with its slot in the connection. */
struct subflow {
	struct sock *sk;
	struct tcp_sock *tcp;
	struct memory *memory;
	struct connection *connection;
	struct slot *slot;
};

static __always_inline struct memory *memory_of(struct sock *sk)
{
	return (struct memory *)((struct inet_connection_sock *)sk)->icsk_ca_priv;
}

static __always_inline __u8 state_of(struct sock *sk)
{
	return BPF_CORE_READ_BITFIELD((struct inet_connection_sock *)sk, icsk_ca_state);
}

/* The connection that a socket belongs to, as a number; 0 if it is no subflow, or not yet. */
static __always_inline __u64 connection_key(struct sock *sk)
{
	void *data = ((struct inet_connection_sock *)sk)->icsk_ulp_data;
	struct mptcp_subflow_context *context;

	if (!((struct tcp_sock *)sk)->is_mptcp || !data)
		return 0;
	context = bpf_rdonly_cast(data, bpf_core_type_id_kernel(struct mptcp_subflow_context));
	if (!BPF_CORE_READ_BITFIELD(context, mp_capable) && !BPF_CORE_READ_BITFIELD(context, mp_join))
		return 0;
	return (__u64)context->conn;
}

/* Records the addresses of a slot's owner for readers of the map. */
static __always_inline void slot_name(struct slot *slot, struct sock *sk)
{
	struct sock_common *common = &sk->__sk_common;

	slot->family = common->skc_family;
	slot->segment = ((struct tcp_sock *)sk)->mss_cache;
	slot->local_port = common->skc_num;
	slot->remote_port = __builtin_bswap16(common->skc_dport);
	if (slot->family == AF_INET) {
		*(__u32 *)slot->local = common->skc_rcv_saddr;
		*(__u32 *)slot->remote = common->skc_daddr;
		return;
	}
	for (int i = 0; i < 4; i++) {
		((__u32 *)slot->local)[i] = common->skc_v6_rcv_saddr.in6_u.u6_addr32[i];
		((__u32 *)slot->remote)[i] = common->skc_v6_daddr.in6_u.u6_addr32[i];
	}
}

/* Takes a free slot for `sk`, if there is one. */
static __always_inline void slot_take(struct connection *connection, struct sock *sk, __u64 key)
{
	struct mptcp_sock *owner = bpf_rdonly_cast((void *)key, bpf_core_type_id_kernel(struct mptcp_sock));

	connection->token = owner->token;
	for (__u32 i = 0; i < MAX_SUBFLOWS; i++) {
		struct slot *slot = &connection->slots[i];

		if (__sync_val_compare_and_swap(&slot->owner, 0, (__u64)sk))
			continue;
		__builtin_memset((char *)slot + sizeof(slot->owner), 0, sizeof(*slot) - sizeof(slot->owner));
		slot_name(slot, sk);
		memory_of(sk)->slot = i;
		return;
	}
}

/* The slot of `sk`. Looked up again after it took one, so that the verifier checks any slot instead of each. */
static __always_inline struct slot *slot_of(struct connection *connection, struct memory *memory)
{
	return &connection->slots[memory->slot % MAX_SUBFLOWS];
}

/* Finds or creates the slot of `sk` in its connection; false for a socket that must behave as Reno. */
static __always_inline bool subflow_find(struct subflow *me, struct sock *sk)
{
	struct memory *memory = memory_of(sk);
	__u64 key = memory->connection;

	if (!key) {
		key = connection_key(sk);
		if (!key)
			return false;
		memory->connection = key;
	}
	me->connection = bpf_map_lookup_elem(&connections, &key);
	if (!me->connection) {
		bpf_map_update_elem(&connections, &key, &EMPTY, BPF_NOEXIST);
		me->connection = bpf_map_lookup_elem(&connections, &key);
		if (!me->connection)
			return false;
	}
	if (slot_of(me->connection, memory)->owner != (__u64)sk)
		slot_take(me->connection, sk, key);
	me->slot = slot_of(me->connection, memory);
	if (me->slot->owner != (__u64)sk)
		return false;
	if (me->connection->count <= memory->slot % MAX_SUBFLOWS)
		me->connection->count = memory->slot % MAX_SUBFLOWS + 1;
	me->sk = sk;
	me->tcp = (struct tcp_sock *)sk;
	me->memory = memory;
	return true;
}

/* Releases the slot of `sk`; with the last slot, removes the entry of the map. */
static __always_inline void subflow_forget(struct sock *sk)
{
	struct memory *memory = memory_of(sk);
	__u64 key = memory->connection;
	struct connection *connection;
	struct slot *slot;

	if (!key)
		return;
	connection = bpf_map_lookup_elem(&connections, &key);
	if (!connection)
		return;
	slot = slot_of(connection, memory);
	if (slot->owner == (__u64)sk) {
		if (connection->best == slot->quality)
			connection->best = 0;
		slot->rate = 0;
		slot->quality = 0;
		__sync_lock_test_and_set(&slot->owner, 0);
	}
	for (__u32 i = 0; i < MAX_SUBFLOWS; i++)
		if (connection->slots[i].owner)
			return;
	bpf_map_delete_elem(&connections, &key);
}

/* The threshold in sums: the window of a path before its first loss, because it has no threshold then. */
static __always_inline __u32 subflow_threshold(const struct subflow *me)
{
	__u32 threshold = me->tcp->snd_ssthresh;

	return threshold >= TCP_INFINITE_SSTHRESH ? me->tcp->snd_cwnd : threshold;
}

/* Stores window, threshold and round-trip time in the slot. */
static __always_inline void subflow_measure(struct subflow *me)
{
	me->slot->threshold = subflow_threshold(me);
	slot_measure(me->slot, me->tcp->snd_cwnd, me->tcp->srtt_us);
}

static __always_inline bool in_slow_start(const struct tcp_sock *tcp)
{
	return tcp->snd_cwnd < tcp->snd_ssthresh;
}

/* Whether the window was used, so that it may grow: the kernel's own rule. */
static __always_inline bool is_limited_by_window(struct tcp_sock *tcp)
{
	if (BPF_CORE_READ_BITFIELD(tcp, is_cwnd_limited))
		return true;
	return in_slow_start(tcp) && tcp->snd_cwnd < 2 * tcp->max_packets_out;
}

static __always_inline void window_set(struct tcp_sock *tcp, __u32 window)
{
	__u32 clamp = tcp->snd_cwnd_clamp;

	tcp->snd_cwnd = window < clamp ? window : clamp;
}

/* The part of `acked` packets that the kernel's slow start leaves for congestion avoidance: none while the window is
 * not fully used.
 */
static __always_inline __u32 subflow_slow_start(struct subflow *me, __u32 acked)
{
	if (!is_limited_by_window(me->tcp))
		return 0;
	return in_slow_start(me->tcp) ? tcp_slow_start(me->tcp, acked) : acked;
}

/* Lets the window grow (or shrink) for `acked` packets in congestion avoidance. */
static __always_inline void subflow_grow(struct subflow *me, struct growth growth, __u32 acked)
{
	__s64 fraction = me->memory->fraction;

	window_set(me->tcp, window_grown(me->tcp->snd_cwnd, &fraction, growth, acked));
	me->memory->fraction = fraction;
}

/* Lets a fully used window grow by the part `share` of Reno's growth, also in slow start (up to the threshold). */
static __always_inline void subflow_grow_by_share(struct subflow *me, number share, __u32 acked)
{
	__u32 window = me->tcp->snd_cwnd, threshold = me->tcp->snd_ssthresh;
	__s64 fraction = me->memory->fraction;

	if (!in_slow_start(me->tcp)) {
		subflow_grow(me, grows(share), acked);
		return;
	}
	/* A window's growth for each acknowledged window: `share` of the window. */
	window = window_grown(window, &fraction, grows(number_multiply(share, number_of(window))), acked);
	window_set(me->tcp, window < threshold ? window : threshold);
	me->memory->fraction = fraction;
}

/* Whether a socket that enters `new_state` is a subflow with a timeout; counts the timeout. */
static __always_inline bool subflow_timed_out(struct subflow *me, struct sock *sk, __u8 new_state)
{
	if (new_state != TCP_CA_Loss || !subflow_find(me, sk))
		return false;
	me->slot->timeouts += 1;
	return true;
}

/* The new threshold after a loss that cuts the window by `cut` packets, but to no less than `floor`. */
static __always_inline __u32 subflow_lose(struct subflow *me, number cut, __u32 floor)
{
	__u32 window = window_after(me->tcp->snd_cwnd, cut, floor);

	me->slot->losses += 1;
	me->slot->lost_at = me->tcp->snd_cwnd;
	me->slot->threshold = window;
	me->memory->fraction = 0;
	return window;
}

/* Like the function above; the reduced window counts in the sums. */
static __always_inline __u32 subflow_cut(struct subflow *me, number cut, __u32 floor)
{
	__u32 window = subflow_lose(me, cut, floor);

	slot_measure(me->slot, window, me->tcp->srtt_us);
	return window;
}

/* Counts the packets that an acknowledgement delivered. */
static __always_inline void subflow_count(struct subflow *me, const struct ack_sample *sample)
{
	__u32 packets = sample->pkts_acked;
	__s32 rtt = sample->rtt_us;

	me->slot->since_loss += packets;
	me->slot->delivered += packets;
	if (!is_limited_by_window(me->tcp) && state_of(me->sk) <= TCP_CA_Disorder)
		me->slot->limited += packets;
	if (rtt > 0) {
		me->slot->rtt_sum += rtt;
		me->slot->rtt_samples += 1;
	}
}
