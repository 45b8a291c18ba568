/* Associations that are opened, and aborted as soon as they stand. */

#include "speed.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static double start;

/* Opens one association after another from a socket; returns how many. */
static void *repeat(void *argument)
{
	struct socket *sock = argument;
	uintptr_t count = 0;

	while (now() - start < options.seconds) {
		struct sctp_sndinfo info = {.snd_flags = SCTP_ABORT};

		begin_association(sock, 0);
		info.snd_assoc_id = wait_for_change(sock, SCTP_COMM_UP);
		count++;
		if (usrsctp_sendv(sock, "", 0, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
			fail("abort");
		wait_for_change(sock, SCTP_COMM_LOST);
	}
	return (void *)count;
}

void handshakes(void)
{
	pthread_t *threads = calloc(options.endpoints, sizeof *threads);
	struct socket **sockets = calloc(options.endpoints, sizeof *sockets);
	unsigned long long count = 0;

	for (unsigned i = 0; i < options.endpoints; i++)
		sockets[i] = endpoint(i);
	if (options.listen) {
		report("listening", "");
		/* Notifications would fill the socket's buffer. */
		for (uint8_t buffer[1024];;) {
			int flags;

			receive(sockets[0], buffer, sizeof buffer, &flags);
		}
	}
	start = now();
	for (unsigned i = 0; i < options.endpoints; i++)
		if (pthread_create(&threads[i], NULL, repeat, sockets[i]) != 0)
			fail("thread");
	for (unsigned i = 0; i < options.endpoints; i++) {
		void *opened;

		pthread_join(threads[i], &opened);
		count += (uintptr_t)opened;
	}
	report("opened", "\"associations\": %llu, \"seconds\": %.9f", count, now() - start);
}
