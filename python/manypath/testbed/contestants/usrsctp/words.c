/* The command line: `receive` or `send`, then words NAME=VALUE for the flow and for the library. */

#include "flow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* SCTP port of receivers: each one has its own host. */
#define PORT 5001

#define SETTING(text) {.name = #text, .set = usrsctp_sysctl_set_##text}

/* Settings of the library, by their names in usrsctp.h, and their words. */
static struct {
	const char *name;
	int (*set)(uint32_t value);
	const char *word; /* NULL: keeps its default */
	uint32_t value;
} settings[] = {
	SETTING(sctp_assoc_rtx_max_default),
	SETTING(sctp_buffer_splitting),
	SETTING(sctp_cmt_on_off),
	SETTING(sctp_cmt_use_dac),
	SETTING(sctp_delayed_sack_time_default),
	SETTING(sctp_do_drain),
	SETTING(sctp_heartbeat_interval_default),
	SETTING(sctp_max_burst_default),
	SETTING(sctp_max_chunks_on_queue),
	SETTING(sctp_nrsack_enable),
	SETTING(sctp_path_pf_threshold),
	SETTING(sctp_path_rtx_max_default),
	SETTING(sctp_pktdrop_enable),
	SETTING(sctp_rto_initial_default),
	SETTING(sctp_rto_max_default),
	SETTING(sctp_rto_min_default),
	SETTING(sctp_sack_freq_default),
	SETTING(sctp_use_cwnd_based_maxburst),
};

static _Noreturn void refuse(const char *word, const char *right)
{
	fprintf(stderr, "%s: %s\n", word, right);
	exit(2);
}

static uint32_t whole(const char *word, const char *value, uint32_t most)
{
	char *end;
	unsigned long long number = strtoull(value, &end, 10);

	if (*value < '0' || *value > '9' || *end != '\0' || number > most)
		refuse(word, "give a whole number in range");
	return number;
}

static double instant(const char *word, const char *value)
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end != '\0')
		refuse(word, "give an instant in seconds");
	return number;
}

static struct host host(const char *word, const char *value)
{
	struct host host = {.addresses = calloc(strlen(value) + 1, sizeof *host.addresses)};
	char *text = strdup(value), *rest = text, *one;

	if (host.addresses == NULL || text == NULL)
		fail("memory for its addresses");
	while ((one = strsep(&rest, ",")) != NULL) {
		struct sockaddr_in *address = &host.addresses[host.count++];

		address->sin_family = AF_INET;
		address->sin_port = htons(PORT);
		if (inet_pton(AF_INET, one, &address->sin_addr) != 1)
			refuse(word, "give IPv4 addresses with commas between them");
	}
	free(text);
	return host;
}

/* Reads one word of the flow. Returns whether it is one. */
static bool read_one(struct flow *flow, const char *word, const char *value)
{
	size_t length = value - word - 1;
#define IS(name) (length == strlen(name) && strncmp(word, name, length) == 0)

	if (IS("local"))
		flow->local = host(word, value);
	else if (IS("remote"))
		flow->remote = host(word, value);
	else if (IS("udp"))
		flow->udp = whole(word, value, UINT16_MAX);
	else if (IS("begin"))
		flow->begin = instant(word, value);
	else if (IS("end"))
		flow->end = instant(word, value);
	else if (IS("message_min"))
		flow->message_min = whole(word, value, 1 << 16);
	else if (IS("message"))
		flow->message = whole(word, value, 1 << 16);
	else if (IS("streams"))
		flow->streams = whole(word, value, UINT16_MAX);
	else if (IS("unordered"))
		flow->unordered = whole(word, value, 1);
	else if (IS("nodelay"))
		flow->nodelay = whole(word, value, 1);
	else if (IS("mtu"))
		flow->mtu = whole(word, value, UINT16_MAX);
	else if (IS("send_buffer"))
		flow->send_buffer = whole(word, value, INT32_MAX);
	else if (IS("receive_buffer"))
		flow->receive_buffer = whole(word, value, INT32_MAX);
	else
		return false;
#undef IS
	return true;
}

static const char *value_of(const char *word)
{
	const char *sign = strchr(word, '=');

	if (sign == NULL)
		refuse(word, "give NAME=VALUE");
	return sign + 1;
}

static void read_setting(const char *word, const char *value)
{
	size_t length = value - word - 1;

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		if (length == strlen(settings[i].name) && strncmp(word, settings[i].name, length) == 0) {
			settings[i].word = word;
			settings[i].value = whole(word, value, UINT32_MAX);
			return;
		}
	}
	refuse(word, "is no word of this program");
}

void words_read(struct flow *flow, int argc, char **argv)
{
	if (argc < 2 || (strcmp(argv[1], "receive") != 0 && strcmp(argv[1], "send") != 0))
		refuse("role", "give receive or send");
	*flow = (struct flow){.sends = strcmp(argv[1], "send") == 0};
	for (int i = 2; i < argc; i++)
		if (!read_one(flow, argv[i], value_of(argv[i])))
			read_setting(argv[i], value_of(argv[i]));
	if (flow->local.count == 0 || (flow->sends && flow->remote.count == 0))
		refuse("local and remote", "give the addresses of both ends");
	if (flow->message_min == 0 || flow->message_min > flow->message)
		refuse("message_min", "give a number from 1 to that of message");
	if (flow->end == 0 || flow->streams == 0 || flow->mtu == 0 || flow->send_buffer == 0 ||
	    flow->receive_buffer == 0)
		refuse("words", "give end, streams, mtu, send_buffer and receive_buffer");
}

void words_apply(void)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (settings[i].word != NULL && settings[i].set(settings[i].value) != 0)
			fail(settings[i].word);
}

_Noreturn void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(1);
}
