/* A thread waits in recv while another one closes the descriptor, lets it be that of another association, and forks. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUIRE(holds) \
    do { \
        if (!(holds)) { \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #holds, strerror(errno)); \
            exit(1); \
        } \
    } while (0)

static struct sockaddr_in address = {.sin_family = AF_INET};
static int listener;

struct receiver {
    int fd;
    ssize_t length;
    char text[100];
};

static void *receive(void *argument) {
    struct receiver *receiver = argument;
    receiver->length = recv(receiver->fd, receiver->text, sizeof receiver->text, 0);
    return NULL;
}

/* The number of duplicates of calls that wait. */
static int duplicates(void) {
    int found = 0;
    for (int fd = 512; fd < 600; fd++) {
        found += fcntl(fd, F_GETFD) >= 0;
    }
    return found;
}

static void connected(int *client, int *server) {
    *client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SCTP);
    REQUIRE(!connect(*client, (struct sockaddr *)&address, sizeof address));
    *server = accept(listener, NULL, NULL);
    REQUIRE(*server >= 0);
}

/* The message arrives, and then the association ends, although a child lives on. */
static void receives_beside(int forks) {
    int client, other_client, other_server;
    struct receiver receiver = {0};
    connected(&client, &receiver.fd);
    connected(&other_client, &other_server);
    pthread_t thread;
    REQUIRE(!pthread_create(&thread, NULL, receive, &receiver));
    while (!duplicates()) {
        usleep(1000);
    }
    pid_t child = 0;
    if (forks) {
        child = fork();
        if (!child) {
            close(receiver.fd);
            close(client);
            pause();
        }
    }
    REQUIRE(!close(receiver.fd));
    /* Another association has the number then */
    int number = fcntl(other_server, F_DUPFD, receiver.fd);
    REQUIRE(number == receiver.fd);
    REQUIRE(write(other_client, "another", 7) == 7);
    REQUIRE(write(client, "late", 4) == 4);
    REQUIRE(!pthread_join(thread, NULL));
    REQUIRE(receiver.length == 4 && !memcmp(receiver.text, "late", 4));
    REQUIRE(read(client, receiver.text, 1) == 0);
    REQUIRE(read(number, receiver.text, 100) == 7 && !memcmp(receiver.text, "another", 7));
    if (child) {
        REQUIRE(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child);
    }
    REQUIRE(!close(client) && !close(other_client) && !close(other_server) && !close(number));
}

int main(void) {
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SCTP);
    REQUIRE(!bind(listener, (struct sockaddr *)&address, length) && !listen(listener, 5));
    REQUIRE(!getsockname(listener, (struct sockaddr *)&address, &length));
    for (int round = 0; round < 20; round++) {
        receives_beside(round % 2);
    }
    REQUIRE(!duplicates());
    puts("every socket is kept");
    return 0;
}
