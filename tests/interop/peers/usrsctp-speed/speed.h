/* What the modes of this program share. */

#ifndef SPEED_H
#define SPEED_H

#include "../usrsctp/contract.h"
#include "../usrsctp/library.h"

#include <sys/types.h>
#include <usrsctp.h>

extern struct options options;

/* Prints an error and ends the program. */
_Noreturn void fail(const char *what);
/* Seconds of a clock that never jumps. */
double now(void);

/* Addresses with the port of one of several endpoints; valid until the next call. */
struct sockaddr *addresses(const struct sockaddr_storage *of, int count, unsigned number);
/* A socket of many associations, on the port of one of several endpoints; it listens if the arguments say so. */
struct socket *endpoint(unsigned number);
/* Sends an INIT to one of the endpoints of the other side. */
void begin_association(struct socket *sock, unsigned peer);
/* Waits until an association of the socket is in a state, such as SCTP_COMM_UP. */
sctp_assoc_t wait_for_change(struct socket *sock, uint16_t state);
/* Takes a message, a part of one, or a notification. */
ssize_t receive(struct socket *sock, uint8_t *buffer, size_t size, int *flags);

/* Messages of one size for some time. */
void bulk(void);
/* Associations that are opened, and aborted as soon as they stand. */
void handshakes(void);
/* Associations that stay open and carry nothing. */
void idle(void);

#endif
