/* Associations that stay open and carry nothing. */

#include "speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Associations that are being opened at once. */
#define MOST_AT_ONCE 64

/* Opens one association from each socket to each endpoint of the other side. */
static void open_all(struct socket **sockets)
{
	unsigned total = options.endpoints * options.peers;

	for (unsigned begun = 0; begun < total;) {
		unsigned from = begun;

		for (; begun < total && begun < from + MOST_AT_ONCE; begun++)
			begin_association(sockets[begun % options.endpoints], begun / options.endpoints);
		for (; from < begun; from++)
			wait_for_change(sockets[from % options.endpoints], SCTP_COMM_UP);
	}
}

void idle(void)
{
	struct socket **sockets = calloc(options.endpoints, sizeof *sockets);
	char line[16];

	for (unsigned i = 0; i < options.endpoints; i++)
		sockets[i] = endpoint(i);
	if (options.listen) {
		report("listening", "");
		for (unsigned i = 0; i < options.endpoints * options.peers; i++)
			wait_for_change(sockets[i % options.endpoints], SCTP_COMM_UP);
	} else {
		report("ready", "");
		if (fgets(line, sizeof line, stdin) == NULL)
			fail("a line on standard input");
		open_all(sockets);
	}
	report("open", "\"associations\": %u", options.endpoints * options.peers);
	pause();
}
