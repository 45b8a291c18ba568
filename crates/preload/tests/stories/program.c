/* The calls that Python does not make: vectors of messages, and the checked ones of _FORTIFY_SOURCE. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
        exit(1);
    }
}

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    require(listener >= 0, "socket");
    require(!bind(listener, (struct sockaddr *)&address, length), "bind");
    require(!listen(listener, 5), "listen");
    require(!getsockname(listener, (struct sockaddr *)&address, &length), "getsockname");
    int client = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    require(!connect(client, (struct sockaddr *)&address, length), "connect");
    int server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    require(server >= 0, "accept4");
    require(fcntl(server, F_GETFD) == FD_CLOEXEC, "SOCK_CLOEXEC");
    require(!(fcntl(server, F_GETFL) & O_NONBLOCK), "a blocking socket");
    int second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_SCTP);
    require(fcntl(second, F_GETFD) == FD_CLOEXEC, "SOCK_CLOEXEC of socket");
    require(fcntl(second, F_GETFL) & O_NONBLOCK, "SOCK_NONBLOCK of socket");
    struct timeval limit = {7, 7};
    length = sizeof limit;
    require(!getsockopt(second, SOL_SOCKET, SO_RCVTIMEO, &limit, &length), "SO_RCVTIMEO");
    require(limit.tv_sec == 0 && limit.tv_usec == 0, "no time limit");
    require(!fcntl(second, F_SETFL, 0), "F_SETFL");
    require(!connect(second, (struct sockaddr *)&address, sizeof address), "the second connection");
    int other = accept(listener, NULL, NULL);
    require(other >= 0 && fcntl(other, F_GETFD) == 0, "accept without flags");

    /* Two messages by sendmmsg, of two parts each; recvmmsg takes both and waits for no third. */
    char one[] = "one", two[] = "two";
    struct iovec parts[2] = {{one, 3}, {two, 3}};
    struct mmsghdr out[2], in[3];
    memset(out, 0, sizeof out);
    memset(in, 0, sizeof in);
    char buffers[3][16];
    struct iovec places[3];
    for (int i = 0; i < 2; i++) {
        out[i].msg_hdr.msg_iov = parts;
        out[i].msg_hdr.msg_iovlen = 2;
    }
    for (int i = 0; i < 3; i++) {
        places[i] = (struct iovec){buffers[i], sizeof buffers[i]};
        in[i].msg_hdr.msg_iov = &places[i];
        in[i].msg_hdr.msg_iovlen = 1;
    }
    int taken = 0;
    /* On a busy machine the second message may arrive too late for one call; then both are sent again. */
    for (useconds_t pause = 50000; taken != 2; pause *= 2) {
        require(pause < 32000000, "recvmmsg takes both messages");
        require(sendmmsg(client, out, 2, 0) == 2, "sendmmsg");
        require(out[1].msg_len == 6, "the length of a sent message");
        char peeked[8];
        while (recv(server, peeked, 1, MSG_PEEK) != 1) {
        }
        usleep(pause);
        taken = recvmmsg(server, in, 3, MSG_WAITFORONE, NULL);
        require(taken == 2 || (taken == 1 && recv(server, peeked, 8, 0) == 6), "recvmmsg");
    }
    require(in[1].msg_len == 6 && !memcmp(buffers[1], "onetwo", 6), "the second message");
    require(in[1].msg_hdr.msg_flags & MSG_EOR, "MSG_EOR");

    require(writev(client, parts, 2) == 6, "writev");
    struct iovec halves[2] = {{buffers[0], 2}, {buffers[1], 16}};
    require(readv(server, halves, 2) == 6, "readv");
    require(!memcmp(buffers[0], "on", 2) && !memcmp(buffers[1], "etwo", 4), "parts of readv");

    /* A count that the compiler does not know makes it use the checked calls. */
    size_t count = argc > 5 ? (size_t)atoi(argv[5]) : 4;
    char small[8];
    require(write(client, "readrecvfrom", 12) == 12, "write");
    require(read(server, small, count) == 4 && !memcmp(small, "read", 4), "read");
    require(recv(server, small, count, 0) == 4 && !memcmp(small, "recv", 4), "recv");
    struct sockaddr_in from;
    length = sizeof from;
    require(recvfrom(server, small, count, 0, (struct sockaddr *)&from, &length) == 4, "recvfrom");
    require(length == sizeof from && from.sin_family == AF_INET, "the sender's address");
    int waiting = -1;
    require(!ioctl(server, FIONREAD, &waiting) && waiting == 0, "FIONREAD");
    puts("every call works");
    return 0;
}
