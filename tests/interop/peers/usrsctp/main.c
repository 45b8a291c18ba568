/* A peer over usrsctp: one association on a one-to-many socket, which a thread reads while another one sends. */

#include "contract.h"
#include "library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* Cause code of an ABORT that the user asked for, RFC 9260 section 3.3.10.12. */
#define USER_INITIATED_ABORT 12

static struct options options;
static struct socket *sock;
static sctp_assoc_t association;
static bool aborting, received_reported, sent;
static atomic_bool ended;
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;

/* Reports once what was received; the caller holds `state`. */
static void report_received(void)
{
	if (!received_reported)
		ledger_report();
	received_reported = true;
}

static void report_at_end(void)
{
	struct sctpstat counters;

	/* The sending thread may report meanwhile that everything is here. */
	pthread_mutex_lock(&state);
	report_received();
	pthread_mutex_unlock(&state);
	usrsctp_get_stat(&counters);
	report("statistics",
	       "\"packets_sent\": %u, \"packets_received\": %u, \"retransmitted\": %u, \"fast_retransmitted\": %u, "
	       "\"timeouts\": %u, \"duplicate_data\": %u, \"bad_checksums\": %u, \"drop_reports\": %u, "
	       "\"drop_reports_marked\": %u, \"dropped_for_limit\": %u, \"dropped_for_window\": %u",
	       counters.sctps_sendpackets, counters.sctps_recvpackets, counters.sctps_sendretransdata,
	       counters.sctps_sendfastretrans, counters.sctps_timodata, counters.sctps_recvdupdata,
	       counters.sctps_badsum, counters.sctps_pdrpfehos, counters.sctps_pdrpmark,
	       counters.sctps_datadropchklmt, counters.sctps_datadroprwnd);
}

/* The library's threads answer a peer that repeats its last packets, until standard input ends. */
static _Noreturn void leave(void)
{
	char byte;

	ended = true;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	/* They may still send the last packet. */
	usleep(100000);
	_exit(0);
}

static _Noreturn void fail(const char *what)
{
	char text[256], quoted[512];
	int length = snprintf(text, sizeof text, "%s: %s", what, strerror(errno));

	report("error", "\"message\": %s", json_text(quoted, sizeof quoted, (uint8_t *)text, length));
	report_at_end();
	_exit(1);
}

static _Noreturn void fail_plainly(const char *message)
{
	report("error", "\"message\": \"%s\"", message);
	report_at_end();
	_exit(1);
}

static void set(int option, const void *value, socklen_t size, const char *what)
{
	if (usrsctp_setsockopt(sock, IPPROTO_SCTP, option, value, size) < 0)
		fail(what);
}

/* Ends the association as the arguments say, once everything is sent and what was expected is here. */
static void end_if_done(void)
{
	struct sctp_sndinfo info = {.snd_assoc_id = association};
	const char *reason = "";

	pthread_mutex_lock(&state);
	if (!sent || aborting || ledger_bytes() < options.expect) {
		pthread_mutex_unlock(&state);
		return;
	}
	if (options.expect > 0)
		report_received();
	if (options.shutdown)
		info.snd_flags = SCTP_EOF;
	if (options.abort != NULL) {
		info.snd_flags = SCTP_ABORT;
		reason = options.abort;
	}
	aborting = info.snd_flags != 0;
	pthread_mutex_unlock(&state);
	if (info.snd_flags != 0 &&
	    usrsctp_sendv(sock, reason, strlen(reason), NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
		fail("end of the association");
}

static void send_message(uint16_t stream, const uint8_t *message, size_t length, bool unordered)
{
	struct sctp_sndinfo info = {
		.snd_sid = stream,
		.snd_flags = unordered ? SCTP_UNORDERED : 0,
		.snd_assoc_id = association,
	};

	if (usrsctp_sendv(sock, message, length, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) < 0)
		fail("send");
}

static void *send_all(void *unused)
{
	uint64_t offsets[MAX_STREAMS] = {0}, left = options.send;
	uint8_t *message = malloc(options.size);

	for (uint64_t k = 0; left > 0; k++) {
		uint16_t stream = k % options.streams;
		size_t length = left < options.size ? left : options.size;

		payload_fill(message, length, stream, offsets[stream]);
		send_message(stream, message, length, options.unordered);
		offsets[stream] += length;
		left -= length;
	}
	free(message);
	report("sent", "\"bytes\": %llu", (unsigned long long)options.send);
	sent = true;
	end_if_done();
	return unused;
}

/* The reason in an ABORT chunk, or the code of its first cause. */
static void reason_of(char *buffer, size_t size, const uint8_t *chunk, size_t length)
{
	char text[64];
	size_t at = 4;

	while (at + 4 <= length) {
		uint16_t code = chunk[at] << 8 | chunk[at + 1], long_as = chunk[at + 2] << 8 | chunk[at + 3];

		if (long_as < 4 || at + long_as > length)
			break;
		if (code == USER_INITIATED_ABORT) {
			json_text(buffer, size, chunk + at + 4, long_as - 4);
			return;
		}
		snprintf(text, sizeof text, "cause %u", code);
		json_text(buffer, size, (uint8_t *)text, strlen(text));
		return;
	}
	json_text(buffer, size, NULL, 0);
}

static void handle_change(const struct sctp_assoc_change *change)
{
	pthread_t sender;
	char reason[1024];

	switch (change->sac_state) {
	case SCTP_COMM_UP:
		association = change->sac_assoc_id;
		report("connected", "\"outgoing\": %u, \"incoming\": %u", change->sac_outbound_streams,
		       change->sac_inbound_streams);
		if (pthread_create(&sender, NULL, send_all, NULL) != 0)
			fail("thread");
		break;
	case SCTP_RESTART:
		ledger_clear();
		report("restarted", "");
		break;
	case SCTP_SHUTDOWN_COMP:
		report_at_end();
		report("closed", "");
		leave();
	case SCTP_COMM_LOST:
		reason_of(reason, sizeof reason, change->sac_info, change->sac_length - sizeof *change);
		report_at_end();
		report("aborted", "\"by\": \"%s\", \"reason\": %s", aborting ? "local" : "peer", reason);
		leave();
	default: fail_plainly("the association could not be started");
	}
}

static void handle_path(const struct sctp_paddr_change *change)
{
	const struct sockaddr *address = (const struct sockaddr *)&change->spc_aaddr;
	char text[INET6_ADDRSTRLEN];
	const char *word;

	switch (change->spc_state) {
	case SCTP_ADDR_CONFIRMED:
	case SCTP_ADDR_AVAILABLE: word = "up"; break;
	case SCTP_ADDR_UNREACHABLE: word = "down"; break;
	default: return;
	}
	if (address->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, sizeof text);
	else
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, sizeof text);
	report("path", "\"address\": \"%s\", \"state\": \"%s\"", text, word);
}

static void handle_notification(const union sctp_notification *notification)
{
	if (notification->sn_header.sn_type == SCTP_ASSOC_CHANGE)
		handle_change(&notification->sn_assoc_change);
	if (notification->sn_header.sn_type == SCTP_PEER_ADDR_CHANGE)
		handle_path(&notification->sn_paddr_change);
}

/* Reads until the association ends. The library hands large messages over in pieces. */
static void receive_all(void)
{
	static uint8_t message[MAX_STREAMS << 20];
	size_t length = 0;

	for (;;) {
		struct sctp_rcvinfo info = {0};
		socklen_t info_length = sizeof info;
		unsigned type = 0;
		int flags = 0;
		ssize_t count = usrsctp_recvv(sock, message + length, sizeof message - length, NULL, NULL, &info,
					      &info_length, &type, &flags);

		if (count < 0)
			fail("receive");
		length += count;
		if (!(flags & MSG_EOR))
			continue;
		if (flags & MSG_NOTIFICATION) {
			handle_notification((union sctp_notification *)message);
		} else {
			const char *error = ledger_take(info.rcv_sid, message, length);

			if (error != NULL)
				fail_plainly(error);
			if (options.echo)
				send_message(info.rcv_sid, message, length, info.rcv_flags & SCTP_UNORDERED);
			end_if_done();
		}
		length = 0;
	}
}

static void *give_up(void *unused)
{
	sleep(options.timeout);
	if (ended)
		return unused;
	report("error", "\"message\": \"the time is over\"");
	report_at_end();
	_exit(1);
}

static void set_up_socket(void)
{
	static const uint16_t events[] = {SCTP_ASSOC_CHANGE, SCTP_PEER_ADDR_CHANGE};
	struct sctp_initmsg streams = {.sinit_num_ostreams = options.streams, .sinit_max_instreams = MAX_STREAMS};
	struct sctp_udpencaps tunnel = {.sue_port = htons(options.udp)};
	int family = AF_INET, on = 1;

	for (int i = 0; i < options.locals; i++)
		if (options.local[i].ss_family == AF_INET6)
			family = AF_INET6;
	sock = usrsctp_socket(family, SOCK_SEQPACKET, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (sock == NULL)
		fail("socket");
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		struct sctp_event event = {.se_type = events[i], .se_on = 1};

		set(SCTP_EVENT, &event, sizeof event, "events");
	}
	set(SCTP_RECVRCVINFO, &on, sizeof on, "information about messages");
	set(SCTP_NODELAY, &on, sizeof on, "no delay");
	set(SCTP_INITMSG, &streams, sizeof streams, "number of streams");
	if (options.udp != 0) {
		tunnel.sue_address.ss_family = family;
		set(SCTP_REMOTE_UDP_ENCAPS_PORT, &tunnel, sizeof tunnel, "UDP port");
	}
	if (usrsctp_bindx(sock, library_packed(options.local, options.locals), options.locals, SCTP_BINDX_ADD_ADDR) < 0)
		fail("bind");
}

int main(int argc, char **argv)
{
	pthread_t clock;

	options_read(&options, argc, argv);
	signal(SIGPIPE, SIG_IGN);
	if (pthread_create(&clock, NULL, give_up, NULL) != 0)
		fail("thread");
	library_set_up(&options);
	set_up_socket();
	if (options.listen) {
		if (usrsctp_listen(sock, 1) < 0)
			fail("listen");
		report("listening", "");
	} else if (usrsctp_connectx(sock, library_packed(options.remote, options.remotes), options.remotes, NULL) < 0) {
		fail("connect");
	}
	receive_all();
}
