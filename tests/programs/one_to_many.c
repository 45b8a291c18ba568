/* A server with a one-to-many socket, and its client, with the calls of libsctp (sctp(7)). */
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

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
        exit(1);
    }
}

static int open_socket(void) {
    struct sctp_event_subscribe events = {.sctp_data_io_event = 1, .sctp_association_event = 1};
    int fd = socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP);
    require(fd >= 0, "socket");
    require(!setsockopt(fd, IPPROTO_SCTP, SCTP_EVENTS, &events, sizeof events), "SCTP_EVENTS");
    return fd;
}

/* Receives a message, not a notification. */
static int receive(int fd, char *text, size_t room, struct sctp_sndrcvinfo *info) {
    int length, flags;
    do {
        struct sockaddr_in from;
        socklen_t from_length = sizeof from;
        flags = 0;
        length = sctp_recvmsg(fd, text, room, (struct sockaddr *)&from, &from_length, info, &flags);
        require(length >= 0, "sctp_recvmsg");
    } while (flags & MSG_NOTIFICATION);
    require(flags & MSG_EOR, "a whole message");
    text[length] = 0;
    return length;
}

static void send_vector(int fd, sctp_assoc_t association, char *text) {
    struct iovec part = {text, strlen(text)};
    struct sctp_sndinfo info = {.snd_assoc_id = association, .snd_sid = 1};
    ssize_t sent = sctp_sendv(fd, &part, 1, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0);
    require(sent == (ssize_t)part.iov_len, "sctp_sendv");
}

static void talk_apart(int fd, sctp_assoc_t association) {
    int peeled = sctp_peeloff(fd, association);
    require(peeled >= 0, "sctp_peeloff");
    require(sctp_peeloff(fd, association) < 0 && errno == EINVAL, "a second sctp_peeloff");
    struct sockaddr *addresses;
    int count = sctp_getpaddrs(peeled, 0, &addresses);
    require(count > 0, "sctp_getpaddrs");
    sctp_freepaddrs(addresses);
    int on = 1, flags = 0;
    require(!setsockopt(peeled, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on), "SCTP_RECVRCVINFO");
    send_vector(peeled, 0, "apart");
    char text[64];
    struct iovec part = {text, sizeof text};
    struct sctp_rcvinfo info;
    socklen_t length = sizeof info;
    unsigned kind = 0;
    ssize_t received = sctp_recvv(peeled, &part, 1, NULL, NULL, &info, &length, &kind, &flags);
    require(received == 3 && !memcmp(text, "end", 3), "sctp_recvv");
    require(kind == SCTP_RECVV_RCVINFO && info.rcv_sid == 1, "SCTP_RCVINFO");
    require(info.rcv_assoc_id == association, "the number of the association");
    printf("talked apart with %d addresses\n", count);
    close(peeled);
}

static void serve(void) {
    int fd = open_socket();
    require(!bind(fd, (struct sockaddr *)&server, sizeof server), "bind");
    require(!listen(fd, 5), "listen");
    puts("listening");
    fflush(stdout);
    for (;;) {
        char text[64];
        struct sctp_sndrcvinfo info;
        int length = receive(fd, text, sizeof text - 1, &info);
        if (!strcmp(text, "apart?")) {
            talk_apart(fd, info.sinfo_assoc_id);
            break;
        }
        require(sctp_send(fd, text, length, &info, 0) == length, "sctp_send");
    }
    close(fd);
}

static void ask(void) {
    int fd = open_socket();
    char text[64];
    struct sctp_sndrcvinfo info;
    int sent = sctp_sendmsg(fd, "hello", 5, (struct sockaddr *)&server, sizeof server, htonl(7), 0, 2, 0, 0);
    require(sent == 5, "sctp_sendmsg");
    receive(fd, text, sizeof text - 1, &info);
    require(!strcmp(text, "hello") && info.sinfo_stream == 2, "the answer");
    require(info.sinfo_ppid == htonl(7), "the payload protocol identifier");
    send_vector(fd, info.sinfo_assoc_id, "apart?");
    receive(fd, text, sizeof text - 1, &info);
    require(!strcmp(text, "apart"), "the answer of the peeled-off socket");
    send_vector(fd, info.sinfo_assoc_id, "end");
    struct sctp_status status;
    socklen_t length = sizeof status;
    require(!sctp_opt_info(fd, info.sinfo_assoc_id, SCTP_STATUS, &status, &length), "SCTP_STATUS");
    close(fd);
    puts("all answers are right");
}

int main(int argc, char **argv) {
    require(argc == 3 && inet_aton(argv[2], &server.sin_addr), "arguments: serve|ask ADDRESS");
    server.sin_port = htons(7003);
    strcmp(argv[1], "serve") ? ask() : serve();
    return 0;
}
