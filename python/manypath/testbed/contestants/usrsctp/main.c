/* One end of a saturated flow over usrsctp.
 *
 * `receive` listens, prints a line when it does, and notes the received payload. `send` opens the association at its
 * instant, sends messages without a pause, and notes counters of the library and the state of each path. Both end at
 * the same instant and then print their rows. */

#include "flow.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* Bytes of the IPv4 header and the SCTP header, and of the UDP header: usrsctp counts a path MTU without them. */
#define HEADERS (20 + 12)
#define UDP_HEADER 8

/* Columns of a receiver: instant, bytes. */
#define RECEIVED 1
/* Columns of a sender: instant, counters, then those of each path. */
#define RETRANSMITTED 1
#define FAST_RETRANSMITTED 2
#define TIMEOUTS 3
#define FIRST_PATH 4
/* Columns of a path: window in bytes, smoothed round-trip time in ms, whether it is active. */
#define CWND 0
#define SRTT 1
#define ACTIVE 2
#define PATH_COLUMNS 3

static struct flow flow;
static struct socket *sock;
static atomic_ullong received;
static atomic_uint association; /* 0: not established */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t established = PTHREAD_COND_INITIALIZER;

static void set(int level, int option, const void *value, socklen_t size, const char *what)
{
	if (usrsctp_setsockopt(sock, level, option, value, size) < 0)
		fail(what);
}

static void set_buffer(int option, uint32_t bytes, const char *what)
{
	int value = bytes, got = 0;
	socklen_t size = sizeof got;

	set(SOL_SOCKET, option, &value, sizeof value, what);
	if (usrsctp_getsockopt(sock, SOL_SOCKET, option, &got, &size) < 0 || got != value) {
		fprintf(stderr, "%s: usrsctp made it %d bytes instead of %d\n", what, got, value);
		_exit(1);
	}
}

static void open_socket(void)
{
	struct sctp_initmsg streams = {.sinit_num_ostreams = flow.streams, .sinit_max_instreams = flow.streams};
	struct sctp_udpencaps tunnel = {.sue_port = htons(flow.udp)};
	struct sctp_event event = {.se_type = SCTP_ASSOC_CHANGE, .se_on = 1};
	struct sctp_paddrparams path = {.spp_flags = SPP_PMTUD_DISABLE};
	int nodelay = flow.nodelay;

	path.spp_pathmtu = flow.mtu - HEADERS - (flow.udp != 0 ? UDP_HEADER : 0);
	sock = usrsctp_socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (sock == NULL)
		fail("socket");
	set(IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event, "events");
	set(IPPROTO_SCTP, SCTP_NODELAY, &nodelay, sizeof nodelay, "no delay");
	set(IPPROTO_SCTP, SCTP_INITMSG, &streams, sizeof streams, "number of streams");
	set(IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path, "path MTU");
	set_buffer(SO_SNDBUF, flow.send_buffer, "send buffer");
	set_buffer(SO_RCVBUF, flow.receive_buffer, "receive buffer");
	if (flow.udp != 0) {
		tunnel.sue_address.ss_family = AF_INET;
		set(IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, &tunnel, sizeof tunnel, "UDP port");
	}
	if (usrsctp_bindx(sock, (struct sockaddr *)flow.local.addresses, flow.local.count, SCTP_BINDX_ADD_ADDR) < 0)
		fail("bind");
	if (!flow.sends && usrsctp_listen(sock, 1) < 0)
		fail("listen");
}

static void handle(const struct sctp_assoc_change *change)
{
	if (change->sac_type != SCTP_ASSOC_CHANGE)
		return;
	if (change->sac_state == SCTP_COMM_UP) {
		pthread_mutex_lock(&lock);
		association = change->sac_assoc_id;
		pthread_cond_signal(&established);
		pthread_mutex_unlock(&lock);
	} else if (flow.sends && change->sac_state != SCTP_RESTART) {
		fprintf(stderr, "%s\n", association ? "the association ended early" : "the receiver did not answer");
		_exit(1);
	}
}

static void *receive_all(void *unused)
{
	static uint8_t buffer[1 << 16];

	for (;;) {
		struct sctp_rcvinfo info;
		socklen_t length = sizeof info;
		unsigned type = 0;
		int flags = 0;
		ssize_t count = usrsctp_recvv(sock, buffer, sizeof buffer, NULL, NULL, &info, &length, &type, &flags);

		if (count < 0)
			fail("receive");
		if (flags & MSG_NOTIFICATION)
			handle((const struct sctp_assoc_change *)buffer);
		else
			received += count;
	}
	return unused;
}

static void *send_all(void *unused)
{
	struct sctp_sndinfo info = {.snd_flags = flow.unordered ? SCTP_UNORDERED : 0};
	uint32_t sizes = flow.message - flow.message_min + 1, random = 1;
	uint8_t *message = calloc(1, flow.message);

	if (message == NULL)
		fail("memory for a message");
	sleep_until(flow.begin);
	if (usrsctp_connectx(sock, (struct sockaddr *)flow.remote.addresses, flow.remote.count, NULL) < 0)
		fail("connect");
	pthread_mutex_lock(&lock);
	while (association == 0)
		pthread_cond_wait(&established, &lock);
	pthread_mutex_unlock(&lock);
	info.snd_assoc_id = association;
	for (;;) {
		uint32_t length;

		/* Sizes are uniformly distributed: the generator is that of Marsaglia, "Xorshift RNGs", 2003. */
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		length = flow.message_min + (uint32_t)(((uint64_t)random * sizes) >> 32);
		if (usrsctp_sendv(sock, message, length, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
			fail("send");
		info.snd_sid = (info.snd_sid + 1) % flow.streams;
	}
	return unused;
}

/* Writes the counters of the library and the state of the paths into a row; zeros before the association exists. */
static void note_sender(double *row)
{
	struct sctpstat counters;

	usrsctp_get_stat(&counters);
	row[RETRANSMITTED] = counters.sctps_sendretransdata;
	row[FAST_RETRANSMITTED] = counters.sctps_sendfastretrans;
	row[TIMEOUTS] = counters.sctps_timodata;
	for (int i = 0; association != 0 && i < flow.remote.count; i++) {
		struct sctp_paddrinfo path = {.spinfo_assoc_id = association};
		socklen_t size = sizeof path;
		double *columns = row + FIRST_PATH + i * PATH_COLUMNS;

		memcpy(&path.spinfo_address, &flow.remote.addresses[i], sizeof flow.remote.addresses[i]);
		if (usrsctp_opt_info(sock, association, SCTP_GET_PEER_ADDR_INFO, &path, &size) < 0)
			continue;
		columns[CWND] = path.spinfo_cwnd;
		columns[SRTT] = path.spinfo_srtt;
		columns[ACTIVE] = path.spinfo_state == SCTP_ACTIVE;
	}
}

static void start(void *(*run)(void *))
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, run, NULL);
	if (errno != 0)
		fail("thread");
}

int main(int argc, char **argv)
{
	double *row;

	words_read(&flow, argc, argv);
	signal(SIGPIPE, SIG_IGN);
	usrsctp_init(flow.udp, NULL, NULL);
	/* Without this, packets between addresses of one machine have no checksum. */
	usrsctp_sysctl_set_sctp_no_csum_on_loopback(0);
	words_apply();
	open_socket();
	rows_allocate(flow.sends ? FIRST_PATH + PATH_COLUMNS * flow.remote.count : RECEIVED + 1, flow.end);
	start(receive_all);
	if (flow.sends)
		start(send_all);
	printf("ready\n");
	fflush(stdout);
	while ((row = rows_next()) != NULL) {
		if (flow.sends)
			note_sender(row);
		else
			row[RECEIVED] = received;
	}
	rows_print();
	fflush(stdout);
	/* The threads of the library need not stop: the hosts of the flow end with it. */
	_exit(0);
}
