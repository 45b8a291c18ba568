/* What the test programs share: checks that name their line, and a stack with a pair of sockets. */

#include <errno.h>
#include <manypath_sctp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s: errno %d (%s), \"%s\"\n", __LINE__, #condition, \
				errno, strerror(errno), manypath_sctp_error());                    \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* The longest wait in milliseconds. It bounds failures only. */
#define PATIENCE 300000

/* The call fails with this errno. */
#define FAILS(number, call)                                                                        \
	do {                                                                                       \
		errno = 0;                                                                         \
		CHECK((call) == -1);                                                               \
		CHECK(errno == (number));                                                          \
	} while (0)

typedef struct sockaddr address;

/* Addresses of the loopback network that no other test has, from the environment: "127.1.2.". */
static inline const char *local(int number)
{
	static char texts[4][32];
	snprintf(texts[number], sizeof texts[number], "%s%d", getenv("TEST_NETWORK"), number);
	return texts[number];
}

static inline struct sockaddr_in at(int number, int port)
{
	unsigned bytes[4];
	CHECK(sscanf(local(number), "%u.%u.%u.%u", &bytes[0], &bytes[1], &bytes[2], &bytes[3]) == 4);
	struct sockaddr_in one = { .sin_family = AF_INET, .sin_port = htons(port) };
	one.sin_addr.s_addr = htonl(bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3]);
	return one;
}

static inline void start(const char *addresses)
{
	struct manypath_sctp_settings settings = { .size = sizeof settings, .local = addresses };
	CHECK(manypath_sctp_start(&settings) == 0);
}

static inline int stream(void)
{
	int fd = manypath_sctp_socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SCTP);
	CHECK(fd >= 0);
	return fd;
}

static inline int many(void)
{
	int fd = manypath_sctp_socket(AF_INET, SOCK_SEQPACKET | SOCK_CLOEXEC, IPPROTO_SCTP);
	CHECK(fd >= 0);
	return fd;
}

static inline int listening(struct sockaddr_in *name)
{
	int fd = stream(), on = 1;
	CHECK(manypath_sctp_bind(fd, (address *)name, sizeof *name) == 0);
	CHECK(manypath_sctp_setsockopt(fd, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on) == 0);
	CHECK(manypath_sctp_listen(fd, 8) == 0);
	socklen_t length = sizeof *name;
	CHECK(manypath_sctp_getsockname(fd, (address *)name, &length) == 0);
	return fd;
}

static inline int connected(const struct sockaddr_in *name)
{
	int fd = stream();
	CHECK(manypath_sctp_connect(fd, (const address *)name, sizeof *name) == 0);
	return fd;
}

struct pair {
	int listener, client, server;
	struct sockaddr_in name;
};

static inline struct pair pair(void)
{
	struct pair made = { .name = at(1, 0) };
	made.listener = listening(&made.name);
	made.client = connected(&made.name);
	made.server = manypath_sctp_accept(made.listener, NULL, NULL, SOCK_CLOEXEC);
	CHECK(made.server >= 0);
	return made;
}

static inline void end(struct pair made)
{
	CHECK(manypath_sctp_close(made.client) == 0);
	CHECK(manypath_sctp_close(made.server) == 0);
	CHECK(manypath_sctp_close(made.listener) == 0);
}

/* Waits for events of a descriptor; returns them. */
static inline int ready(int fd, short events, int milliseconds)
{
	struct pollfd one = { .fd = fd, .events = events };
	int count = poll(&one, 1, milliseconds);
	CHECK(count >= 0);
	return count ? one.revents : 0;
}

static inline void says(int fd, const char *text)
{
	CHECK(manypath_sctp_send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

static inline void hears(int fd, const char *text)
{
	char bytes[256];
	CHECK(ready(fd, POLLIN, PATIENCE) & POLLIN);
	CHECK(manypath_sctp_recv(fd, bytes, sizeof bytes, 0) == (ssize_t)strlen(text));
	CHECK(memcmp(bytes, text, strlen(text)) == 0);
}
