/*! The formulas as the host computes them: the same headers, compiled for this machine. */
#include <linux/types.h>
#include <stdbool.h>

#include "question.h"

void manypath_answer(struct question *question)
{
	answer(question);
}
