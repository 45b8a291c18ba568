/* Floods an endpoint with INITs at a constant rate: valid packets whose ports and tags all differ. RFC 9260 section 3.3.2 */

#define _GNU_SOURCE /* sendmmsg */

#include "../usrsctp/contract.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Packets that are prepared and sent in turn, and packets of one call. */
#define PREPARED 4096
#define AT_ONCE 32
/* Bytes: SCTP's common header and an INIT without parameters. */
#define LENGTH 32
#define IPPROTO_OF_SCTP 132

static uint8_t packets[PREPARED][LENGTH];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

/* CRC32c, reflected. RFC 9260 appendix A */
static uint32_t checksum(const uint8_t *bytes, size_t length)
{
	uint32_t crc = ~0u;

	while (length-- > 0) {
		crc ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
	}
	return ~crc;
}

static void prepare(uint16_t port)
{
	for (unsigned i = 0; i < PREPARED; i++) {
		uint8_t *packet = packets[i];
		uint16_t source = htons(1024 + i), destination = htons(port), streams = htons(16), length = htons(20);
		uint32_t tag = htonl(0x10000000 + i * 2654435761u % 0x10000000), window = htonl(1 << 20), crc;

		memcpy(packet, &source, 2);
		memcpy(packet + 2, &destination, 2);
		packet[12] = 1;
		memcpy(packet + 14, &length, 2);
		memcpy(packet + 16, &tag, 4);
		memcpy(packet + 20, &window, 4);
		memcpy(packet + 24, &streams, 2);
		memcpy(packet + 26, &streams, 2);
		memcpy(packet + 28, &tag, 4);
		/* The checksum travels with its lowest byte first. */
		crc = checksum(packet, LENGTH);
		memcpy(packet + 8, (uint8_t[]){crc, crc >> 8, crc >> 16, crc >> 24}, 4);
	}
}

static int open_socket(const struct options *options)
{
	int type = options->udp ? SOCK_DGRAM : SOCK_RAW, smallest = 1;
	struct sockaddr_storage local = options->local[0], remote = options->remote[0];
	int sock = socket(local.ss_family, type, options->udp ? 0 : IPPROTO_OF_SCTP);

	((struct sockaddr_in *)&local)->sin_port = htons(options->udp);
	((struct sockaddr_in *)&remote)->sin_port = htons(options->udp);
	/* Answers are not read: the system drops them once the buffer is full. */
	if (sock < 0 || setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &smallest, sizeof smallest) < 0 ||
	    bind(sock, (struct sockaddr *)&local, sizeof local) < 0 ||
	    connect(sock, (struct sockaddr *)&remote, sizeof remote) < 0) {
		perror("socket");
		exit(1);
	}
	return sock;
}

int main(int argc, char **argv)
{
	static struct iovec contents[PREPARED];
	static struct mmsghdr messages[PREPARED];
	struct options options;
	unsigned long long sent = 0, calls = 0;
	double start;
	int sock;

	options_read(&options, argc, argv);
	prepare(options.port);
	for (unsigned i = 0; i < PREPARED; i++) {
		contents[i] = (struct iovec){.iov_base = packets[i], .iov_len = LENGTH};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &contents[i], .msg_iovlen = 1};
	}
	sock = open_socket(&options);
	start = now();
	for (double elapsed; (elapsed = now() - start) < options.seconds;) {
		if (sent >= elapsed * options.rate) {
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
			continue;
		}
		/* A refusal concerns an earlier packet, or a full queue: the next call goes on. */
		int count = sendmmsg(sock, messages + calls++ * AT_ONCE % PREPARED, AT_ONCE, 0);
		sent += count > 0 ? count : 0;
	}
	report("flooded", "\"packets\": %llu, \"seconds\": %.9f", sent, now() - start);
	return 0;
}
