/*! The formulas as questions and answers for tests, on the host (tests/formulas/twin) and in the kernel. */
#pragma once

#include "vegas.h"

/* The algorithms. */
enum { LIA, EUNICE, OLIA, BALIA, COUPLED, RPV1, RPV2, WEIGHTED, BMC };

/* The requested operations. */
enum {
	/* Growth, cut and floor of one slot, after all slots were measured with their windows and round-trip times. */
	FORMULAS,
	/* The same without measuring the slots before. */
	FORMULAS_AS_MEASURED,
	/* An acknowledgement (or a timeout) corrects one slot and the maximum. */
	EUNICE_MEASURE,
	/* A window after acknowledged packets, and after a cut. */
	WINDOWS,
	/* A round of weighted Vegas, in slow start or not. */
	VEGAS_SLOW_START,
	VEGAS_AVOID,
};

struct question {
	__u32 action;
	__u32 algorithm;
	/* The slot. */
	__u32 mine;
	/* Of windows: acknowledged packets. Of Vegas: whether the window was used. */
	__u32 acked;
	/* Of windows: the fraction of a packet in 2^-48, before and after. */
	__s64 fraction;
	/* Results; for windows, the arguments. */
	number more;
	number less;
	number cut;
	number share;
	/* Of windows: the window before, and after growth and cut. */
	__u32 window;
	__u32 grown;
	__u32 reduced;
	__u32 floor;
	struct vegas vegas;
	struct connection connection;
};

static __always_inline struct growth growth_of(__u32 algorithm, const struct connection *connection,
					       const struct slot *mine)
{
	switch (algorithm) {
	case LIA:
		return lia_growth(connection, mine);
	case EUNICE:
		return eunice_growth(connection, mine);
	case OLIA:
		return olia_growth(connection, mine);
	case BALIA:
		return balia_growth(connection, mine);
	case COUPLED:
		return coupled_growth(connection, mine);
	case RPV1:
		return grows(rpv1_share(connection, mine));
	case RPV2:
		return grows(rpv2_share(connection, mine));
	case WEIGHTED:
		return weighted_growth(mine->weight);
	default:
		return bmc_growth(connection, mine);
	}
}

static __always_inline number cut_of(__u32 algorithm, const struct connection *connection, const struct slot *mine)
{
	switch (algorithm) {
	case BALIA:
		return balia_cut(connection, mine);
	case COUPLED:
	case RPV1:
		return coupled_cut(connection, mine);
	case RPV2:
		return rpv2_cut(connection, mine);
	default:
		return half(mine->window);
	}
}

static __always_inline void answer_vegas(struct question *question)
{
	struct connection *connection = &question->connection;
	struct slot *mine = &connection->slots[question->mine % MAX_SUBFLOWS];
	struct vegas *vegas = &question->vegas;

	if (question->action == VEGAS_SLOW_START) {
		vegas_slow_start(vegas);
		return;
	}
	if (vegas_waiting(vegas) >= vegas->queued)
		vegas->queued = vegas_share(connection, mine, vegas);
	vegas_avoid(vegas, question->acked);
}

static __always_inline void answer_windows(struct question *question)
{
	struct growth growth = { .more = question->more, .less = question->less };
	__s64 fraction = question->fraction;

	question->grown = window_grown(question->window, &fraction, growth, question->acked);
	question->fraction = fraction;
	question->reduced = window_after(question->window, question->cut, question->floor);
}

static __always_inline void answer_formulas(struct question *question)
{
	struct connection *connection = &question->connection;
	struct slot *mine = &connection->slots[question->mine % MAX_SUBFLOWS];
	struct growth growth;

	if (question->action == FORMULAS)
		for (__u32 i = 0; i < MAX_SUBFLOWS; i++)
			slot_measure(&connection->slots[i], connection->slots[i].window, connection->slots[i].srtt);
	growth = growth_of(question->algorithm, connection, mine);
	question->more = growth.more;
	question->less = growth.less;
	question->cut = cut_of(question->algorithm, connection, mine);
	question->share = question->algorithm == RPV1 ? rpv1_share(connection, mine) : rpv2_share(connection, mine);
}

static __always_inline void answer(struct question *question)
{
	struct slot *mine = &question->connection.slots[question->mine % MAX_SUBFLOWS];

	switch (question->action) {
	case EUNICE_MEASURE:
		eunice_measure(&question->connection, mine, mine->window, mine->srtt);
		return;
	case WINDOWS:
		answer_windows(question);
		return;
	case VEGAS_SLOW_START:
	case VEGAS_AVOID:
		answer_vegas(question);
		return;
	default:
		answer_formulas(question);
	}
}
