/* What all peers share: arguments, payload and events. ../CONTRACT.md describes them. */

#ifndef CONTRACT_H
#define CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define MAX_ADDRESSES 4
#define MAX_STREAMS 64

/* Arguments of the command line. */
struct options {
	bool listen;
	struct sockaddr_storage local[MAX_ADDRESSES], remote[MAX_ADDRESSES];
	int locals, remotes;
	uint16_t port;
	uint16_t udp; /* 0: raw IP */
	uint16_t streams;
	uint64_t send, size, expect, buffer;
	bool unordered, echo, dac, nr_sack, pktdrop, shutdown;
	uint32_t cmt;
	uint32_t rto_min, rto_max, sack_delay, heartbeat; /* milliseconds */
	uint32_t path_retransmissions;
	int association_retransmissions; /* also of the handshake; -1: the default of the stack */
	const char *abort; /* NULL: do not */
	unsigned timeout;  /* seconds */
	/* Speed alone: how long to send, and endpoints of either side, whose ports follow one another. */
	double seconds;
	unsigned endpoints, peers;
	double rate; /* INITs per second of a flood */
};

/* Reads the arguments; ends the program with code 2 if they are wrong. */
void options_read(struct options *options, int argc, char **argv);

/* Fills a message for a place of a stream; length and offset are multiples of 8. */
void payload_fill(uint8_t *message, size_t length, uint16_t stream, uint64_t offset);

/* Checks and keeps a received message. Returns an error text, or NULL. */
const char *ledger_take(uint16_t stream, const uint8_t *message, size_t length);
/* Bytes received without repetitions. */
uint64_t ledger_bytes(void);
/* Forgets everything, after a restart. */
void ledger_clear(void);
/* Prints the event `received`. */
void ledger_report(void);

/* Prints one event; `fields` is the format of what follows `"event": NAME` in the object, "" for nothing. */
void report(const char *name, const char *fields, ...) __attribute__((format(printf, 2, 3)));
/* Writes a text as JSON, with quotes. Returns `buffer`. */
const char *json_text(char *buffer, size_t size, const uint8_t *text, size_t length);

#endif
