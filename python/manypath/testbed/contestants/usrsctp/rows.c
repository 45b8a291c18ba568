/* The clock, and rows of numbers that are noted at fixed instants. */

#include "flow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds between two rows. */
#define INTERVAL 0.1

static double *rows, first, longest;
static int columns;
static size_t step, steps, used;

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + 1e-9 * time.tv_nsec;
}

void sleep_until(double instant)
{
	struct timespec time = {.tv_sec = instant, .tv_nsec = 1e9 * (instant - floor(instant))};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

void rows_allocate(int count, double end)
{
	columns = count;
	steps = fmax(0, floor((end - now()) / INTERVAL));
	/* The last row is due exactly at the end. */
	first = end - steps * INTERVAL;
	rows = calloc((steps + 1) * columns, sizeof *rows);
	if (rows == NULL)
		fail("memory for its rows");
}

double *rows_next(void)
{
	double due = first + step * INTERVAL, *row = &rows[used * columns];

	if (step > steps)
		return NULL;
	sleep_until(due);
	row[0] = now();
	longest = fmax(longest, row[0] - due);
	used++;
	/* Rows that became due during a delay are left out. */
	step = fmax(step, floor((row[0] - first) / INTERVAL)) + 1;
	return row;
}

void rows_print(void)
{
	printf("{\"rows\": [");
	for (size_t row = 0; row < used; row++) {
		printf("%s[%.6f", row > 0 ? ", " : "", rows[row * columns]);
		for (int column = 1; column < columns; column++)
			printf(", %.0f", rows[row * columns + column]);
		printf("]");
	}
	printf("], \"longest\": %.6f}\n", longest);
}
