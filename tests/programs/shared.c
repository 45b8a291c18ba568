/* Processes that share sockets, replaced descriptors, edges of epoll, and SIGPIPE. All sockets belong to this program and
 * its children. */
#define _GNU_SOURCE
#include "calls.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { MESSAGES = 300, LARGEST = 20 * MESSAGES + 1 };

static char text[LARGEST];

static void ends_well(pid_t child) {
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

static void reads(int fd, const char *expected) {
    ssize_t length = strlen(expected);
    REQUIRE(recv(fd, text, sizeof text, 0) == length && !memcmp(text, expected, length));
}

static void reads_the_end(int fd) {
    REQUIRE(recv(fd, text, sizeof text, 0) == 0);
}

static void writes_messages(int fd, char letter) {
    memset(text, letter, sizeof text);
    for (int number = 0; number < MESSAGES; number++) {
        ssize_t length = 20 * number + 1;
        REQUIRE(send(fd, text, length, 0) == length);
    }
}

/* Both sides of a fork write. Each message arrives whole, and those of one process in order. */
static void writes_on_both_sides_of_a_fork(void) {
    int client, accepted, next[2] = {0};
    connect_pair(&client, &accepted);
    pid_t reader = fork();
    if (!reader) {
        // The writers must not wait for this process
        close(client);
        ssize_t length;
        while ((length = recv(accepted, text, sizeof text, 0)) > 0) {
            int *number = &next[text[0] - 'a'];
            REQUIRE(length == 20 * *number + 1 && ++*number <= MESSAGES);
            for (ssize_t at = 1; at < length; at++)
                REQUIRE(text[at] == text[0]);
        }
        REQUIRE(length == 0 && next[0] == MESSAGES && next[1] == MESSAGES);
        exit(0);
    }
    close(accepted);
    pid_t writer = fork();
    writes_messages(client, writer ? 'a' : 'b');
    if (!writer)
        exit(0);
    close(client);
    ends_well(writer);
    ends_well(reader);
}

/* dup2 over a descriptor closes its association, if it was the last one, and no other. */
static void replaces_descriptors(void) {
    int client, accepted, other, other_accepted, ends[2];
    connect_pair(&client, &accepted);
    connect_pair(&other, &other_accepted);
    int copy = dup(client);
    REQUIRE(copy >= 0 && dup2(other, client) == client);
    REQUIRE(send(copy, "copy", 4, 0) == 4 && send(client, "other", 5, 0) == 5);
    reads(accepted, "copy");
    reads(other_accepted, "other");
    REQUIRE(!pipe(ends) && dup2(ends[1], copy) == copy);
    reads_the_end(accepted);
    REQUIRE(write(copy, "pipe", 4) == 4 && read(ends[0], text, 10) == 4);
    REQUIRE(!close(other) && send(client, "still", 5, 0) == 5);
    reads(other_accepted, "still");
    REQUIRE(dup3(copy, client, O_CLOEXEC) == client);
    reads_the_end(other_accepted);
    // A socket over a file
    int over = stream();
    REQUIRE(dup2(over, ends[0]) == ends[0] && !close(over));
    REQUIRE(!connect(ends[0], (struct sockaddr *)&server, sizeof server));
    over = accept(listener, NULL, NULL);
    REQUIRE(send(ends[0], "over", 4, 0) == 4);
    reads(over, "over");
    close(ends[0]), close(ends[1]), close(client), close(copy), close(accepted), close(other_accepted);
    reads_the_end(over);
    close(over);
}

/* The program that exec starts: it has one of the descriptors, waits, and writes to it. */
static int inherits(const char *open, const char *closed, const char *wait) {
    int fd = atoi(open), protocol;
    socklen_t length = sizeof protocol;
    FAILS(fcntl(atoi(closed), F_GETFD), EBADF);
    REQUIRE(!getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) && protocol == IPPROTO_SCTP);
    REQUIRE(send(fd, "inherited", 9, 0) == 9);
    REQUIRE(read(atoi(wait), text, 1) == 0);
    return 0;
}

/* A socket with CLOEXEC ends at exec, another one lives as long as the new program. */
static void passes_sockets_to_exec(const char *program) {
    int closed, closed_peer, open, open_peer, wait[2];
    connect_pair(&closed, &closed_peer);
    connect_pair(&open, &open_peer);
    REQUIRE(!fcntl(closed, F_SETFD, FD_CLOEXEC));
    REQUIRE(!fcntl(closed_peer, F_SETFD, FD_CLOEXEC) && !fcntl(open_peer, F_SETFD, FD_CLOEXEC) && !pipe(wait));
    REQUIRE(!fcntl(listener, F_SETFD, FD_CLOEXEC) && !fcntl(wait[1], F_SETFD, FD_CLOEXEC));
    pid_t child = fork();
    if (!child) {
        char numbers[3][12];
        int fds[3] = {open, closed, wait[0]};
        for (int at = 0; at < 3; at++)
            snprintf(numbers[at], sizeof numbers[at], "%d", fds[at]);
        execl(program, program, "inherits", numbers[0], numbers[1], numbers[2], NULL);
        exit(1);
    }
    close(open), close(closed);
    // The new program waits meanwhile
    reads_the_end(closed_peer);
    reads(open_peer, "inherited");
    FAILS(recv(open_peer, text, sizeof text, MSG_DONTWAIT), EAGAIN);
    close(wait[1]);
    ends_well(child);
    reads_the_end(open_peer);
    close(closed_peer), close(open_peer), close(wait[0]);
}

static int events;

/* Waits for an event of a descriptor. */
static int event_of(int fd) {
    struct epoll_event event;
    REQUIRE(epoll_wait(events, &event, 1, 300000) == 1 && event.data.fd == fd);
    return event.events;
}

static void watches(int fd) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = fd};
    REQUIRE(!fcntl(fd, F_SETFL, O_NONBLOCK) && !epoll_ctl(events, EPOLL_CTL_ADD, fd, &event));
}

static int failure_of(int fd) {
    int error;
    socklen_t length = sizeof error;
    REQUIRE(!getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length));
    return error;
}

/* Connections, accepted associations and messages give edges. No edge is missing if the program acts until EAGAIN. */
static void acts_on_edges(void) {
    int client = stream(), accepted = -1, refused = stream();
    REQUIRE((events = epoll_create1(0)) >= 0);
    struct sockaddr_in closed_port = server;
    closed_port.sin_port = htons(7);
    REQUIRE(!fcntl(refused, F_SETFL, O_NONBLOCK));
    FAILS(connect(refused, (struct sockaddr *)&closed_port, sizeof closed_port), EINPROGRESS);
    watches(refused);
    REQUIRE(event_of(refused) & EPOLLOUT);
    REQUIRE(failure_of(refused) == ECONNREFUSED && failure_of(refused) == 0);
    close(refused);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = listener};
    REQUIRE(!fcntl(listener, F_SETFL, O_NONBLOCK) && !fcntl(client, F_SETFL, O_NONBLOCK));
    FAILS(accept(listener, NULL, NULL), EAGAIN);
    REQUIRE(!epoll_ctl(events, EPOLL_CTL_ADD, listener, &event));
    FAILS(connect(client, (struct sockaddr *)&server, sizeof server), EINPROGRESS);
    REQUIRE(event_of(listener) & EPOLLIN);
    while (accepted < 0) {
        accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        REQUIRE(accepted >= 0 || errno == EAGAIN);
        if (accepted < 0)
            event_of(listener);
    }
    FAILS(accept(listener, NULL, NULL), EAGAIN);
    watches(client);
    REQUIRE(event_of(client) & EPOLLOUT && failure_of(client) == 0);
    pid_t writer = fork();
    if (!writer) {
        REQUIRE(!fcntl(accepted, F_SETFL, 0));
        close(client);
        writes_messages(accepted, 'e');
        exit(0);
    }
    close(accepted);
    for (int received = 0, over = 0; !over;) {
        event_of(client);
        ssize_t length;
        while ((length = recv(client, text, sizeof text, 0)) > 0)
            REQUIRE(length == 20 * received++ + 1);
        over = length == 0;
        REQUIRE(over ? received == MESSAGES : errno == EAGAIN);
    }
    ends_well(writer);
    REQUIRE(!fcntl(listener, F_SETFL, 0));
    close(client), close(events);
}

static volatile sig_atomic_t signals;

static void count(int signal) {
    signals += signal == SIGPIPE;
}

/* A message that cannot be sent raises SIGPIPE, unless MSG_NOSIGNAL is set. */
static void raises_sigpipe(void) {
    int client, accepted;
    struct iovec part = {"x", 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    connect_pair(&client, &accepted);
    close(accepted);
    reads_the_end(client);
    FAILS(send(client, "x", 1, MSG_NOSIGNAL), EPIPE);
    REQUIRE(signals == 0);
    FAILS(send(client, "x", 1, 0), EPIPE);
    REQUIRE(signals == 1);
    FAILS(write(client, "x", 1), EPIPE);
    FAILS(sendmsg(client, &message, 0), EPIPE);
    FAILS(writev(client, &part, 1), EPIPE);
    REQUIRE(signals == 4);
    close(client);
    // By default it ends the program
    pid_t child = fork();
    if (!child) {
        signal(SIGPIPE, SIG_DFL);
        send(stream(), "x", 1, 0);
        exit(0);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "inherits"))
        return inherits(argv[2], argv[3], argv[4]);
    REQUIRE(argc == 2);
    signal(SIGPIPE, count);
    listen_at(argv[1], 7020);
    writes_on_both_sides_of_a_fork();
    replaces_descriptors();
    passes_sockets_to_exec(argv[0]);
    acts_on_edges();
    raises_sigpipe();
    puts("all sockets are shared as in Linux");
    return 0;
}
