/* What the C programs of these tests share: a listening socket, and requirements with their line. */
#ifndef CALLS_H
#define CALLS_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/sctp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in server = {.sin_family = AF_INET};
static int listener;

static void require(int holds, int line, const char *what) {
    if (!holds) {
        fprintf(stderr, "line %d: %s: %s\n", line, what, strerror(errno));
        exit(1);
    }
}

#define REQUIRE(condition) require(condition, __LINE__, #condition)
#define FAILS(call, number) (errno = 0, require((call) < 0 && errno == (number), __LINE__, #call))

static inline int stream(void) {
    int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    REQUIRE(fd >= 0);
    return fd;
}

/* Listens at an address, which the first argument of the program names. */
static inline void listen_at(const char *address, int port) {
    REQUIRE(inet_aton(address, &server.sin_addr));
    server.sin_port = htons(port);
    listener = stream();
    REQUIRE(!bind(listener, (struct sockaddr *)&server, sizeof server));
    REQUIRE(!listen(listener, 5));
}

static inline void connect_pair(int *client, int *accepted) {
    int on = 1;
    *client = stream();
    REQUIRE(!setsockopt(*client, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on));
    REQUIRE(!connect(*client, (struct sockaddr *)&server, sizeof server));
    *accepted = accept(listener, NULL, NULL);
    REQUIRE(*accepted >= 0);
}

#endif
