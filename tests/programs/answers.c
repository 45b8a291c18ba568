/* What calls of SCTP sockets answer in Linux: net/sctp/socket.c. All sockets belong to this program. */
#define _GNU_SOURCE
#include "calls.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <time.h>

/* The longest wait in milliseconds. It bounds failures only. */
#define PATIENCE 300000

static void connects_to_all(void) {
    sctp_assoc_t id = 0;
    int client = stream();
    FAILS(sctp_connectx(client, (struct sockaddr *)&server, 0, &id), EINVAL);
    REQUIRE(sctp_connectx(client, (struct sockaddr *)&server, 1, &id) == 0);
    struct sctp_status status;
    socklen_t length = sizeof status;
    REQUIRE(!getsockopt(client, IPPROTO_SCTP, SCTP_STATUS, &status, &length));
    REQUIRE(id > 0 && id == status.sstat_assoc_id);
    FAILS(sctp_connectx(client, (struct sockaddr *)&server, 1, &id), EISCONN);
    close(client);
    close(accept(listener, NULL, NULL));
}

/* libsctp refuses a wrong flag, and no address or an unknown one. */
static void binds_all(void) {
    int fd = stream();
    struct sockaddr_in addresses[2] = {server, server};
    addresses[0].sin_port = addresses[1].sin_port = 0;
    struct sockaddr_in unknown = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0xcb007109)};
    FAILS(sctp_bindx(fd, (struct sockaddr *)addresses, 1, 3), EINVAL);
    FAILS(sctp_bindx(fd, (struct sockaddr *)addresses, 0, SCTP_BINDX_ADD_ADDR), EINVAL);
    FAILS(sctp_bindx(fd, (struct sockaddr *)addresses, 1, SCTP_BINDX_REM_ADDR), EBUSY);
    FAILS(sctp_bindx(fd, (struct sockaddr *)&unknown, 1, SCTP_BINDX_ADD_ADDR), EADDRNOTAVAIL);
    addresses[1].sin_family = 99;
    FAILS(sctp_bindx(fd, (struct sockaddr *)addresses, 2, SCTP_BINDX_ADD_ADDR), EINVAL);
    REQUIRE(!sctp_bindx(fd, (struct sockaddr *)addresses, 1, SCTP_BINDX_ADD_ADDR));
    FAILS(sctp_bindx(fd, (struct sockaddr *)addresses, 1, SCTP_BINDX_REM_ADDR), EBUSY);
    // A second time with its port
    socklen_t length = sizeof addresses[0];
    REQUIRE(!getsockname(fd, (struct sockaddr *)addresses, &length));
    FAILS(sctp_bindx(fd, (struct sockaddr *)addresses, 1, SCTP_BINDX_ADD_ADDR), EINVAL);
    close(fd);
}

/* A message of as many parts as a call may have, and of none. */
static void moves_parts(int client, int accepted) {
    static char bytes[1025];
    static struct iovec parts[1025];
    for (int at = 0; at < 1025; at++)
        parts[at] = (struct iovec){bytes + at, 1};
    memset(bytes, 'p', sizeof bytes);
    REQUIRE(writev(client, parts, 1024) == 1024);
    FAILS(writev(client, parts, 1025), EINVAL);
    FAILS(readv(accepted, parts, 1025), EINVAL);
    memset(bytes, 0, sizeof bytes);
    REQUIRE(readv(accepted, parts, 1023) == 1023 && bytes[1022] == 'p');
    REQUIRE(recv(accepted, bytes, sizeof bytes, 0) == 1);
    REQUIRE(!fcntl(accepted, F_SETFL, O_NONBLOCK));
    FAILS(readv(accepted, parts, 1024), EAGAIN);
    REQUIRE(!fcntl(accepted, F_SETFL, 0));
    REQUIRE(send(client, "0123456789", 10, 0) == 10);
    struct pollfd waits = {.fd = accepted, .events = POLLIN};
    REQUIRE(poll(&waits, 1, PATIENCE) == 1);
    REQUIRE(readv(accepted, parts, 1024) == 10 && !memcmp(bytes, "0123456789", 10));
    REQUIRE(writev(client, parts, 0) == 0 && read(accepted, bytes, 0) == 0);
    struct msghdr none = {.msg_iovlen = 1}, many = {.msg_iov = parts, .msg_iovlen = 1025};
    FAILS(sendmsg(client, &none, 0), EFAULT);
    FAILS(recvmsg(accepted, &none, 0), EFAULT);
    FAILS(sendmsg(client, &many, 0), EMSGSIZE);
    FAILS(recvmsg(accepted, &many, 0), EMSGSIZE);
    many.msg_iovlen = 1024;
    parts[500].iov_base = NULL;
    FAILS(sendmsg(client, &many, 0), EFAULT);
    parts[500].iov_base = bytes + 500;
}

/* Ancillary data without room are cut, and MSG_CTRUNC says so. */
static void cuts_ancillary_data(int client, int accepted) {
    int on = 1;
    size_t whole = CMSG_LEN(sizeof(struct sctp_rcvinfo));
    REQUIRE(!setsockopt(accepted, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on));
    for (size_t room = 0; room <= whole; room += 4) {
        char text[8];
        _Alignas(struct cmsghdr) char control[64] = {0};
        struct iovec part = {text, sizeof text};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = room};
        size_t expected = room < sizeof(struct cmsghdr) ? 0 : room;
        REQUIRE(send(client, "text", 4, 0) == 4 && recvmsg(accepted, &message, 0) == 4);
        REQUIRE(!(message.msg_flags & MSG_CTRUNC) == (room == whole));
        REQUIRE(message.msg_controllen == expected && ((struct cmsghdr *)control)->cmsg_len == expected);
    }
    on = 0;
    REQUIRE(!setsockopt(accepted, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on));
}

static void checks_addresses(int client) {
    struct sockaddr_in name;
    socklen_t length = -1;
    FAILS(getpeername(client, (struct sockaddr *)&name, &length), EINVAL);
    length = 0;
    REQUIRE(!getsockname(client, NULL, &length) && length == sizeof name);
    FAILS(getsockname(client, NULL, &length), EFAULT);
    struct sockaddr none = {.sa_family = AF_UNSPEC};
    FAILS(connect(client, &none, sizeof none), EOPNOTSUPP);
}

/* Messages that cannot be sent fail at once, and leave nothing behind for the next call. */
static void refuses_messages(void) {
    char text[8];
    int fd = stream();
    FAILS(send(fd, "x", 1, 0), EPIPE);
    FAILS(send(listener, "x", 1, 0), EPIPE);
    FAILS(sendto(listener, "x", 1, 0, (struct sockaddr *)&server, sizeof server), EPIPE);
    FAILS(accept(fd, NULL, NULL), EINVAL);
    FAILS(recv(fd, text, sizeof text, MSG_DONTWAIT), EAGAIN);
    REQUIRE(sendto(fd, "opens", 5, 0, (struct sockaddr *)&server, sizeof server) == 5);
    int accepted = accept(listener, NULL, NULL);
    REQUIRE(accepted >= 0 && recv(accepted, text, sizeof text, 0) == 5);
    FAILS(sctp_sendmsg(fd, "x", 1, NULL, 0, 0, 0, 2000, 0, 0), EINVAL);
    FAILS(sctp_sendmsg(accepted, "x", 1, NULL, 0, 0, 0, 2000, 0, 0), EINVAL);
    REQUIRE(sctp_sendmsg(accepted, "y", 1, NULL, 0, 0, 0, 1, 0, 0) == 1);
    REQUIRE(recv(fd, text, sizeof text, 0) == 1 && text[0] == 'y');
    close(fd);
    close(accepted);
}

/* A message after a shutdown or an abort is not taken and lost. */
static void refuses_messages_at_the_end(void) {
    char text[8];
    int client, accepted;
    connect_pair(&client, &accepted);
    REQUIRE(!shutdown(client, SHUT_RD));
    REQUIRE(send(client, "last", 4, 0) == 4 && recv(accepted, text, sizeof text, 0) == 4);
    REQUIRE(recv(client, text, sizeof text, 0) == 0);
    REQUIRE(!shutdown(client, SHUT_WR));
    errno = 0;
    REQUIRE(send(client, "lost", 4, 0) < 0 && (errno == ESHUTDOWN || errno == EPIPE));
    REQUIRE(recv(accepted, text, sizeof text, 0) == 0);
    errno = 0;
    REQUIRE(send(accepted, "lost", 4, 0) < 0 && (errno == ESHUTDOWN || errno == EPIPE));
    close(client);
    close(accepted);
    connect_pair(&client, &accepted);
    struct linger abort = {1, 0};
    REQUIRE(!setsockopt(client, SOL_SOCKET, SO_LINGER, &abort, sizeof abort));
    close(client);
    FAILS(recv(accepted, text, sizeof text, 0), ECONNRESET);
    errno = 0;
    REQUIRE(send(accepted, "lost", 4, 0) < 0 && (errno == ECONNRESET || errno == EPIPE));
    close(accepted);
}

/* A program that reads no more learns the end of the association from its next message. */
static void refuses_messages_of_a_program_that_reads_no_more(void) {
    int client, accepted;
    connect_pair(&client, &accepted);
    REQUIRE(!shutdown(client, SHUT_RD) && send(client, "read", 4, 0) == 4);
    char text[8];
    REQUIRE(recv(accepted, text, sizeof text, 0) == 4);
    struct linger abort = {1, 0};
    REQUIRE(!setsockopt(accepted, SOL_SOCKET, SO_LINGER, &abort, sizeof abort));
    close(accepted);
    struct pollfd ends = {.fd = client};
    REQUIRE(poll(&ends, 1, PATIENCE) == 1 && ends.revents & POLLHUP);
    errno = 0;
    REQUIRE(send(client, "lost", 4, 0) < 0 && (errno == ECONNRESET || errno == EPIPE));
    close(client);
}

/* A thread that waits in a call of a socket. */
struct waiting {
    int socket;
    atomic_int id;
};

/* Returns when a thread sleeps. Each thread stores its number directly before its call, so it sleeps in the call. */
static void sleeps(struct waiting *thread) {
    char path[64], state = 0;
    while (!thread->id)
        usleep(1000);
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread->id);
    while (state != 'S') {
        usleep(1000);
        FILE *file = fopen(path, "r");
        REQUIRE(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
        fclose(file);
    }
}

static void *accepts(void *argument) {
    struct waiting *self = argument;
    self->id = gettid();
    FAILS(accept(self->socket, NULL, NULL), EINVAL);
    return NULL;
}

/* shutdown ends accept in other threads. */
static void shuts_down_a_listening_socket(void) {
    int fd = stream();
    struct sockaddr_in other = server;
    other.sin_port = htons(7005);
    REQUIRE(!bind(fd, (struct sockaddr *)&other, sizeof other) && !listen(fd, 5));
    REQUIRE(!shutdown(fd, SHUT_WR));
    FAILS(accept4(fd, NULL, NULL, 1), EINVAL);
    pthread_t thread;
    struct waiting other_thread = {.socket = fd};
    REQUIRE(!pthread_create(&thread, NULL, accepts, &other_thread));
    sleeps(&other_thread);
    REQUIRE(!shutdown(fd, SHUT_RDWR) && !pthread_join(thread, NULL));
    FAILS(accept(fd, NULL, NULL), EINVAL);
    close(fd);
    fd = stream();
    FAILS(shutdown(fd, SHUT_RDWR), ENOTCONN);
    close(fd);
}

/* A one-to-many socket does not wait for messages before it listens or has an association. */
static void needs_an_association(void) {
    char text[8];
    int fd = socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP);
    REQUIRE(fd >= 0);
    FAILS(send(fd, "nobody", 6, 0), EPIPE);
    FAILS(recv(fd, text, sizeof text, 0), ENOTCONN);
    FAILS(recv(fd, text, sizeof text, MSG_DONTWAIT), EAGAIN);
    REQUIRE(sendto(fd, "hello", 5, 0, (struct sockaddr *)&server, sizeof server) == 5);
    int accepted = accept(listener, NULL, NULL);
    REQUIRE(accepted >= 0 && recv(accepted, text, sizeof text, 0) == 5);
    FAILS(send(fd, "nobody", 6, 0), EPIPE);
    struct timeval limit = {0, 50000}, none = {0, 0};
    REQUIRE(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    FAILS(recv(fd, text, sizeof text, 0), EAGAIN);
    // The answer takes its time through two daemons
    REQUIRE(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none));
    REQUIRE(send(accepted, "back", 4, 0) == 4 && recv(fd, text, sizeof text, 0) == 4);
    close(accepted);
    close(fd);
    fd = socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP);
    struct sockaddr_in own = server;
    own.sin_port = 0;
    REQUIRE(!bind(fd, (struct sockaddr *)&own, sizeof own));
    FAILS(recv(fd, text, sizeof text, 0), ENOTCONN);
    REQUIRE(!listen(fd, 5) && !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    FAILS(recv(fd, text, sizeof text, 0), EAGAIN);
    close(fd);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

/* Calls wait at least as long as SO_RCVTIMEO and SO_SNDTIMEO say. */
static void waits_for_time_limits(void) {
    int client, accepted;
    static char large[100000];
    struct timeval limit = {0, 200000}, none = {0, 0};
    connect_pair(&client, &accepted);
    REQUIRE(!setsockopt(accepted, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    REQUIRE(!setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit));
    REQUIRE(!setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
    double begin = seconds();
    FAILS(recv(accepted, large, sizeof large, 0), EAGAIN);
    REQUIRE(seconds() - begin >= 0.2);
    begin = seconds();
    FAILS(accept(listener, NULL, NULL), EAGAIN);
    REQUIRE(seconds() - begin >= 0.2);
    do {
        begin = seconds();
        errno = 0;
    } while (send(client, large, sizeof large, 0) == sizeof large);
    REQUIRE(errno == EAGAIN && seconds() - begin >= 0.2);
    REQUIRE(!setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none));
    close(client);
    close(accepted);
}

static void *receives(void *argument) {
    struct waiting *self = argument;
    char text[8];
    self->id = gettid();
    REQUIRE(recv(self->socket, text, sizeof text, 0) == 4);
    return NULL;
}

/* A call that waits keeps the socket open while another thread closes its descriptor. */
static void closes_while_another_thread_receives(void) {
    int client, accepted;
    char text[8];
    pthread_t thread;
    connect_pair(&client, &accepted);
    struct waiting other_thread = {.socket = client};
    REQUIRE(!pthread_create(&thread, NULL, receives, &other_thread));
    sleeps(&other_thread);
    REQUIRE(!close(client));
    FAILS(send(client, "gone", 4, 0), EBADF);
    REQUIRE(recv(accepted, text, sizeof text, MSG_DONTWAIT) < 0 && errno == EAGAIN);
    REQUIRE(send(accepted, "late", 4, 0) == 4);
    // The message arrives, and the association ends with the last descriptor
    REQUIRE(!pthread_join(thread, NULL));
    REQUIRE(recv(accepted, text, sizeof text, 0) == 0);
    close(accepted);
}

static void accepts_with_flags(void) {
    int client = stream();
    REQUIRE(!connect(client, (struct sockaddr *)&server, sizeof server));
    int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    REQUIRE(accepted >= 0 && fcntl(accepted, F_GETFL) & O_NONBLOCK && fcntl(accepted, F_GETFD) & FD_CLOEXEC);
    FAILS(bind(client, (struct sockaddr *)&server, sizeof server), EINVAL);
    struct sctp_getaddrs addresses = {0};
    socklen_t length = sizeof addresses;
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_GET_PEER_ADDRS, &addresses, &length), ENOMEM);
    close(client);
    close(accepted);
    struct sockaddr_in free_port = server;
    free_port.sin_port = 0;
    int bound = stream();
    REQUIRE(!bind(bound, (struct sockaddr *)&free_port, sizeof free_port));
    FAILS(bind(bound, (struct sockaddr *)&free_port, sizeof free_port), EINVAL);
    close(bound);
}

/* Only messages out of order have a cumulative TSN. */
static void numbers_messages(int client, int accepted) {
    struct sctp_event_subscribe events = {.sctp_data_io_event = 1};
    REQUIRE(!setsockopt(accepted, IPPROTO_SCTP, SCTP_EVENTS, &events, sizeof events));
    for (int unordered = 0; unordered < 2; unordered++) {
        struct sctp_sndrcvinfo info = {0};
        char text[8];
        int flags = 0;
        REQUIRE(sctp_sendmsg(client, "text", 4, NULL, 0, 0, unordered ? SCTP_UNORDERED : 0, 0, 0, 0) == 4);
        REQUIRE(sctp_recvmsg(accepted, text, sizeof text, NULL, NULL, &info, &flags) == 4);
        REQUIRE(!(info.sinfo_flags & SCTP_UNORDERED) == !unordered && !info.sinfo_cumtsn == !unordered);
    }
}

static int set(int fd, int option, const void *value, size_t length) {
    return setsockopt(fd, IPPROTO_SCTP, option, value, length);
}

/* Options have exactly their length, except those that were shorter in older header files. */
static void checks_options(int client) {
    static const struct {
        int option, length;
    } exact[] = {
        {SCTP_RTOINFO, sizeof(struct sctp_rtoinfo)},
        {SCTP_ASSOCINFO, sizeof(struct sctp_assocparams)},
        {SCTP_INITMSG, sizeof(struct sctp_initmsg)},
        {SCTP_DEFAULT_SEND_PARAM, sizeof(struct sctp_sndrcvinfo)},
        {SCTP_DEFAULT_SNDINFO, sizeof(struct sctp_sndinfo)},
        {SCTP_DEFAULT_PRINFO, sizeof(struct sctp_default_prinfo)},
        {SCTP_CONTEXT, sizeof(struct sctp_assoc_value)},
        {SCTP_DELAYED_SACK, sizeof(struct sctp_sack_info)},
        {SCTP_PEER_ADDR_PARAMS, sizeof(struct sctp_paddrparams)},
        {SCTP_MAXSEG, sizeof(struct sctp_assoc_value)},
    };
    for (size_t at = 0; at < sizeof exact / sizeof *exact; at++) {
        char value[256] = {0};
        socklen_t length = sizeof value;
        REQUIRE(!getsockopt(client, IPPROTO_SCTP, exact[at].option, value, &length));
        REQUIRE((int)length == exact[at].length);
        REQUIRE(!set(client, exact[at].option, value, length));
        FAILS(set(client, exact[at].option, value, length + 1), EINVAL);
        FAILS(set(client, exact[at].option, value, length - 1), EINVAL);
        length--;
        FAILS(getsockopt(client, IPPROTO_SCTP, exact[at].option, value, &length), EINVAL);
    }
    struct sctp_assoc_value delay = {.assoc_value = 123};
    REQUIRE(!set(client, SCTP_DELAYED_SACK, &delay, sizeof delay));
    struct sctp_sack_info sack = {0};
    socklen_t length = sizeof sack;
    REQUIRE(!getsockopt(client, IPPROTO_SCTP, SCTP_DELAYED_SACK, &sack, &length) && sack.sack_delay == 123);
    struct sctp_paddrparams path = {.spp_flags = SPP_HB_ENABLE | SPP_HB_DISABLE};
    FAILS(set(client, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), EINVAL);
    path = (struct sctp_paddrparams){.spp_flags = SPP_SACKDELAY_ENABLE, .spp_sackdelay = 501};
    FAILS(set(client, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), EINVAL);
    path = (struct sctp_paddrparams){.spp_pathmtu = 511};
    FAILS(set(client, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), EINVAL);
    path = (struct sctp_paddrparams){.spp_hbinterval = 7000};
    REQUIRE(!set(client, SCTP_PEER_ADDR_PARAMS, &path, 152));
    memcpy(&path.spp_address, &server, sizeof server);
    REQUIRE(!set(client, SCTP_PEER_ADDR_PARAMS, &path, sizeof path));
    ((struct sockaddr_in *)&path.spp_address)->sin_addr.s_addr ^= htonl(3);
    FAILS(set(client, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), EINVAL);
    // An unknown family is an address that the peer does not have
    path = (struct sctp_paddrparams){.spp_address.ss_family = 99};
    FAILS(set(client, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), EINVAL);
    int on = 1, value = 0;
    length = sizeof value;
    REQUIRE(!setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on));
    REQUIRE(!getsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &value, &length) && value == 1);
    REQUIRE(!setsockopt(client, SOL_SOCKET, SO_BROADCAST, &on, sizeof on));
    REQUIRE(!setsockopt(client, SOL_SOCKET, SO_RCVLOWAT, &on, sizeof on));
    struct sctp_sndinfo info = {.snd_flags = 0x4000};
    FAILS(set(client, SCTP_DEFAULT_SNDINFO, &info, sizeof info), EINVAL);
}

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    signal(SIGPIPE, SIG_IGN);
    listen_at(argv[1], 7004);
    connects_to_all();
    binds_all();
    int client, accepted;
    connect_pair(&client, &accepted);
    moves_parts(client, accepted);
    cuts_ancillary_data(client, accepted);
    checks_addresses(client);
    checks_options(client);
    accepts_with_flags();
    numbers_messages(client, accepted);
    refuses_messages();
    refuses_messages_at_the_end();
    refuses_messages_of_a_program_that_reads_no_more();
    shuts_down_a_listening_socket();
    needs_an_association();
    waits_for_time_limits();
    closes_while_another_thread_receives();
    puts("all answers are right");
    return 0;
}
