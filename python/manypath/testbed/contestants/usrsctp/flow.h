/* One end of a flow over usrsctp: its words, and the rows that it notes. */

#ifndef FLOW_H
#define FLOW_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* The IPv4 addresses of one host, the primary address first. */
struct host {
	struct sockaddr_in *addresses;
	int count;
};

/* The words of the command line, except the settings of the library. */
struct flow {
	bool sends;
	struct host local, remote;
	uint16_t udp; /* UDP port of both ends; 0: SCTP directly in IP */
	double begin, end; /* seconds of CLOCK_MONOTONIC */
	uint32_t message_min, message; /* bytes of the smallest and of the largest message */
	uint16_t streams;
	bool unordered, nodelay;
	uint32_t mtu; /* largest IP packet, in bytes */
	uint32_t send_buffer, receive_buffer; /* bytes */
};

/* Reads the words of the flow; ends the program with code 2 if one is wrong. */
void words_read(struct flow *flow, int argc, char **argv);
/* Applies the words that are settings of the library, which must have been started. */
void words_apply(void);

/* Ends the program with code 1 and one line that has the last error of the system. */
_Noreturn void fail(const char *what);

/* Seconds of CLOCK_MONOTONIC. */
double now(void);
/* Sleeps until an instant of that clock. */
void sleep_until(double instant);

/* Allocates the rows of a program that notes numbers every INTERVAL seconds until an instant. */
void rows_allocate(int columns, double end);
/* Waits for the next row. Returns it with its instant in the first column, or NULL after the last one. */
double *rows_next(void);
/* Prints all rows as JSON, with the largest delay of a row in seconds. */
void rows_print(void);

#endif
