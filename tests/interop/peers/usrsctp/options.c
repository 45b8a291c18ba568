/* The command line. */

#include "contract.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Endpoints of one side: their ports lie below those that the system hands out. */
#define MAX_ENDPOINTS 12000

static const struct option names[] = {
	{"local", required_argument, NULL, 'l'},
	{"remote", required_argument, NULL, 'r'},
	{"port", required_argument, NULL, 'p'},
	{"udp", required_argument, NULL, 'u'},
	{"raw", no_argument, NULL, 'w'},
	{"streams", required_argument, NULL, 's'},
	{"send", required_argument, NULL, 'n'},
	{"size", required_argument, NULL, 'z'},
	{"buffer", required_argument, NULL, 'B'},
	{"unordered", no_argument, NULL, 'o'},
	{"expect", required_argument, NULL, 'x'},
	{"echo", no_argument, NULL, 'e'},
	{"cmt", required_argument, NULL, 'c'},
	{"dac", no_argument, NULL, 'd'},
	{"nr-sack", no_argument, NULL, 'k'},
	{"pktdrop", no_argument, NULL, 'P'},
	{"rto-min", required_argument, NULL, 'm'},
	{"rto-max", required_argument, NULL, 'M'},
	{"sack-delay", required_argument, NULL, 'D'},
	{"path-retransmissions", required_argument, NULL, 'R'},
	{"association-retransmissions", required_argument, NULL, 'A'},
	{"heartbeat", required_argument, NULL, 'b'},
	{"shutdown", no_argument, NULL, 'S'},
	{"abort", required_argument, NULL, 'a'},
	{"timeout", required_argument, NULL, 't'},
	{"seconds", required_argument, NULL, 'T'},
	{"endpoints", required_argument, NULL, 'E'},
	{"peers", required_argument, NULL, 'F'},
	{"rate", required_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static _Noreturn void refuse(const char *field, const char *value, const char *right)
{
	fprintf(stderr, "%s: is \"%s\": %s\n", field, value, right);
	exit(2);
}

static uint64_t number(const char *field, const char *value, uint64_t least, uint64_t most)
{
	char *end;
	char right[80];
	unsigned long long read = strtoull(value, &end, 10);

	if (*value < '0' || *value > '9' || *end != '\0' || read < least || read > most) {
		snprintf(right, sizeof right, "give a number from %llu to %llu", (unsigned long long)least,
			 (unsigned long long)most);
		refuse(field, value, right);
	}
	return read;
}

static double seconds(const char *field, const char *value)
{
	char *end;
	double read = strtod(value, &end);

	if (*value < '0' || *value > '9' || *end != '\0' || read < 0.1 || read > 3600)
		refuse(field, value, "give seconds from 0.1 to 3600");
	return read;
}

static uint64_t words(const char *field, const char *value, uint64_t least)
{
	uint64_t bytes = number(field, value, least, UINT64_C(1) << 32);

	if (bytes % 8 != 0)
		refuse(field, value, "give a multiple of 8");
	return bytes;
}

static int addresses(const char *field, const char *value, struct sockaddr_storage *into)
{
	char text[INET6_ADDRSTRLEN * MAX_ADDRESSES], *rest = text, *one;
	int count = 0;

	snprintf(text, sizeof text, "%s", value);
	while ((one = strsep(&rest, ",")) != NULL) {
		struct sockaddr_in *four = (struct sockaddr_in *)&into[count];
		struct sockaddr_in6 *six = (struct sockaddr_in6 *)&into[count];

		if (count == MAX_ADDRESSES)
			refuse(field, value, "give no more than four addresses");
		if (inet_pton(AF_INET, one, &four->sin_addr) == 1)
			four->sin_family = AF_INET;
		else if (inet_pton(AF_INET6, one, &six->sin6_addr) == 1)
			six->sin6_family = AF_INET6;
		else
			refuse(field, value, "give addresses of IPv4 or IPv6 with commas between them");
		count++;
	}
	return count;
}

/* Where ports belong is the same in both kinds of addresses. */
static void set_port(struct sockaddr_storage *of, int count, uint16_t port)
{
	for (int i = 0; i < count; i++)
		((struct sockaddr_in *)&of[i])->sin_port = htons(port);
}

static void read_one(struct options *options, int letter, const char *value)
{
	switch (letter) {
	case 'l': options->locals = addresses("--local", value, options->local); break;
	case 'r': options->remotes = addresses("--remote", value, options->remote); break;
	case 'p': options->port = number("--port", value, 1, UINT16_MAX); break;
	case 'u': options->udp = number("--udp", value, 1, UINT16_MAX); break;
	case 'w': options->udp = 0; break;
	case 's': options->streams = number("--streams", value, 1, MAX_STREAMS); break;
	case 'n': options->send = words("--send", value, 0); break;
	case 'z': options->size = words("--size", value, 8); break;
	case 'B': options->buffer = words("--buffer", value, 1 << 16); break;
	case 'o': options->unordered = true; break;
	case 'x': options->expect = words("--expect", value, 0); break;
	case 'e': options->echo = true; break;
	case 'c': options->cmt = number("--cmt", value, 0, 4); break;
	case 'd': options->dac = true; break;
	case 'k': options->nr_sack = true; break;
	case 'P': options->pktdrop = true; break;
	case 'm': options->rto_min = number("--rto-min", value, 1, 60000); break;
	case 'M': options->rto_max = number("--rto-max", value, 1, 60000); break;
	case 'D': options->sack_delay = number("--sack-delay", value, 1, 500); break;
	case 'R': options->path_retransmissions = number("--path-retransmissions", value, 0, 100); break;
	case 'A':
		options->association_retransmissions = number("--association-retransmissions", value, 0, 1000);
		break;
	case 'b': options->heartbeat = number("--heartbeat", value, 1, 3600000); break;
	case 'S': options->shutdown = true; break;
	case 'a': options->abort = value; break;
	case 't': options->timeout = number("--timeout", value, 1, 3600); break;
	case 'T': options->seconds = seconds("--seconds", value); break;
	case 'E': options->endpoints = number("--endpoints", value, 1, MAX_ENDPOINTS); break;
	case 'f': options->rate = number("--rate", value, 1, 10000000); break;
	case 'F': options->peers = number("--peers", value, 1, MAX_ENDPOINTS); break;
	default: exit(2); /* getopt has said why */
	}
}

void options_read(struct options *options, int argc, char **argv)
{
	int letter;
	bool transport = false;

	*options = (struct options){
		.streams = 1,
		.size = 1024,
		.buffer = 4 << 20,
		.rto_min = 1000,
		.rto_max = 60000,
		.sack_delay = 200,
		.path_retransmissions = 5,
		.association_retransmissions = -1,
		.heartbeat = 30000,
		.timeout = 30,
		.seconds = 1,
		.endpoints = 1,
		.peers = 1,
		.rate = 100000,
	};
	if (argc < 2 || (strcmp(argv[1], "listen") != 0 && strcmp(argv[1], "connect") != 0))
		refuse("mode", argc < 2 ? "" : argv[1], "give listen or connect as the first word");
	options->listen = strcmp(argv[1], "listen") == 0;
	while ((letter = getopt_long(argc - 1, argv + 1, "", names, NULL)) != -1) {
		transport |= letter == 'u' || letter == 'w';
		read_one(options, letter, optarg);
	}
	if (options->locals == 0 || options->remotes == 0)
		refuse("--local and --remote", "", "give the addresses of both ends");
	if (options->port == 0)
		refuse("--port", "", "give the SCTP port of both ends");
	if (!transport)
		refuse("--udp or --raw", "", "say what carries SCTP");
	set_port(options->local, options->locals, options->port);
	set_port(options->remote, options->remotes, options->port);
}
