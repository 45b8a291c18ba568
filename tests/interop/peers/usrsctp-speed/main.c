/* The speed of usrsctp: bulk data, handshakes, and associations that stay open. ../CONTRACT.md says how. */

#include "speed.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options options;

_Noreturn void fail(const char *what)
{
	char text[256], quoted[512];
	int length = snprintf(text, sizeof text, "%s: %s", what, strerror(errno));

	report("error", "\"message\": %s", json_text(quoted, sizeof quoted, (uint8_t *)text, length));
	_exit(1);
}

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static void set(struct socket *sock, int option, const void *value, socklen_t size, const char *what)
{
	if (usrsctp_setsockopt(sock, IPPROTO_SCTP, option, value, size) < 0)
		fail(what);
}

struct sockaddr *addresses(const struct sockaddr_storage *of, int count, unsigned number)
{
	struct sockaddr_storage moved[MAX_ADDRESSES];

	for (int i = 0; i < count; i++) {
		moved[i] = of[i];
		((struct sockaddr_in *)&moved[i])->sin_port = htons(options.port + number);
	}
	return library_packed(moved, count);
}

struct socket *endpoint(unsigned number)
{
	struct sctp_initmsg streams = {.sinit_num_ostreams = options.streams, .sinit_max_instreams = MAX_STREAMS};
	struct sctp_udpencaps tunnel = {.sue_port = htons(options.udp)};
	struct sctp_event event = {.se_type = SCTP_ASSOC_CHANGE, .se_on = 1};
	int family = options.local[0].ss_family, on = 1;
	struct socket *sock = usrsctp_socket(family, SOCK_SEQPACKET, IPPROTO_SCTP, NULL, NULL, 0, NULL);

	if (sock == NULL)
		fail("socket");
	set(sock, SCTP_EVENT, &event, sizeof event, "events");
	set(sock, SCTP_NODELAY, &on, sizeof on, "no delay");
	set(sock, SCTP_INITMSG, &streams, sizeof streams, "number of streams");
	if (options.udp != 0) {
		tunnel.sue_address.ss_family = family;
		set(sock, SCTP_REMOTE_UDP_ENCAPS_PORT, &tunnel, sizeof tunnel, "UDP port");
	}
	if (usrsctp_bindx(sock, addresses(options.local, options.locals, number), options.locals, SCTP_BINDX_ADD_ADDR) < 0)
		fail("bind");
	if (options.listen && usrsctp_listen(sock, 1) < 0)
		fail("listen");
	return sock;
}

void begin_association(struct socket *sock, unsigned peer)
{
	if (usrsctp_connectx(sock, addresses(options.remote, options.remotes, peer), options.remotes, NULL) < 0)
		fail("connect");
}

ssize_t receive(struct socket *sock, uint8_t *buffer, size_t size, int *flags)
{
	struct sctp_rcvinfo info;
	socklen_t length = sizeof info;
	unsigned type = 0;
	ssize_t count;

	*flags = 0;
	count = usrsctp_recvv(sock, buffer, size, NULL, NULL, &info, &length, &type, flags);
	if (count < 0)
		fail("receive");
	return count;
}

sctp_assoc_t wait_for_change(struct socket *sock, uint16_t state)
{
	uint8_t buffer[1024];

	for (;;) {
		const struct sctp_assoc_change *change = (const struct sctp_assoc_change *)buffer;
		int flags;

		receive(sock, buffer, sizeof buffer, &flags);
		if (!(flags & MSG_NOTIFICATION) || change->sac_type != SCTP_ASSOC_CHANGE)
			continue;
		if (change->sac_state == state)
			return change->sac_assoc_id;
		if (change->sac_state == SCTP_CANT_STR_ASSOC) {
			errno = ECONNREFUSED;
			fail("connect");
		}
	}
}

static void *give_up(void *unused)
{
	sleep(options.timeout);
	report("error", "\"message\": \"the time is over\"");
	_exit(1);
	return unused;
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {{"bulk", bulk}, {"handshakes", handshakes}, {"idle", idle}};

int main(int argc, char **argv)
{
	pthread_t clock;

	if (argc > 1)
		options_read(&options, argc - 1, argv + 1);
	signal(SIGPIPE, SIG_IGN);
	if (pthread_create(&clock, NULL, give_up, NULL) != 0)
		fail("thread");
	library_set_up(&options);
	for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++) {
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			/* The library's threads may still send the last packet. */
			usleep(20000);
			_exit(0);
		}
	}
	fprintf(stderr, "mode: is \"%s\": give bulk, handshakes or idle as the first word\n", argc > 1 ? argv[1] : "");
	return 2;
}
