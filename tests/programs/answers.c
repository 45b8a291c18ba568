/* What calls of SCTP sockets answer in Linux: net/sctp/socket.c. All sockets belong to this program. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/sctp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
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

static int stream(void) {
    int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    REQUIRE(fd >= 0);
    return fd;
}

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

int main(int argc, char **argv) {
    REQUIRE(argc == 2 && inet_aton(argv[1], &server.sin_addr));
    server.sin_port = htons(7004);
    signal(SIGPIPE, SIG_IGN);
    listener = stream();
    REQUIRE(!bind(listener, (struct sockaddr *)&server, sizeof server));
    REQUIRE(!listen(listener, 5));
    connects_to_all();
    puts("all answers are right");
    return 0;
}
