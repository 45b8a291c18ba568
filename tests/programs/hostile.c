/* Wrong calls: pointers to nowhere, wrong lengths and families, huge messages, closed descriptors, and bytes that are not
 * those of the library. Each fails with the error of Linux, and harms no other socket. */
#define _GNU_SOURCE
#include "calls.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* No memory is there. */
static void *nowhere;
/* The compiler does not know these values, and so does not warn. */
static void *volatile null;
static volatile int negative = -1;

enum { GIB = 1 << 30 };

static int set(int fd, int level, int option, const void *value, socklen_t length) {
    return setsockopt(fd, level, option, value, length);
}

/* The association still works. */
static void talks(int client, int accepted) {
    char text[8];
    REQUIRE(send(client, "alive", 5, 0) == 5);
    REQUIRE(recv(accepted, text, sizeof text, 0) == 5 && !memcmp(text, "alive", 5));
}

static void wrong_addresses(int client, int accepted) {
    struct sockaddr_storage room = {0};
    struct sockaddr_in6 other = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr unknown = {.sa_family = 99};
    socklen_t length;
    int fd = stream();
    for (int binds = 0; binds < 2; binds++) {
        int (*call)(int, const struct sockaddr *, socklen_t) = binds ? bind : connect;
        FAILS(call(fd, null, sizeof server), EFAULT);
        FAILS(call(fd, (struct sockaddr *)&server, 0), EINVAL);
        FAILS(call(fd, (struct sockaddr *)&server, 3), EINVAL);
        FAILS(call(fd, (struct sockaddr *)&server, -1), EINVAL);
        FAILS(call(fd, (struct sockaddr *)&room, sizeof room + 1), EINVAL);
        FAILS(call(fd, (struct sockaddr *)&other, sizeof other), EINVAL);
        FAILS(call(fd, &unknown, sizeof unknown), EINVAL);
    }
    FAILS(getsockname(client, (struct sockaddr *)&room, NULL), EFAULT);
    length = -7;
    FAILS(getsockname(client, (struct sockaddr *)&room, &length), EINVAL);
    FAILS(getpeername(fd, (struct sockaddr *)&room, &length), ENOTCONN);
    length = 2;
    REQUIRE(!getpeername(client, (struct sockaddr *)&room, &length) && length == sizeof server);
    FAILS(listen(client, 5), EINVAL);
    FAILS(shutdown(client, 99), EINVAL);
    FAILS(shutdown(client, -1), EINVAL);
    close(fd);
    talks(client, accepted);
}

static void wrong_messages(int client, int accepted) {
    char text[8], *huge = mmap(NULL, GIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(huge != MAP_FAILED);
    FAILS(send(client, huge, GIB, 0), EMSGSIZE);
    FAILS(send(client, huge, (size_t)GIB * 2, 0), EMSGSIZE);
    FAILS(write(client, huge, 200001), EMSGSIZE);
    FAILS(send(client, nowhere, 10, 0), EFAULT);
    FAILS(send(client, null, 10, 0), EFAULT);
    struct iovec halves[2] = {{text, 4}, {nowhere, 4}}, endless[2] = {{huge, GIB}, {huge, SIZE_MAX}};
    FAILS(writev(client, halves, 2), EFAULT);
    FAILS(writev(client, endless, 2), EINVAL);
    FAILS(writev(client, halves, negative), EINVAL);
    FAILS(writev(client, null, 1), EFAULT);
    FAILS(sendmsg(client, null, 0), EFAULT);
    FAILS(sendfile(client, -1, NULL, 10), EBADF);
    FAILS(sendfile(client, client, NULL, 10), EINVAL);
    REQUIRE(send(accepted, "unread", 6, 0) == 6);
    struct pollfd waits = {.fd = client, .events = POLLIN};
    REQUIRE(poll(&waits, 1, 300000) == 1);
    FAILS(recv(client, nowhere, 10, 0), EFAULT);
    FAILS(recv(client, null, 10, 0), EFAULT);
    FAILS(recvmsg(client, null, 0), EFAULT);
    FAILS(readv(client, null, 1), EFAULT);
    FAILS(readv(client, halves, negative), EINVAL);
    REQUIRE(recv(client, text, sizeof text, 0) == 6);
    FAILS(ioctl(client, FIONREAD, NULL), EFAULT);
    munmap(huge, GIB);
    talks(client, accepted);
}

/* Ancillary data whose lengths are wrong. */
static void wrong_ancillary_data(int client, int accepted) {
    static const size_t lengths[] = {0, 1, sizeof(struct cmsghdr) - 1, 1000, SIZE_MAX};
    for (unsigned at = 0; at < sizeof lengths / sizeof *lengths; at++) {
        _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct sctp_sndinfo))] = {0};
        struct cmsghdr *head = (struct cmsghdr *)control;
        *head = (struct cmsghdr){.cmsg_len = lengths[at], .cmsg_level = IPPROTO_SCTP, .cmsg_type = SCTP_SNDINFO};
        struct iovec part = {"x", 1};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        FAILS(sendmsg(client, &message, 0), EINVAL);
        head->cmsg_len = CMSG_LEN(sizeof(struct sctp_sndinfo) - 1);
        FAILS(sendmsg(client, &message, 0), EINVAL);
        message.msg_controllen = SIZE_MAX;
        FAILS(sendmsg(client, &message, 0), ENOBUFS);
        message.msg_control = NULL, message.msg_controllen = sizeof control;
        FAILS(sendmsg(client, &message, 0), EFAULT);
    }
    talks(client, accepted);
}

/* Pointers that the library itself reads and writes. */
static void pointers_to_no_memory(int client, int accepted) {
    void *nothing = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(nothing != MAP_FAILED && !munmap(nothing, 1 << 16));
    struct sockaddr_storage room;
    socklen_t length = sizeof room;
    char text[8];
    int value = 1, fd = stream();
    FAILS(bind(fd, nothing, sizeof server), EFAULT);
    FAILS(connect(fd, nothing, sizeof server), EFAULT);
    FAILS(connect(fd, (void *)-1, sizeof server), EFAULT);
    FAILS(sendto(fd, "x", 1, 0, nothing, sizeof server), EFAULT);
    close(fd);
    FAILS(getsockname(client, nothing, &length), EFAULT);
    FAILS(getsockname(client, (struct sockaddr *)&room, nothing), EFAULT);
    FAILS(getpeername(client, nothing, &length), EFAULT);
    FAILS(getpeername(client, (struct sockaddr *)&room, nothing), EFAULT);
    length = sizeof value;
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, nothing, &length), EFAULT);
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, &value, nothing), EFAULT);
    FAILS(ioctl(client, FIONREAD, nothing), EFAULT);
    // The association is lost, as in Linux
    for (int second = 0; second < 2; second++) {
        length = sizeof room;
        fd = stream();
        REQUIRE(!connect(fd, (struct sockaddr *)&server, sizeof server));
        FAILS(accept(listener, second ? (void *)&room : nothing, second ? nothing : &length), EFAULT);
        REQUIRE(recv(fd, text, sizeof text, 0) == 0);
        close(fd);
    }
    REQUIRE(send(client, "x", 1, 0) == 1);
    struct pollfd waits = {.fd = accepted, .events = POLLIN};
    REQUIRE(poll(&waits, 1, 300000) == 1);
    FAILS(recvfrom(accepted, text, sizeof text, MSG_PEEK, (struct sockaddr *)&room, nothing), EFAULT);
    length = sizeof room;
    FAILS(recvfrom(accepted, text, sizeof text, MSG_PEEK, nothing, &length), EFAULT);
    REQUIRE(recv(accepted, text, sizeof text, 0) == 1);
    talks(client, accepted);
}

static void wrong_options(int client, int accepted) {
    int value = 1;
    socklen_t length = sizeof value;
    FAILS(set(client, IPPROTO_SCTP, SCTP_NODELAY, NULL, 4), EFAULT);
    FAILS(set(client, IPPROTO_SCTP, SCTP_NODELAY, nowhere, 4), EFAULT);
    FAILS(set(client, IPPROTO_SCTP, SCTP_NODELAY, &value, 0), EINVAL);
    FAILS(set(client, IPPROTO_SCTP, SCTP_NODELAY, &value, -4), EINVAL);
    FAILS(set(client, IPPROTO_SCTP, SCTP_RTOINFO, &value, 4), EINVAL);
    FAILS(set(client, IPPROTO_SCTP, 9999, &value, 4), ENOPROTOOPT);
    FAILS(set(client, 12345, SCTP_NODELAY, &value, 4), ENOPROTOOPT);
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, &value, NULL), EFAULT);
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, NULL, &length), EFAULT);
    length = -4;
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, &value, &length), EINVAL);
    length = 0;
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_NODELAY, &value, &length), EINVAL);
    FAILS(sctp_peeloff(client, 1), EINVAL);
    FAILS(sctp_peeloff(client, -1), EINVAL);
    struct sctp_status status = {.sstat_assoc_id = 77};
    length = sizeof status - 1;
    FAILS(getsockopt(client, IPPROTO_SCTP, SCTP_STATUS, &status, &length), EINVAL);
    struct sctp_rtoinfo times = {.srto_initial = UINT32_MAX, .srto_min = UINT32_MAX, .srto_max = 1};
    FAILS(set(client, IPPROTO_SCTP, SCTP_RTOINFO, &times, sizeof times), EINVAL);
    talks(client, accepted);
}

static void wrong_descriptors(void) {
    char text[8];
    int file = open("/dev/null", O_RDWR);
    int fds[] = {-1, 1 << 20, INT32_MAX, file}, numbers[] = {EBADF, EBADF, EBADF, ENOTSOCK};
    for (int at = 0; at < 4; at++) {
        FAILS(connect(fds[at], (struct sockaddr *)&server, sizeof server), numbers[at]);
        FAILS(bind(fds[at], (struct sockaddr *)&server, sizeof server), numbers[at]);
        FAILS(listen(fds[at], 5), numbers[at]);
        FAILS(accept(fds[at], NULL, NULL), numbers[at]);
        FAILS(send(fds[at], text, 1, 0), numbers[at]);
        FAILS(recv(fds[at], text, 1, 0), numbers[at]);
        FAILS(set(fds[at], IPPROTO_SCTP, SCTP_NODELAY, text, 4), numbers[at]);
        FAILS(shutdown(fds[at], SHUT_RDWR), numbers[at]);
    }
    close(file);
}

/* Records that the library did not write, and descriptors: the association of the socket is aborted. */
static void wrong_records(int client, int accepted) {
    for (int kind = 0; kind < 3; kind++) {
        char text[100];
        int own, own_accepted;
        connect_pair(&own, &own_accepted);
        memset(text, kind ? 0xff : 0, sizeof text);
        if (kind < 2) {
            REQUIRE(syscall(SYS_write, own, text, sizeof text) == sizeof text);
        } else {
            _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
            struct iovec part = {text, sizeof text};
            struct msghdr message = {
                .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
            *(struct cmsghdr *)control = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
            memcpy(CMSG_DATA((struct cmsghdr *)control), &client, sizeof client);
            REQUIRE(syscall(SYS_sendmsg, own, &message, 0) == sizeof text);
        }
        FAILS(recv(own_accepted, text, sizeof text, 0), ECONNRESET);
        close(own), close(own_accepted);
        talks(client, accepted);
    }
}

/* Two threads use descriptors, also after a third one has closed them. */
static atomic_int shared[2] = {-1, -1}, rounds[2], done;

static void *uses(void *argument) {
    char text[100];
    for (int at = 0; !done; at = !at) {
        int fd = shared[at], value;
        socklen_t length = sizeof value;
        send(fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        recv(fd, text, sizeof text, MSG_DONTWAIT);
        getsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &value, &length);
        accept4(fd, NULL, NULL, SOCK_NONBLOCK);
        shutdown(fd, SHUT_WR);
        ++*(atomic_int *)argument;
    }
    return NULL;
}

static void closes_under_other_threads(void) {
    pthread_t threads[2];
    for (int at = 0; at < 2; at++)
        REQUIRE(!pthread_create(&threads[at], NULL, uses, &rounds[at]));
    for (int round = 0; round < 200; round++) {
        int fds[2];
        connect_pair(&fds[0], &fds[1]);
        for (int at = 0; at < 2; at++)
            shared[at] = fds[at];
        usleep(round % 10 * 100);
        for (int at = 0; at < 2; at++)
            REQUIRE(!close(fds[at]));
        usleep(100);
        // The next sockets have the same numbers: the other threads must not use them while they are opened
        for (int at = 0; at < 2; at++)
            shared[at] = -1;
        for (int at = 0; at < 2; at++)
            for (int seen = rounds[at]; rounds[at] - seen < 2;)
                usleep(10);
    }
    done = 1;
    for (int at = 0; at < 2; at++)
        REQUIRE(!pthread_join(threads[at], NULL));
}

int main(int argc, char **argv) {
    int client, accepted;
    REQUIRE(argc == 2);
    signal(SIGPIPE, SIG_IGN);
    nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(nowhere != MAP_FAILED);
    listen_at(argv[1], 7021);
    connect_pair(&client, &accepted);
    wrong_addresses(client, accepted);
    wrong_messages(client, accepted);
    wrong_ancillary_data(client, accepted);
    wrong_options(client, accepted);
    pointers_to_no_memory(client, accepted);
    wrong_descriptors();
    wrong_records(client, accepted);
    closes_under_other_threads();
    talks(client, accepted);
    puts("every wrong call is refused");
    return 0;
}
