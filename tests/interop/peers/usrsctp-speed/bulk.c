/* Messages of one size for some time. */

#include "speed.h"

#include <stdlib.h>
#include <string.h>

/* Seconds between two reports of progress. */
#define INTERVAL 0.1

/* Takes messages until the peer shuts down; between the first and the last one lies the time that counts. */
static void count_all(struct socket *sock)
{
	static uint8_t message[1 << 20];
	unsigned long long bytes = 0, messages = 0;
	double start = 0, last = 0, told = 0;

	for (;;) {
		const struct sctp_assoc_change *change = (const struct sctp_assoc_change *)message;
		int flags;
		ssize_t count = receive(sock, message, sizeof message, &flags);

		if (flags & MSG_NOTIFICATION) {
			if (change->sac_state == SCTP_SHUTDOWN_COMP || change->sac_state == SCTP_COMM_LOST)
				break;
			continue;
		}
		last = now();
		if (start == 0)
			start = told = last;
		bytes += count;
		messages += (flags & MSG_EOR) != 0;
		if (last - told > INTERVAL) {
			told = last;
			report("progress", "\"bytes\": %llu, \"seconds\": %.9f", bytes, last - start);
		}
	}
	report("received", "\"bytes\": %llu, \"messages\": %llu, \"seconds\": %.9f", bytes, messages, last - start);
}

static void send_all(struct socket *sock, sctp_assoc_t association)
{
	struct sctp_sndinfo info = {.snd_assoc_id = association};
	uint8_t *message = malloc(options.size);
	double end = now() + options.seconds;

	memset(message, 0x5a, options.size);
	while (now() < end) {
		if (usrsctp_sendv(sock, message, options.size, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
			fail("send");
		info.snd_sid = (info.snd_sid + 1) % options.streams;
	}
	free(message);
	info.snd_flags = SCTP_EOF;
	if (usrsctp_sendv(sock, "", 0, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
		fail("shutdown");
	wait_for_change(sock, SCTP_SHUTDOWN_COMP);
}

void bulk(void)
{
	struct socket *sock = endpoint(0);

	if (options.listen) {
		report("listening", "");
		count_all(sock);
		return;
	}
	begin_association(sock, 0);
	sctp_assoc_t association = wait_for_change(sock, SCTP_COMM_UP);
	report("connected", "");
	send_all(sock, association);
}
