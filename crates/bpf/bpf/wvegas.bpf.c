/*! mp_wvegas: weighted Vegas ([C12]). Windows follow delay, the subflows share ten packets in queues.
 *
 * A round is a window's worth of acknowledged packets. Losses are those of standard TCP.
 */
#define ALGORITHM mp_wvegas
#include "algorithm.h"
#include "vegas.h"

static __always_inline void round_begin(struct memory *memory, __u32 packets)
{
	memory->left = packets;
	memory->sum = 0;
	memory->samples = 0;
}

/* Changes window and threshold according to the round's measurements. */
static __always_inline void round_end(struct subflow *me)
{
	struct memory *memory = me->memory;
	__u32 samples = memory->samples;
	struct vegas round = {
		.window = me->tcp->snd_cwnd,
		.threshold = me->tcp->snd_ssthresh,
		.base = memory->base,
		.queued = memory->queued ? memory->queued : VEGAS_LEAST,
		.queue_delay = memory->queue_delay,
	};
	bool was_used = is_limited_by_window(me->tcp);

	if (samples < VEGAS_SAMPLES) {
		/* Reno's growth, which slow start has added already. */
		if (was_used && !in_slow_start(me->tcp))
			window_set(me->tcp, round.window + 1);
		return;
	}
	round.rtt = memory->sum / samples;
	if (in_slow_start(me->tcp)) {
		vegas_slow_start(&round);
	} else {
		if (vegas_waiting(&round) >= round.queued)
			round.queued = vegas_share(me->connection, me->slot, &round);
		vegas_avoid(&round, was_used);
	}
	memory->queued = round.queued;
	memory->queue_delay = round.queue_delay;
	window_set(me->tcp, round.window);
	me->tcp->snd_ssthresh = round.threshold;
}

static void increase(struct subflow *me, __u32 acked)
{
	__u32 left = me->memory->left;

	if (!left) {
		me->memory->left = me->tcp->snd_cwnd;
	} else if (left > acked) {
		me->memory->left = left - acked;
	} else {
		round_end(me);
		round_begin(me->memory, me->tcp->snd_cwnd);
	}
	if (in_slow_start(me->tcp) && is_limited_by_window(me->tcp))
		tcp_slow_start(me->tcp, acked);
	me->slot->window = me->tcp->snd_cwnd;
	me->slot->srtt = me->tcp->srtt_us;
	me->slot->threshold = subflow_threshold(me);
}

static __u32 decrease(struct subflow *me)
{
	round_begin(me->memory, 0);
	me->slot->window = subflow_lose(me, half(me->tcp->snd_cwnd), 2);
	return me->slot->window;
}

SEC("struct_ops")
void BPF_PROG(acked_vegas, struct sock *sk, const struct ack_sample *sample)
{
	struct memory *memory = memory_of(sk);
	__s32 rtt = sample->rtt_us;

	if (rtt <= 0)
		return;
	if (!memory->base || (__u32)rtt < memory->base)
		memory->base = rtt;
	if (state_of(sk) <= TCP_CA_Disorder) {
		memory->sum += rtt;
		memory->samples += 1;
	}
}

SEC("struct_ops")
void BPF_PROG(timed_out, struct sock *sk, __u8 new_state)
{
	struct subflow me;

	if (!subflow_timed_out(&me, sk, new_state))
		return;
	me.slot->window = 1;
	me.slot->rate = 0;
	round_begin(me.memory, 0);
}

REGISTER(.set_state = (void *)timed_out, .pkts_acked = (void *)acked_vegas);
