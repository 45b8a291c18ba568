/* Opens connections one after the other, and prints how many per second. The other end closes each one, which the program
 * waits for: the queue of the listening socket is never full. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void require(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int opened(int protocol) {
    int fd = socket(AF_INET, SOCK_STREAM, protocol);
    require(fd >= 0, "socket");
    return fd;
}

static void accept_all(int protocol, const struct sockaddr_in *address) {
    int listener = opened(protocol), on = 1;
    require(!setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
    require(!bind(listener, (const struct sockaddr *)address, sizeof *address), "bind");
    require(!listen(listener, 100), "listen");
    puts("listening");
    fflush(stdout);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        require(fd >= 0, "accept");
        close(fd);
    }
}

static void open_all(int protocol, const struct sockaddr_in *address, double length) {
    double begin = seconds(), now = begin;
    long count = 0;
    for (; now < begin + length; count++) {
        char byte;
        int fd = opened(protocol);
        require(!connect(fd, (const struct sockaddr *)address, sizeof *address), "connect");
        require(read(fd, &byte, 1) == 0, "read");
        close(fd);
        now = seconds();
    }
    printf("%.1f\n", count / (now - begin));
}

/* connections (listen|connect) (sctp|tcp) ADDRESS SECONDS */
int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(6000)};
    if (argc != 5 || !inet_aton(argv[3], &address.sin_addr)) {
        fputs("usage: connections (listen|connect) (sctp|tcp) ADDRESS SECONDS\n", stderr);
        return 2;
    }
    int protocol = strcmp(argv[2], "sctp") ? IPPROTO_TCP : IPPROTO_SCTP;
    if (!strcmp(argv[1], "listen"))
        accept_all(protocol, &address);
    open_all(protocol, &address, atof(argv[4]));
    return 0;
}
